/* Memory for secrets, randomness, and the compares and wipes that go with them.
 *
 * Everything longer-lived than one call that could open a session (static key, link secrets, record
 * keys, handshake states) lives in guarded memory: locked into RAM, left out of core files, between
 * guard pages, wiped when freed. One sodium_malloc() costs two mappings and 8 KB, so guarded memory
 * is one slab that hands out slots (secret.c). Locks do not survive fork(): allocate after the
 * process has detached. Not thread-safe, like everything here. */
#ifndef VITRINE_CRYPTO_SECRET_H
#define VITRINE_CRYPTO_SECRET_H

#include "proto/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SECRET_MAX_BYTES   4096 /* largest single allocation */
#define SECRET_ALIGN_BYTES 16

/* Starts the cryptographic library; call before anything else in crypto/, more than once is fine.
 * Returns ERR_OK or ERR_SYSTEM (no source of randomness). */
enum err secret_init(void);

/* Returns size zeroed bytes of guarded memory, aligned to SECRET_ALIGN_BYTES, or NULL when size is
 * 0 or above SECRET_MAX_BYTES or memory ran out. The caller owns it until secret_free(). */
void *secret_alloc(size_t size);

/* Wipes and gives back what secret_alloc() returned; NULL is fine. Anything else, or a second time,
 * ends the process: it is a bug of ours that must not go on. */
void secret_free(void *p);

/* True while every piece of guarded memory in use could be locked into RAM. False once one could
 * not (RLIMIT_MEMLOCK): secrets still work but might reach the swap, and `doctor` says so. */
bool secret_locked(void);

/* Overwrites n bytes at p with zeros in a way the compiler cannot leave out. */
void secret_wipe(void *p, size_t n);

/* True when the n bytes at a and b are equal; takes the same time wherever they differ. */
bool secret_equal(const void *a, const void *b, size_t n);

/* True when all n bytes at p are zero; takes the same time whatever they are. */
bool secret_is_zero(const void *p, size_t n);

/* Fills buf with n random bytes. The one place randomness comes from. */
void secret_random(void *buf, size_t n);

#ifdef VITRINE_TEST
/* Makes secret_random() call fill(buf, n, context) until it is set to NULL. Test builds only. */
void secret_test_random(void (*fill)(uint8_t *buf, size_t n, void *context), void *context);
#endif

#endif
