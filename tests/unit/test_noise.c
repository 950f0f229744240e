/* The handshake against published vectors, against itself, and against every single change. */
#include "crypto/noise.h"

#include "crypto/aead.h"
#include "crypto/kdf.h"
#include "crypto/link_keys.h"
#include "crypto/secret.h"
#include "crypto/symmetric.h"
#include "crypto/x25519.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/unit/vectors.h"

#define ROOM 256

static int setup(void **state)
{
    (void)state;
    return secret_init();
}

/* --- published vectors ---------------------------------------------------------------------- */

struct pair {
    struct noise *initiator, *responder;
};

static void value_name(char out[static 24], const char *what, size_t i)
{
    snprintf(out, 24, "%s_%zu", what, i);
}

static struct bytes numbered(const struct vectors *v, const char *what, size_t i)
{
    char name[24];
    value_name(name, what, i);
    return vectors_get(v, name);
}

static void start(const struct vectors *v, struct pair *p)
{
    uint8_t public[NOISE_KEY_BYTES];
    struct noise_setup s = {.suite = NOISE_SUITE_CLASSIC, .static_public = public};
    s.static_secret = vectors_fixed(v, "static_secret", 32);
    s.psk = vectors_fixed(v, "psk", 32);
    if (vectors_has(v, "prologue"))
        s.prologue = vectors_get(v, "prologue");
    assert_int_equal(x25519_public(s.static_secret, public), ERR_OK);
    if (vectors_has(v, "static_public"))
        assert_bytes(public, sizeof public, vectors_get(v, "static_public"));
    assert_int_equal(noise_create(&p->responder, NOISE_RESPONDER, &s), ERR_OK);
    s.static_secret = NULL;
    assert_int_equal(noise_create(&p->initiator, NOISE_INITIATOR, &s), ERR_OK);
}

static void check_handshake(const struct vectors *v, const struct pair *p)
{
    const uint8_t *e1 = vectors_fixed(v, "initiator_ephemeral", 32);
    const uint8_t *e2 = vectors_fixed(v, "responder_ephemeral", 32);
    struct bytes payload[2] = {vectors_get(v, "payload_0"), vectors_get(v, "payload_1")};
    uint8_t m[ROOM], out[ROOM];
    size_t len, got;
    assert_int_equal(noise_initiator_write_1(p->initiator, e1, payload[0], m, sizeof m, &len),
                     ERR_OK);
    assert_bytes(m, len, vectors_get(v, "ciphertext_0"));
    struct bytes message = {m, len};
    assert_int_equal(noise_responder_read_1(p->responder, message, out, sizeof out, &got), ERR_OK);
    assert_bytes(out, got, payload[0]);
    assert_int_equal(noise_responder_write_2(p->responder, e2, payload[1], m, sizeof m, &len),
                     ERR_OK);
    assert_bytes(m, len, vectors_get(v, "ciphertext_1"));
    message.len = len;
    assert_int_equal(noise_initiator_read_2(p->initiator, message, out, sizeof out, &got), ERR_OK);
    assert_bytes(out, got, payload[1]);
}

/* h after message 2 from the published h after message 1: MixHash(e), MixHash(the rest). */
static void hash_from_published(const struct vectors *v, uint8_t h[static NOISE_HASH_BYTES])
{
    struct bytes m2 = vectors_get(v, "ciphertext_1");
    struct bytes e = {m2.p, 32}, rest = {m2.p + 32, m2.len - 32};
    assert_int_equal(kdf_hash(vectors_get(v, "message_1_hash"), e, h), ERR_OK);
    assert_int_equal(kdf_hash((struct bytes){h, NOISE_HASH_BYTES}, rest, h), ERR_OK);
}

static void check_hash(const struct vectors *v, const struct pair *p)
{
    uint8_t a[NOISE_HASH_BYTES], b[NOISE_HASH_BYTES];
    assert_int_equal(noise_handshake_hash(p->initiator, a), ERR_OK);
    assert_int_equal(noise_handshake_hash(p->responder, b), ERR_OK);
    assert_memory_equal(a, b, sizeof a);
    if (vectors_has(v, "message_1_hash")) {
        assert_bytes(a, sizeof a, vectors_get(v, "handshake_hash"));
        hash_from_published(v, b);
        assert_memory_equal(a, b, sizeof a);
    }
}

