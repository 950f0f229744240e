/* The handshake reads as the specification does: one line per token, in the order of the pattern.
 * In PSK patterns `e` is mixed into the key as well as into the hash (section 9.2).
 *
 * Each step copies the state to `next`, works there, and finish() either commits it or leaves `now`
 * as it was; `next` is wiped both ways. Secrets go as soon as no later step needs them: psk and
 * static secret with message 1 on the reading side, everything but the hash with the split.
 *
 * Another suite brings its row in `suites` and its tokens; message layouts stay in the four steps.
 */
#include "crypto/noise.h"

#include "crypto/secret.h"
#include "crypto/symmetric.h"
#include "crypto/x25519.h"

#include <string.h>

#define E_BYTES X25519_BYTES

_Static_assert(NOISE_HASH_BYTES == SYMMETRIC_HASH_BYTES, "handshake hash");
_Static_assert(NOISE_KEY_BYTES == SYMMETRIC_KEY_BYTES, "transport keys");

enum step { STEP_START, STEP_MESSAGE_1, STEP_MESSAGE_2, STEP_SPLIT };

struct state {
    struct symmetric symmetric;
    uint8_t e_secret[E_BYTES]; /* ours */
    uint8_t re[E_BYTES];       /* theirs */
    enum step step;
};

struct noise {
    struct state now;
    struct state next; /* where a step works; all zeros between steps */
    enum noise_role role;
    uint8_t static_public[X25519_BYTES];
    uint8_t static_secret[X25519_BYTES];
    uint8_t psk[NOISE_KEY_BYTES];
};

static const struct {
    uint8_t suite;
    const char *name;
} suites[] = {
    {NOISE_SUITE_CLASSIC, "Noise_NKpsk0_25519_AESGCM_SHA256"},
};

static struct bytes run(const uint8_t *p, size_t n)
{
    return (struct bytes){p, n};
}

static const char *suite_name(uint8_t suite)
{
    for (size_t i = 0; i < sizeof suites / sizeof suites[0]; i++) {
        if (suites[i].suite == suite)
            return suites[i].name;
    }
    return NULL;
}

/* --- tokens --------------------------------------------------------------------------------- */

static enum err token_psk(struct state *s, const uint8_t *psk)
{
    return symmetric_mix_key_and_hash(&s->symmetric, run(psk, NOISE_KEY_BYTES));
}

static enum err mix_e(struct state *s, const uint8_t *e_public)
{
    enum err e = symmetric_mix_hash(&s->symmetric, run(e_public, E_BYTES));
    if (e == ERR_OK)
        e = symmetric_mix_key(&s->symmetric, run(e_public, E_BYTES));
    return e;
}

static enum err token_e_write(struct state *s, const uint8_t *ephemeral, uint8_t *out)
{
    enum err e;
    if (ephemeral != NULL) {
        memcpy(s->e_secret, ephemeral, E_BYTES);
        e = x25519_public(s->e_secret, out);
    } else {
        e = x25519_keypair(s->e_secret, out);
    }
    return e == ERR_OK ? mix_e(s, out) : e;
}

static enum err token_e_read(struct state *s, const uint8_t *in)
{
    memcpy(s->re, in, E_BYTES);
    return mix_e(s, s->re);
}

/* es and ee: which secret and which public value is what the role decides. */
static enum err token_dh(struct state *s, const uint8_t *secret, const uint8_t *public)
{
    uint8_t shared[X25519_BYTES];
    enum err e = x25519_shared(secret, public, shared);
    if (e == ERR_OK)
        e = symmetric_mix_key(&s->symmetric, run(shared, sizeof shared));
    secret_wipe(shared, sizeof shared);
    return e;
}

/* --- steps ---------------------------------------------------------------------------------- */

static enum err begin(struct noise *hs, enum noise_role role, enum step after)
{
    if (hs->role != role || hs->now.step != after)
        return ERR_STATE;
    hs->next = hs->now;
    return ERR_OK;
}

static enum err begin_write(struct noise *hs, enum noise_role role, enum step after,
                            struct bytes payload, size_t cap)
{
    if (payload.len > NOISE_MESSAGE_MAX - NOISE_OVERHEAD)
        return ERR_RANGE;
    if (cap < payload.len + NOISE_OVERHEAD)
        return ERR_SPACE;
    return begin(hs, role, after);
}

static enum err begin_read(struct noise *hs, enum noise_role role, enum step after,
                           struct bytes message, size_t cap)
{
    if (message.len < NOISE_OVERHEAD || message.len > NOISE_MESSAGE_MAX)
        return ERR_MALFORMED;
    if (cap < message.len - NOISE_OVERHEAD)
        return ERR_SPACE;
    return begin(hs, role, after);
}

/* Commits the step or forgets it, and says how many bytes it gave. */
static enum err finish(struct noise *hs, enum err e, enum step reached, size_t bytes, size_t *len)
{
    if (e == ERR_OK) {
        hs->next.step = reached;
        hs->now = hs->next;
    }
    *len = e == ERR_OK ? bytes : 0;
    secret_wipe(&hs->next, sizeof hs->next);
    return e;
}

/* psk and static secret have done their part once message 1 is committed. */
static void forget_setup(struct noise *hs)
{
    secret_wipe(hs->psk, sizeof hs->psk);
    secret_wipe(hs->static_secret, sizeof hs->static_secret);
}

