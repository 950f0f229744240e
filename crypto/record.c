/* Two directions, each a key, its expansion and the number of its next record.
 *
 * A direction is alive or dead. It dies, and its key is wiped, when a record does not open, when
 * its counter is used up, or when a rekey fails; a record that was sealed before that is still
 * good. */
#include "crypto/record.h"

#include "crypto/aead.h"
#include "crypto/secret.h"
#include "proto/viewer_msg.h"

#include <string.h>

_Static_assert(RECORD_TAG_BYTES == AEAD_TAG_BYTES, "tag");
_Static_assert(NOISE_KEY_BYTES == AEAD_KEY_BYTES, "key");
_Static_assert(RECORD_MAX_BYTES == VIEWER_RECORD_MAX_BYTES, "limit of a record");
_Static_assert(RECORD_BODY_MAX_BYTES == VIEWER_BODY_MAX_BYTES, "limit of a body");
_Static_assert(RECORD_MORE == VIEWER_TYPE_MORE, "bit that says more");

#define REKEY_NUMBER UINT64_MAX /* Noise keeps it for REKEY; no record has it */

struct direction {
    struct aead_key key; /* cleared when dead */
    uint8_t bytes[AEAD_KEY_BYTES];
    uint64_t number; /* of the next record */
};

struct record {
    struct direction send;
    struct direction receive;
    enum record_side side;
};

static const struct bytes none = {(const uint8_t *)"", 0};

static void direction_kill(struct direction *d)
{
    aead_key_clear(&d->key);
    secret_wipe(d->bytes, sizeof d->bytes);
}

/* k = REKEY(k): the first 32 bytes of ENCRYPT(k, 2^64-1, "", 32 zeros) (Noise, section 4.2). */
static enum err direction_rekey(struct direction *d)
{
    static const uint8_t zeros[AEAD_KEY_BYTES];
    uint8_t sealed[AEAD_KEY_BYTES + AEAD_TAG_BYTES];
    enum err e =
        aead_seal(&d->key, REKEY_NUMBER, none, (struct bytes){zeros, sizeof zeros}, sealed);
    aead_key_clear(&d->key);
    memcpy(d->bytes, sealed, sizeof d->bytes);
    if (e == ERR_OK)
        e = aead_key_init(&d->key, d->bytes);
    if (e != ERR_OK)
        direction_kill(d);
    secret_wipe(sealed, sizeof sealed);
    return e;
}

static enum err direction_usable(const struct direction *d)
{
    if (!d->key.ready)
        return ERR_STATE;
    return d->number == REKEY_NUMBER ? ERR_EXHAUSTED : ERR_OK;
}

/* Steps to the next number. A rekey that fails shows at the next record. */
static void direction_advance(struct direction *d)
{
    d->number++;
    if (d->number % RECORD_REKEY_RECORDS == 0)
        (void)direction_rekey(d);
}

/* --- life ----------------------------------------------------------------------------------- */

/* Expands the keys that stand in r; on failure frees it. */
static enum err record_start(struct record **out, struct record *r)
{
    enum err e = aead_key_init(&r->send.key, r->send.bytes);
    if (e == ERR_OK)
        e = aead_key_init(&r->receive.key, r->receive.bytes);
    if (e != ERR_OK) {
        record_destroy(r);
        r = NULL;
    }
    *out = r;
    return e;
}

enum err record_create(struct record **out, struct noise *hs)
{
    struct record *r = secret_alloc(sizeof *r);
    *out = NULL;
    if (r == NULL)
        return ERR_MEMORY;
    r->side = noise_role(hs) == NOISE_RESPONDER ? RECORD_DAEMON : RECORD_VIEWER;
    enum err e = noise_split(hs, r->send.bytes, r->receive.bytes);
    if (e != ERR_OK) {
        record_destroy(r);
        return e;
    }
    return record_start(out, r);
}

enum err record_create_keys(struct record **out, enum record_side side,
                            const uint8_t send[static NOISE_KEY_BYTES],
                            const uint8_t receive[static NOISE_KEY_BYTES])
{
    struct record *r = secret_alloc(sizeof *r);
    *out = NULL;
    if (r == NULL)
        return ERR_MEMORY;
    r->side = side;
    memcpy(r->send.bytes, send, sizeof r->send.bytes);
    memcpy(r->receive.bytes, receive, sizeof r->receive.bytes);
    return record_start(out, r);
}

void record_destroy(struct record *r)
{
    if (r == NULL)
        return;
    direction_kill(&r->send);
    direction_kill(&r->receive);
    secret_free(r);
}

/* --- sealing -------------------------------------------------------------------------------- */