/* The published transport messages, with the keys each side got. */
static size_t check_transport(const struct vectors *v, const struct pair *p)
{
    uint8_t keys[2][2][NOISE_KEY_BYTES]; /* [initiator, responder][send, receive] */
    size_t i = 2;
    assert_int_equal(noise_split(p->initiator, keys[0][0], keys[0][1]), ERR_OK);
    assert_int_equal(noise_split(p->responder, keys[1][0], keys[1][1]), ERR_OK);
    for (;; i++) {
        char name[24];
        struct aead_key send = {.ready = false}, receive = {.ready = false};
        uint8_t out[ROOM];
        value_name(name, "payload", i);
        if (!vectors_has(v, name))
            return i - 2;
        struct bytes plain = vectors_get(v, name), sealed = numbered(v, "ciphertext", i);
        assert_int_equal(aead_key_init(&send, keys[i % 2][0]), ERR_OK);
        assert_int_equal(aead_key_init(&receive, keys[(i + 1) % 2][1]), ERR_OK);
        assert_int_equal(aead_seal(&send, i / 2 - 1, bytes_of(""), plain, out), ERR_OK);
        assert_bytes(out, plain.len + AEAD_TAG_BYTES, sealed);
        assert_int_equal(aead_open(&receive, i / 2 - 1, bytes_of(""), sealed, out), ERR_OK);
        assert_bytes(out, plain.len, plain);
        aead_key_clear(&send);
        aead_key_clear(&receive);
    }
}

static void check_all_vectors(void)
{
    struct vectors v;
    size_t tried = 0, transported = 0;
    vectors_open(&v, "noise_nkpsk0.txt");
    for (; vectors_next(&v); tried++) {
        struct pair p;
        start(&v, &p);
        check_handshake(&v, &p);
        check_hash(&v, &p);
        transported += check_transport(&v, &p);
        check_hash(&v, &p); /* still known after the split */
        noise_destroy(p.initiator);
        noise_destroy(p.responder);
    }
    vectors_close(&v);
    assert_int_equal(tried, 5);
    assert_int_equal(transported, 4 * 2 + 4);
}

static void test_published_vectors(void **state)
{
    enum aead_backend before = aead_backend();
    (void)state;
    for (int b = AEAD_SODIUM; b <= AEAD_MBEDTLS; b++) {
        if (aead_choose((enum aead_backend)b) == ERR_OK)
            check_all_vectors();
    }
    assert_int_equal(aead_choose(before), ERR_OK);
}

/* --- a link of our own ---------------------------------------------------------------------- */

/* One daemon, one link, as the product uses the handshake: 4-byte and 5-byte payloads. */
struct world {
    uint8_t static_secret[32], static_public[32], psk[32];
    uint8_t prologue[LINK_PROLOGUE_BYTES];
    struct noise *initiator, *responder;
    uint8_t m1[4 + NOISE_OVERHEAD], m2[5 + NOISE_OVERHEAD];
};

static struct noise_setup world_setup(const struct world *w)
{
    return (struct noise_setup){.suite = NOISE_SUITE_CLASSIC,
                                .prologue = {w->prologue, sizeof w->prologue},
                                .static_public = w->static_public,
                                .static_secret = w->static_secret,
                                .psk = w->psk};
}

static struct noise *new_responder(const struct world *w)
{
    struct noise_setup s = world_setup(w);
    struct noise *hs;
    assert_int_equal(noise_create(&hs, NOISE_RESPONDER, &s), ERR_OK);
    return hs;
}

static void world_start(struct world *w)
{
    uint8_t secret[LINK_SECRET_BYTES], id[LINK_ID_BYTES];
    size_t len;
    secret_random(secret, sizeof secret);
    assert_int_equal(x25519_keypair(w->static_secret, w->static_public), ERR_OK);
    assert_int_equal(link_keys_psk(secret, w->psk), ERR_OK);
    assert_int_equal(link_keys_id(secret, id), ERR_OK);
    link_keys_prologue(id, w->prologue);
    struct noise_setup s = world_setup(w);
    assert_int_equal(noise_create(&w->initiator, NOISE_INITIATOR, &s), ERR_OK);
    w->responder = new_responder(w);
    assert_int_equal(noise_initiator_write_1(w->initiator, NULL,
                                             (struct bytes){(const uint8_t *)"\0\0\0\0", 4}, w->m1,
                                             sizeof w->m1, &len),
                     ERR_OK);
    assert_int_equal(len, sizeof w->m1);
}