enum err noise_create(struct noise **out, enum noise_role role, const struct noise_setup *setup)
{
    const char *name = suite_name(setup->suite);
    *out = NULL;
    if (name == NULL)
        return ERR_UNSUPPORTED;
    if (role == NOISE_RESPONDER && setup->static_secret == NULL)
        return ERR_STATE;
    struct noise *hs = secret_alloc(sizeof *hs);
    if (hs == NULL)
        return ERR_MEMORY;
    hs->role = role;
    memcpy(hs->static_public, setup->static_public, sizeof hs->static_public);
    if (role == NOISE_RESPONDER)
        memcpy(hs->static_secret, setup->static_secret, sizeof hs->static_secret);
    memcpy(hs->psk, setup->psk, sizeof hs->psk);

    struct symmetric *s = &hs->now.symmetric;
    enum err e = symmetric_init(s, bytes_of(name));
    if (e == ERR_OK)
        e = symmetric_mix_hash(s, setup->prologue);
    if (e == ERR_OK)
        e = symmetric_mix_hash(s, run(hs->static_public, X25519_BYTES)); /* <- s */
    if (e != ERR_OK) {
        noise_destroy(hs);
        return e;
    }
    *out = hs;
    return ERR_OK;
}

void noise_destroy(struct noise *hs)
{
    secret_free(hs); /* wipes */
}

enum err noise_initiator_write_1(struct noise *hs, const uint8_t *ephemeral, struct bytes payload,
                                 uint8_t *out, size_t cap, size_t *len)
{
    struct state *s = &hs->next;
    enum err e = begin_write(hs, NOISE_INITIATOR, STEP_START, payload, cap);
    if (e == ERR_OK)
        e = token_psk(s, hs->psk); /* psk */
    if (e == ERR_OK)
        e = token_e_write(s, ephemeral, out); /* e */
    if (e == ERR_OK)
        e = token_dh(s, s->e_secret, hs->static_public); /* es */
    if (e == ERR_OK)
        e = symmetric_encrypt_and_hash(&s->symmetric, payload, out + E_BYTES);
    e = finish(hs, e, STEP_MESSAGE_1, payload.len + NOISE_OVERHEAD, len);
    if (e == ERR_OK)
        forget_setup(hs);
    return e;
}

enum err noise_responder_read_1(struct noise *hs, struct bytes message, uint8_t *payload,
                                size_t cap, size_t *len)
{
    struct state *s = &hs->next;
    enum err e = begin_read(hs, NOISE_RESPONDER, STEP_START, message, cap);
    if (e == ERR_OK)
        e = token_psk(s, hs->psk); /* psk */
    if (e == ERR_OK)
        e = token_e_read(s, message.p); /* e */
    if (e == ERR_OK)
        e = token_dh(s, hs->static_secret, s->re); /* es */
    if (e == ERR_OK)
        e = symmetric_decrypt_and_hash(&s->symmetric,
                                       run(message.p + E_BYTES, message.len - E_BYTES), payload);
    e = finish(hs, e, STEP_MESSAGE_1, message.len - NOISE_OVERHEAD, len);
    if (e == ERR_OK)
        forget_setup(hs);
    return e;
}

enum err noise_responder_write_2(struct noise *hs, const uint8_t *ephemeral, struct bytes payload,
                                 uint8_t *out, size_t cap, size_t *len)
{
    struct state *s = &hs->next;
    enum err e = begin_write(hs, NOISE_RESPONDER, STEP_MESSAGE_1, payload, cap);
    if (e == ERR_OK)
        e = token_e_write(s, ephemeral, out); /* e */
    if (e == ERR_OK)
        e = token_dh(s, s->e_secret, s->re); /* ee */
    if (e == ERR_OK)
        e = symmetric_encrypt_and_hash(&s->symmetric, payload, out + E_BYTES);
    secret_wipe(s->e_secret, sizeof s->e_secret);
    return finish(hs, e, STEP_MESSAGE_2, payload.len + NOISE_OVERHEAD, len);
}

enum err noise_initiator_read_2(struct noise *hs, struct bytes message, uint8_t *payload,
                                size_t cap, size_t *len)
{
    struct state *s = &hs->next;
    enum err e = begin_read(hs, NOISE_INITIATOR, STEP_MESSAGE_1, message, cap);
    if (e == ERR_OK)
        e = token_e_read(s, message.p); /* e */
    if (e == ERR_OK)
        e = token_dh(s, s->e_secret, s->re); /* ee */
    if (e == ERR_OK)
        e = symmetric_decrypt_and_hash(&s->symmetric,
                                       run(message.p + E_BYTES, message.len - E_BYTES), payload);
    secret_wipe(s->e_secret, sizeof s->e_secret);
    return finish(hs, e, STEP_MESSAGE_2, message.len - NOISE_OVERHEAD, len);
}

enum err noise_split(struct noise *hs, uint8_t send[static NOISE_KEY_BYTES],
                     uint8_t receive[static NOISE_KEY_BYTES])
{
    struct symmetric *s = &hs->now.symmetric;
    if (hs->now.step != STEP_MESSAGE_2)
        return ERR_STATE;
    enum err e = hs->role == NOISE_INITIATOR ? symmetric_split(s, send, receive)
                                             : symmetric_split(s, receive, send);
    if (e != ERR_OK)
        return e;
    secret_wipe(s->ck, sizeof s->ck);
    secret_wipe(s->k, sizeof s->k);
    hs->now.step = STEP_SPLIT;
    return ERR_OK;
}

enum err noise_handshake_hash(const struct noise *hs, uint8_t hash[static NOISE_HASH_BYTES])
{
    if (hs->now.step < STEP_MESSAGE_2)
        return ERR_STATE;
    memcpy(hash, hs->now.symmetric.h, NOISE_HASH_BYTES);
    return ERR_OK;
}

enum noise_role noise_role(const struct noise *hs)
{
    return hs->role;
}

const uint8_t *noise_message_ephemeral(struct bytes message)
{
    return message.len >= NOISE_OVERHEAD ? message.p : NULL;
}
