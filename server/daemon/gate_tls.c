#include "proto/compat.h"

#include "server/daemon/gate_tls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crypto/secret.h"
#include "proto/mux_msg.h"
#include "server/daemon/outbuf.h"
#include "server/daemon/state_dir.h"

#define FILE_MAX_BYTES (28u << 10) /* both fit one frame */
#define OWN_CHAIN      "gate.pem"
#define OWN_KEY        "gate.key"

/* --- files ---------------------------------------------------------------------------------- */

static bool stamp(const char *path, struct gate_tls_stamp *out)
{
    struct stat st;

    memset(out, 0, sizeof *out);
    if (stat(path, &st) != 0)
        return false;
    out->device = st.st_dev;
    out->inode = st.st_ino;
    out->size = st.st_size;
    out->changed = st.st_mtim;
    return true;
}

static bool same_stamp(const struct gate_tls_stamp *a, const struct gate_tls_stamp *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}

/* Reads a whole regular file; what is a pipe or a device would block or never end. */
static enum err read_file(const char *path, struct outbuf *out, char why[GATE_TLS_WHY])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    ssize_t n = -1;
    uint8_t *room;

    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        snprintf(why, GATE_TLS_WHY, "cannot read %.300s: %s", path,
                 fd < 0 ? strerror(errno) : "it is no file");
    } else if (st.st_size > FILE_MAX_BYTES) {
        snprintf(why, GATE_TLS_WHY, "%.300s is too long for a certificate or key", path);
    } else if ((room = outbuf_reserve(out, FILE_MAX_BYTES)) != NULL) {
        n = read(fd, room, FILE_MAX_BYTES);
        if (n < 0)
            snprintf(why, GATE_TLS_WHY, "cannot read %.300s: %s", path, strerror(errno));
        else
            out->len += (size_t)n;
    } else {
        snprintf(why, GATE_TLS_WHY, "out of memory");
    }
    if (fd >= 0)
        close(fd);
    return n >= 0 ? ERR_OK : ERR_SYSTEM;
}

/* Writes beside path and renames, so that there is always a whole file. */
static enum err write_file(const char *path, const char *text)
{
    char beside[PATH_MAX + 8];
    size_t len = strlen(text);
    bool ok;
    int fd;

    snprintf(beside, sizeof beside, "%s.new", path);
    unlink(beside);
    fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return ERR_SYSTEM;
    ok = write(fd, text, len) == (ssize_t)len && fsync(fd) == 0;
    ok = close(fd) == 0 && ok;
    if (ok && rename(beside, path) == 0)
        return ERR_OK;
    unlink(beside);
    return ERR_SYSTEM;
}

/* --- our own -------------------------------------------------------------------------------- */

/* Also makes the folder, which may have gone since. */
static enum err choose_own(struct gate_tls *t, char why[GATE_TLS_WHY])
{
    enum err e = state_dir_path(OWN_CHAIN, t->chain, sizeof t->chain, why, GATE_TLS_WHY);

    return e == ERR_OK ? state_dir_path(OWN_KEY, t->key, sizeof t->key, why, GATE_TLS_WHY) : e;
}

/* Makes both files; chain and key are where the texts are made. */
static enum err make_in(struct gate_tls *t, const char *bind, int64_t now_s, char *chain, char *key,
                        char why[GATE_TLS_WHY])
{
    char host[256] = "";
    const char *names[] = {"localhost", "127.0.0.1", "::1", bind, host};
    enum err e;

    gethostname(host, sizeof host - 1);
    e = certificate_make(names, sizeof names / sizeof *names, now_s - 3600,
                         now_s + GATE_TLS_VALID_S, chain, key);
    if (e != ERR_OK)
        snprintf(why, GATE_TLS_WHY, "cannot make a certificate: %s", err_text(e));
    else if ((e = write_file(t->key, key)) != ERR_OK || (e = write_file(t->chain, chain)) != ERR_OK)
        snprintf(why, GATE_TLS_WHY, "cannot write %.300s: %s", t->chain, strerror(errno));
    return e;
}