static size_t plain_bytes(const struct record *r, size_t body_bytes)
{
    size_t n = RECORD_HEAD_BYTES + body_bytes;
    if (r->side == RECORD_VIEWER || body_bytes <= RECORD_PAD_BODY_MAX)
        n = (n + RECORD_PAD_BYTES - 1) / RECORD_PAD_BYTES * RECORD_PAD_BYTES;
    return n;
}

size_t record_sealed_bytes(const struct record *r, size_t body_bytes)
{
    if (body_bytes > RECORD_BODY_MAX_BYTES)
        return 0;
    size_t n = plain_bytes(r, body_bytes);
    return n <= RECORD_PLAIN_MAX_BYTES ? n + RECORD_TAG_BYTES : 0;
}

static enum err check_seal(const struct record *r, uint8_t type, size_t body_bytes, size_t cap)
{
    size_t sealed = record_sealed_bytes(r, body_bytes);
    if ((type & RECORD_MORE) != 0 || sealed == 0)
        return ERR_RANGE;
    return cap < sealed ? ERR_SPACE : ERR_OK;
}

enum err record_seal(struct record *r, uint8_t type, bool more, uint8_t *buf, size_t cap,
                     size_t body_bytes, size_t *len)
{
    *len = 0;
    enum err e = check_seal(r, type, body_bytes, cap);
    if (e == ERR_OK)
        e = direction_usable(&r->send);
    if (e != ERR_OK)
        return e;
    size_t plain = plain_bytes(r, body_bytes);
    size_t used = RECORD_HEAD_BYTES + body_bytes;
    buf[0] = (uint8_t)(type | (more ? RECORD_MORE : 0));
    buf[1] = (uint8_t)(body_bytes >> 8);
    buf[2] = (uint8_t)body_bytes;
    memset(buf + used, 0, plain - used);
    e = aead_seal(&r->send.key, r->send.number, none, (struct bytes){buf, plain}, buf);
    if (e != ERR_OK)
        return e;
    direction_advance(&r->send);
    *len = plain + RECORD_TAG_BYTES;
    return ERR_OK;
}

enum err record_seal_pieces(struct record *r, uint8_t type, bool more, const struct bytes *pieces,
                            size_t count, uint8_t *buf, size_t cap, size_t *len)
{
    size_t body = 0;
    *len = 0;
    for (size_t i = 0; i < count; i++) {
        if (pieces[i].len > RECORD_BODY_MAX_BYTES - body)
            return ERR_RANGE;
        body += pieces[i].len;
    }
    enum err e = check_seal(r, type, body, cap);
    if (e != ERR_OK)
        return e;
    struct wbuf w;
    wbuf_init(&w, buf + RECORD_HEAD_BYTES, body);
    for (size_t i = 0; i < count; i++)
        wbuf_put(&w, pieces[i].p, pieces[i].len);
    return record_seal(r, type, more, buf, cap, body, len);
}

/* --- opening -------------------------------------------------------------------------------- */

static bool all_zero(struct bytes b)
{
    uint8_t any = 0;
    for (size_t i = 0; i < b.len; i++)
        any |= b.p[i];
    return any == 0;
}

static enum err part_read(struct bytes plain, struct record_part *part)
{
    struct rbuf r;
    rbuf_init(&r, plain.p, plain.len);
    uint8_t head = rbuf_u8(&r);
    struct bytes body = rbuf_take(&r, rbuf_u16(&r));
    struct bytes padding = rbuf_rest(&r);
    if (!rbuf_done(&r) || !all_zero(padding))
        return ERR_MALFORMED;
    part->type = head & (uint8_t)~RECORD_MORE;
    part->more = (head & RECORD_MORE) != 0;
    part->body = body;
    return ERR_OK;
}

enum err record_open(struct record *r, uint8_t *buf, size_t len, struct record_part *part)
{
    struct direction *d = &r->receive;
    memset(part, 0, sizeof *part);
    enum err e = direction_usable(d);
    if (e == ERR_OK && (len < RECORD_HEAD_BYTES + RECORD_TAG_BYTES || len > RECORD_MAX_BYTES))
        e = ERR_MALFORMED;
    if (e == ERR_OK)
        e = aead_open(&d->key, d->number, none, (struct bytes){buf, len}, buf);
    if (e == ERR_OK)
        e = part_read((struct bytes){buf, len - RECORD_TAG_BYTES}, part);
    if (e == ERR_OK) {
        direction_advance(d);
    } else {
        direction_kill(d);
        secret_wipe(buf, len);
    }
    return e;
}

#ifdef VITRINE_TEST
void record_test_number(struct record *r, uint64_t send, uint64_t receive)
{
    r->send.number = send;
    r->receive.number = receive;
}
#endif
