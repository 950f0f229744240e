/* The gate's certificate: which files it is in, when they have changed, and one of our own where
 * nobody has given any.
 *
 * Files are read whenever a gate needs them and their bytes wiped after they were sent, so the key
 * is in the daemon's memory only then. Ours is made with crypto/certificate.h, kept in the state
 * folder and made anew in good time before it ends. */
#ifndef VITRINE_DAEMON_GATE_TLS_H
#define VITRINE_DAEMON_GATE_TLS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "crypto/certificate.h"
#include "proto/err.h"

struct outbuf;

#define GATE_TLS_VALID_S  (397ll * 86400) /* what browsers take at most */
#define GATE_TLS_RENEW_S  (30ll * 86400)  /* before the end */
#define GATE_TLS_WATCH_MS 10000           /* between two looks at the files */
#define GATE_TLS_WHY      400

/* What tells one state of a file from another. */
struct gate_tls_stamp {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec changed;
};

struct gate_tls {
    bool on;
    bool own; /* ours: chain and key are in the state folder */
    char chain[PATH_MAX], key[PATH_MAX];
    struct gate_tls_stamp read[2]; /* as they were when they were read last */
    uint8_t fingerprint[CERTIFICATE_FINGERPRINT_BYTES];
    int64_t until_s;
};

/* Chooses the files: chain and key, or, when chain is NULL, our own. A line in why otherwise. */
enum err gate_tls_choose(struct gate_tls *t, const char *chain, const char *key,
                         char why[GATE_TLS_WHY]);
/* Where the files are our own: makes them when they are missing, unusable or end soon. bind is the
 * address listened on, a name the certificate gets. */
enum err gate_tls_renew(struct gate_tls *t, const char *bind, int64_t now_s,
                        char why[GATE_TLS_WHY]);
/* Appends the gate's TLS frame with what the files hold. The caller wipes out. On failure why has
 * the reason and out is as before. */
enum err gate_tls_frame(struct gate_tls *t, struct outbuf *out, char why[GATE_TLS_WHY]);
/* True when a file is another than the one that was read. */
bool gate_tls_changed(const struct gate_tls *t);

#endif