static void world_answer(struct world *w)
{
    uint8_t payload[4];
    size_t len;
    struct bytes m1 = {w->m1, sizeof w->m1};
    assert_int_equal(noise_responder_read_1(w->responder, m1, payload, sizeof payload, &len),
                     ERR_OK);
    assert_int_equal(len, 4);
    assert_int_equal(noise_responder_write_2(w->responder, NULL,
                                             (struct bytes){(const uint8_t *)"\0\0\0\0\3", 5},
                                             w->m2, sizeof w->m2, &len),
                     ERR_OK);
    assert_int_equal(len, sizeof w->m2);
}

static void world_stop(struct world *w)
{
    noise_destroy(w->initiator);
    noise_destroy(w->responder);
}

static enum err read_1(struct noise *hs, const uint8_t *m, size_t n)
{
    uint8_t out[ROOM];
    size_t len = 99;
    enum err e = noise_responder_read_1(hs, (struct bytes){m, n}, out, sizeof out, &len);
    if (e != ERR_OK && e != ERR_STATE && n >= NOISE_OVERHEAD)
        assert_int_equal(len, 0);
    return e;
}

static enum err read_2(struct noise *hs, const uint8_t *m, size_t n)
{
    uint8_t out[ROOM];
    size_t len;
    return noise_initiator_read_2(hs, (struct bytes){m, n}, out, sizeof out, &len);
}

/* Both sides must end with crossed keys and one hash. */
static void assert_connected(const struct world *w)
{
    uint8_t k[4][32], h[2][32];
    assert_int_equal(noise_handshake_hash(w->initiator, h[0]), ERR_OK);
    assert_int_equal(noise_handshake_hash(w->responder, h[1]), ERR_OK);
    assert_memory_equal(h[0], h[1], 32);
    assert_int_equal(noise_split(w->initiator, k[0], k[1]), ERR_OK);
    assert_int_equal(noise_split(w->responder, k[2], k[3]), ERR_OK);
    assert_memory_equal(k[0], k[3], 32);
    assert_memory_equal(k[1], k[2], 32);
    assert_memory_not_equal(k[0], k[1], 32);
}

/* Every bit flip, truncation and extension of message 1 is refused, and none of them keeps the real
 * one from being read afterwards by the same handshake: failed steps commit nothing. */