static enum err make(struct gate_tls *t, const char *bind, int64_t now_s, char why[GATE_TLS_WHY])
{
    char *chain = malloc(CERTIFICATE_CHAIN_BYTES);
    char *key = secret_alloc(CERTIFICATE_KEY_BYTES);
    enum err e = ERR_MEMORY;

    if (!chain || !key)
        snprintf(why, GATE_TLS_WHY, "out of memory");
    else if ((e = choose_own(t, why)) == ERR_OK)
        e = make_in(t, bind, now_s, chain, key, why);
    secret_free(key);
    free(chain);
    return e;
}

enum err gate_tls_choose(struct gate_tls *t, const char *chain, const char *key,
                         char why[GATE_TLS_WHY])
{
    memset(t, 0, sizeof *t);
    t->on = true;
    t->own = chain == NULL;
    if (t->own)
        return choose_own(t, why);
    if (strlen(chain) >= sizeof t->chain || strlen(key) >= sizeof t->key) {
        snprintf(why, GATE_TLS_WHY, "the path of a certificate or key is too long");
        return ERR_RANGE;
    }
    strcpy(t->chain, chain);
    strcpy(t->key, key);
    return ERR_OK;
}

enum err gate_tls_renew(struct gate_tls *t, const char *bind, int64_t now_s, char why[GATE_TLS_WHY])
{
    struct gate_tls_stamp key;
    struct outbuf chain = {0};
    bool usable;

    if (!t->own)
        return ERR_OK;
    usable = read_file(t->chain, &chain, why) == ERR_OK && stamp(t->key, &key) &&
             certificate_read((struct bytes){chain.p, chain.len}, &t->until_s, t->fingerprint) ==
                 ERR_OK &&
             t->until_s - GATE_TLS_RENEW_S > now_s;
    outbuf_clear(&chain);
    return usable ? ERR_OK : make(t, bind, now_s, why);
}

/* --- to the gate ---------------------------------------------------------------------------- */

static enum err write_frame(const struct outbuf *chain, const struct outbuf *key,
                            struct outbuf *out)
{
    struct mux_tls m = {{chain->p, chain->len}, {key->p, key->len}};
    size_t body = 8 + chain->len + key->len;
    struct mux_header h = {(uint32_t)body, MUX_MSG_TLS, 0};
    uint8_t *room = outbuf_reserve(out, MUX_HEADER_BYTES + body);
    struct wbuf w;

    if (!room)
        return ERR_MEMORY;
    mux_write_header(room, &h);
    wbuf_init(&w, room + MUX_HEADER_BYTES, body);
    mux_encode_tls(&w, &m);
    out->len += MUX_HEADER_BYTES + body;
    return ERR_OK;
}

enum err gate_tls_frame(struct gate_tls *t, struct outbuf *out, char why[GATE_TLS_WHY])
{
    struct outbuf chain = {0}, key = {0};
    enum err e;

    stamp(t->chain, &t->read[0]); /* before reading: a change in between is seen next time */
    stamp(t->key, &t->read[1]);
    e = read_file(t->chain, &chain, why);
    if (e == ERR_OK)
        e = read_file(t->key, &key, why);
    if (e == ERR_OK && certificate_read((struct bytes){chain.p, chain.len}, &t->until_s,
                                        t->fingerprint) != ERR_OK) {
        snprintf(why, GATE_TLS_WHY, "%.300s holds no certificate in PEM form", t->chain);
        e = ERR_MALFORMED;
    }
    if (e == ERR_OK && (e = write_frame(&chain, &key, out)) != ERR_OK)
        snprintf(why, GATE_TLS_WHY, "out of memory");
    secret_wipe(key.p, key.cap);
    outbuf_clear(&key);
    outbuf_clear(&chain);
    return e;
}

bool gate_tls_changed(const struct gate_tls *t)
{
    struct gate_tls_stamp chain, key;

    /* A file that is missing is about to be replaced. */
    return stamp(t->chain, &chain) && stamp(t->key, &key) &&
           (!same_stamp(&chain, &t->read[0]) || !same_stamp(&key, &t->read[1]));
}