static void test_message_1_changes(void **state)
{
    struct world w;
    uint8_t longer[sizeof w.m1 + 1] = {0};
    (void)state;
    world_start(&w);
    for (size_t bit = 0; bit < sizeof w.m1 * 8; bit++) {
        /* Bit 255 of a public value is ignored by X25519, but the transcript hash has it. */
        w.m1[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_equal(read_1(w.responder, w.m1, sizeof w.m1), ERR_AUTH);
        w.m1[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (size_t n = 0; n < sizeof w.m1; n++)
        assert_int_equal(read_1(w.responder, w.m1, n),
                         n < NOISE_OVERHEAD ? ERR_MALFORMED : ERR_AUTH);
    memcpy(longer, w.m1, sizeof w.m1);
    assert_int_equal(read_1(w.responder, longer, sizeof longer), ERR_AUTH);
    world_answer(&w);
    assert_int_equal(read_2(w.initiator, w.m2, sizeof w.m2), ERR_OK);
    assert_connected(&w);
    world_stop(&w);
}

static void test_message_2_changes(void **state)
{
    struct world w;
    (void)state;
    world_start(&w);
    world_answer(&w);
    for (size_t bit = 0; bit < sizeof w.m2 * 8; bit++) {
        w.m2[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_equal(read_2(w.initiator, w.m2, sizeof w.m2), ERR_AUTH);
        w.m2[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    for (size_t n = 0; n < sizeof w.m2; n++)
        assert_int_equal(read_2(w.initiator, w.m2, n),
                         n < NOISE_OVERHEAD ? ERR_MALFORMED : ERR_AUTH);
    assert_int_equal(read_2(w.initiator, w.m2, sizeof w.m2), ERR_OK);
    assert_connected(&w);
    world_stop(&w);
}

/* A single bit of psk, static key or prologue that differs between the sides refuses message 1. */
static void test_setup_must_agree(void **state)
{
    struct world w;
    (void)state;
    world_start(&w);
    struct {
        uint8_t *p;
        size_t n;
    } parts[] = {{w.psk, 32}, {w.static_public, 32}, {w.prologue, sizeof w.prologue}};
    for (size_t i = 0; i < 3; i++) {
        for (size_t bit = 0; bit < parts[i].n * 8; bit += 5) {
            parts[i].p[bit / 8] ^= (uint8_t)(1 << bit % 8);
            struct noise *hs = new_responder(&w);
            assert_int_equal(read_1(hs, w.m1, sizeof w.m1), ERR_AUTH);
            noise_destroy(hs);
            parts[i].p[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
    }
    /* Another static secret with the right public key: es differs. */
    w.static_secret[3] ^= 1;
    struct noise *hs = new_responder(&w);
    assert_int_equal(read_1(hs, w.m1, sizeof w.m1), ERR_AUTH);
    noise_destroy(hs);
    assert_int_equal(read_1(w.responder, w.m1, sizeof w.m1), ERR_OK);
    world_stop(&w);
}

/* Small-order points are refused wherever a peer could put one. */
static void test_small_order(void **state)
{
    struct vectors v;
    struct world w;
    size_t tried = 0;
    (void)state;
    world_start(&w);
    vectors_open(&v, "x25519_low_order.txt");
    for (; vectors_next(&v); tried++) {
        const uint8_t *u = vectors_fixed(&v, "u", 32);
        uint8_t m[sizeof w.m1];
        size_t len;
        memcpy(m, w.m1, sizeof m);
        memcpy(m, u, 32);
        assert_int_equal(read_1(w.responder, m, sizeof m), ERR_AUTH);
        /* A link with such a daemon key: the viewer refuses before it says anything. */
        struct noise_setup s = world_setup(&w);
        struct noise *hs;
        s.static_public = u;
        assert_int_equal(noise_create(&hs, NOISE_INITIATOR, &s), ERR_OK);
        assert_int_equal(noise_initiator_write_1(hs, NULL, bytes_of(""), m, sizeof m, &len),
                         ERR_AUTH);
        assert_int_equal(len, 0);
        noise_destroy(hs);
    }
    assert_int_equal(tried, 14);
    vectors_close(&v);
    world_stop(&w);
}

/* The daemon's symmetric state after message 1, built from its parts. */
static void symmetric_after_message_1(const struct world *w, struct symmetric *s)
{
    uint8_t es[32], payload[4];
    struct bytes e = {w->m1, 32}, rest = {w->m1 + 32, sizeof w->m1 - 32};
    assert_int_equal(x25519_shared(w->static_secret, w->m1, es), ERR_OK);
    assert_int_equal(symmetric_init(s, bytes_of("Noise_NKpsk0_25519_AESGCM_SHA256")), ERR_OK);
    assert_int_equal(symmetric_mix_hash(s, (struct bytes){w->prologue, sizeof w->prologue}),
                     ERR_OK);
    assert_int_equal(symmetric_mix_hash(s, (struct bytes){w->static_public, 32}), ERR_OK);
    assert_int_equal(symmetric_mix_key_and_hash(s, (struct bytes){w->psk, 32}), ERR_OK);
    assert_int_equal(symmetric_mix_hash(s, e), ERR_OK);
    assert_int_equal(symmetric_mix_key(s, e), ERR_OK);
    assert_int_equal(symmetric_mix_key(s, (struct bytes){es, 32}), ERR_OK);
    assert_int_equal(symmetric_decrypt_and_hash(s, rest, payload), ERR_OK);
}

/* A daemon that knows every secret and answers with a small-order e: the message is made as the
 * specification makes it, with ee all zeros, so that its tag is right. Only the zero check refuses
 * it: with that missing, the viewer would accept. */
static void test_small_order_in_message_2(void **state)
{
    static const uint8_t zeros[32];
    struct vectors v;
    (void)state;
    vectors_open(&v, "x25519_low_order.txt");
    while (vectors_next(&v)) {
        struct bytes u = {vectors_fixed(&v, "u", 32), 32};
        struct world w;
        struct symmetric s;
        world_start(&w);
        symmetric_after_message_1(&w, &s);
        memcpy(w.m2, u.p, u.len);
        assert_int_equal(symmetric_mix_hash(&s, u), ERR_OK);
        assert_int_equal(symmetric_mix_key(&s, u), ERR_OK);
        assert_int_equal(symmetric_mix_key(&s, (struct bytes){zeros, sizeof zeros}), ERR_OK);
        assert_int_equal(symmetric_encrypt_and_hash(&s, (struct bytes){zeros, 5}, w.m2 + 32),
                         ERR_OK);
        assert_int_equal(read_2(w.initiator, w.m2, sizeof w.m2), ERR_AUTH);
        world_stop(&w);
    }
    vectors_close(&v);
}

/* The same answer with an honest e is accepted, so what was built above is what the viewer takes.
 */
static void test_answer_built_by_hand(void **state)
{
    struct world w;
    struct symmetric s;
    uint8_t secret[32], e[32], ee[32];
    (void)state;
    world_start(&w);
    symmetric_after_message_1(&w, &s);
    assert_int_equal(x25519_keypair(secret, e), ERR_OK);
    assert_int_equal(x25519_shared(secret, w.m1, ee), ERR_OK);
    memcpy(w.m2, e, sizeof e);
    assert_int_equal(symmetric_mix_hash(&s, (struct bytes){e, 32}), ERR_OK);
    assert_int_equal(symmetric_mix_key(&s, (struct bytes){e, 32}), ERR_OK);
    assert_int_equal(symmetric_mix_key(&s, (struct bytes){ee, 32}), ERR_OK);
    assert_int_equal(symmetric_encrypt_and_hash(&s, (struct bytes){e, 5}, w.m2 + 32), ERR_OK);
    assert_int_equal(read_2(w.initiator, w.m2, sizeof w.m2), ERR_OK);
    world_stop(&w);
}

/* Every call at every moment it is not due. */
static void test_order(void **state)
{
    struct world w;
    uint8_t k[2][32], h[32], m[ROOM];
    size_t len;
    (void)state;
    world_start(&w);
    assert_int_equal(noise_role(w.initiator), NOISE_INITIATOR);
    assert_int_equal(noise_role(w.responder), NOISE_RESPONDER);
    assert_int_equal(noise_responder_write_2(w.responder, NULL, bytes_of(""), m, sizeof m, &len),
                     ERR_STATE);
    assert_int_equal(noise_split(w.responder, k[0], k[1]), ERR_STATE);
    assert_int_equal(noise_handshake_hash(w.responder, h), ERR_STATE);
    assert_int_equal(noise_initiator_write_1(w.initiator, NULL, bytes_of(""), m, sizeof m, &len),
                     ERR_STATE);
    assert_int_equal(read_1(w.initiator, w.m1, sizeof w.m1), ERR_STATE);
    assert_int_equal(noise_split(w.initiator, k[0], k[1]), ERR_STATE);
    world_answer(&w);
    assert_int_equal(read_1(w.responder, w.m1, sizeof w.m1), ERR_STATE);
    assert_int_equal(noise_responder_write_2(w.responder, NULL, bytes_of(""), m, sizeof m, &len),
                     ERR_STATE);
    assert_int_equal(read_2(w.responder, w.m2, sizeof w.m2), ERR_STATE);
    assert_int_equal(read_2(w.initiator, w.m2, sizeof w.m2), ERR_OK);
    assert_int_equal(read_2(w.initiator, w.m2, sizeof w.m2), ERR_STATE);
    assert_connected(&w);
    assert_int_equal(noise_split(w.responder, k[0], k[1]), ERR_STATE);
    assert_int_equal(noise_split(w.initiator, k[0], k[1]), ERR_STATE);
    world_stop(&w);
}

static void test_limits(void **state)
{
    static uint8_t big[NOISE_MESSAGE_MAX + 1], out[NOISE_MESSAGE_MAX + 1];
    const size_t most = NOISE_MESSAGE_MAX - NOISE_OVERHEAD;
    struct world w;
    size_t len;
    (void)state;
    world_start(&w);
    struct noise_setup s = world_setup(&w);
    struct noise *hs;
    assert_int_equal(noise_create(&hs, NOISE_INITIATOR, &s), ERR_OK);
    struct bytes p = {big, most};
    assert_int_equal(noise_initiator_write_1(hs, NULL, p, out, NOISE_MESSAGE_MAX - 1, &len),
                     ERR_SPACE);
    p.len = most + 1;
    assert_int_equal(noise_initiator_write_1(hs, NULL, p, out, sizeof out, &len), ERR_RANGE);
    p.len = most;
    assert_int_equal(noise_initiator_write_1(hs, NULL, p, out, NOISE_MESSAGE_MAX, &len), ERR_OK);
    assert_int_equal(len, NOISE_MESSAGE_MAX);
    struct bytes m = {out, len};
    assert_int_equal(noise_responder_read_1(w.responder, m, big, most - 1, &len), ERR_SPACE);
    m.len = NOISE_MESSAGE_MAX + 1;
    assert_int_equal(noise_responder_read_1(w.responder, m, big, sizeof big, &len), ERR_MALFORMED);
    m.len = NOISE_MESSAGE_MAX;
    assert_int_equal(noise_responder_read_1(w.responder, m, big, most, &len), ERR_OK);
    assert_int_equal(len, most);
    noise_destroy(hs);
    world_stop(&w);
}

static void test_create(void **state)
{
    struct world w;
    struct noise *hs;
    (void)state;
    world_start(&w);
    struct noise_setup s = world_setup(&w);
    s.suite = 0x02;
    assert_int_equal(noise_create(&hs, NOISE_RESPONDER, &s), ERR_UNSUPPORTED);
    assert_null(hs);
    s.suite = 0;
    assert_int_equal(noise_create(&hs, NOISE_INITIATOR, &s), ERR_UNSUPPORTED);
    s = world_setup(&w);
    s.static_secret = NULL;
    assert_int_equal(noise_create(&hs, NOISE_RESPONDER, &s), ERR_STATE);
    assert_null(hs);
    noise_destroy(NULL);
    world_stop(&w);
}

/* How often n bytes at what stand in the handshake's own memory, a slot of 512 bytes. */
static size_t held(const struct noise *hs, const uint8_t *what, size_t n)
{
    const uint8_t *at = (const uint8_t *)hs;
    size_t found = 0;
    for (size_t i = 0; i + n <= 512; i++)
        found += memcmp(at + i, what, n) == 0;
    return found;
}

/* Each secret is in the state exactly as long as a later step needs it, and never twice. */
static void test_secrets_are_forgotten(void **state)
{
    uint8_t e1[32], e2[32];
    uint8_t k[2][32], out[8];
    struct world w;
    struct noise *hs;
    size_t len;
    (void)state;
    memset(e1, 11, sizeof e1); /* nothing that zeroed memory could look like */
    memset(e2, 22, sizeof e2);
    world_start(&w);
    struct noise_setup s = world_setup(&w);
    assert_int_equal(noise_create(&hs, NOISE_INITIATOR, &s), ERR_OK);
    assert_int_equal(held(hs, w.psk, 32), 1);
    assert_int_equal(held(hs, w.static_secret, 32), 0); /* not an initiator's business */
    assert_int_equal(noise_initiator_write_1(hs, e1, bytes_of(""), w.m1, sizeof w.m1, &len),
                     ERR_OK);
    assert_int_equal(held(hs, w.psk, 32), 0);
    assert_int_equal(held(hs, e1, 32), 1);

    assert_int_equal(held(w.responder, w.psk, 32), 1);
    assert_int_equal(held(w.responder, w.static_secret, 32), 1);
    struct bytes m = {w.m1, len};
    assert_int_equal(noise_responder_read_1(w.responder, m, out, sizeof out, &len), ERR_OK);
    assert_int_equal(held(w.responder, w.psk, 32), 0);
    assert_int_equal(held(w.responder, w.static_secret, 32), 0);
    assert_int_equal(
        noise_responder_write_2(w.responder, e2, bytes_of(""), w.m2, sizeof w.m2, &len), ERR_OK);
    assert_int_equal(held(w.responder, e2, 32), 0);
    m = (struct bytes){w.m2, len};
    assert_int_equal(noise_initiator_read_2(hs, m, out, sizeof out, &len), ERR_OK);
    assert_int_equal(held(hs, e1, 32), 0);

    assert_int_equal(noise_split(hs, k[0], k[1]), ERR_OK);
    noise_destroy(hs);
    world_stop(&w);
}

static void test_ephemerals(void **state)
{
    struct world a, b;
    (void)state;
    world_start(&a);
    world_start(&b);
    const uint8_t *e = noise_message_ephemeral((struct bytes){a.m1, sizeof a.m1});
    assert_ptr_equal(e, a.m1);
    assert_memory_not_equal(e, b.m1, 32);
    assert_null(noise_message_ephemeral((struct bytes){a.m1, NOISE_OVERHEAD - 1}));
    assert_null(noise_message_ephemeral((struct bytes){NULL, 0}));
    world_stop(&a);
    world_stop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_vectors),
        cmocka_unit_test(test_message_1_changes),
        cmocka_unit_test(test_message_2_changes),
        cmocka_unit_test(test_setup_must_agree),
        cmocka_unit_test(test_small_order),
        cmocka_unit_test(test_small_order_in_message_2),
        cmocka_unit_test(test_answer_built_by_hand),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_create),
        cmocka_unit_test(test_ephemerals),
        cmocka_unit_test(test_secrets_are_forgotten),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
