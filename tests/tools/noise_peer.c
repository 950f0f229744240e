/* One end of the sealed channel, driven line by line: for tests against other implementations.
 *
 * Reads one command per line from stdin and answers with one line, values in hex ("-" is an empty
 * one): `ok [value…]` or `err <reason>`. A handshake, then records or bare transport keys:
 *
 *     init responder PROLOGUE PSK STATIC_SECRET      init initiator PROLOGUE PSK STATIC_PUBLIC
 *     write PAYLOAD [EPHEMERAL]   → ok MESSAGE       the message due on this side
 *     read MESSAGE                → ok PAYLOAD
 *     hash                        → ok HANDSHAKE_HASH
 *     split                       → ok SEND_KEY RECEIVE_KEY    or, instead of it:
 *     records                     → ok
 *     seal TYPE MORE BODY         → ok RECORD        TYPE and MORE are one byte each
 *     open RECORD                 → ok TYPE MORE BODY
 *     backend native|portable     → ok               which AES new keys get */
#include "crypto/aead.h"
#include "crypto/noise.h"
#include "crypto/record.h"
#include "crypto/secret.h"
#include "crypto/x25519.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGS_MAX  5
#define VALUE_MAX ((size_t)65536)

struct value {
    uint8_t bytes[VALUE_MAX];
    size_t len;
};

struct peer {
    struct noise *noise;
    struct record *record;
    const char *words[ARGS_MAX];
    size_t count;
    struct value args[ARGS_MAX]; /* hex words decoded */
    struct value out[3];
    size_t outs;
};

static int nibble(char c)
{
    const char *digits = "0123456789abcdef", *at = strchr(digits, c);
    return at != NULL && c != '\0' ? (int)(at - digits) : -1;
}

static enum err from_hex(const char *hex, struct value *v)
{
    size_t n = strlen(hex);
    v->len = 0;
    if (strcmp(hex, "-") == 0)
        return ERR_OK;
    if (n % 2 != 0 || n / 2 > VALUE_MAX)
        return ERR_MALFORMED;
    for (size_t i = 0; i < n / 2; i++) {
        int high = nibble(hex[2 * i]), low = nibble(hex[2 * i + 1]);
        if (high < 0 || low < 0)
            return ERR_MALFORMED;
        v->bytes[v->len++] = (uint8_t)(high << 4 | low);
    }
    return ERR_OK;
}

static struct bytes arg(const struct peer *p, size_t i)
{
    return (struct bytes){p->args[i].bytes, p->args[i].len};
}

static enum err need(const struct peer *p, size_t i, size_t len)
{
    return i < p->count && p->args[i].len == len ? ERR_OK : ERR_MALFORMED;
}

static enum err do_init(struct peer *p)
{
    bool responder = p->count > 1 && strcmp(p->words[1], "responder") == 0;
    uint8_t public[X25519_BYTES];
    struct noise_setup s = {
        .suite = NOISE_SUITE_CLASSIC, .prologue = arg(p, 2), .psk = p->args[3].bytes};
    if (p->noise != NULL || need(p, 3, 32) != ERR_OK || need(p, 4, 32) != ERR_OK)
        return ERR_MALFORMED;
    s.static_public = p->args[4].bytes;
    if (responder) {
        s.static_secret = p->args[4].bytes;
        s.static_public = public;
        if (x25519_public(s.static_secret, public) != ERR_OK)
            return ERR_AUTH;
    }
    return noise_create(&p->noise, responder ? NOISE_RESPONDER : NOISE_INITIATOR, &s);
}

static enum err do_write(struct peer *p)
{
    const uint8_t *ephemeral = p->count > 2 ? p->args[2].bytes : NULL;
    struct value *out = &p->out[0];
    if (p->noise == NULL || (p->count > 2 && need(p, 2, 32) != ERR_OK))
        return ERR_MALFORMED;
    p->outs = 1;
    if (noise_role(p->noise) == NOISE_INITIATOR)
        return noise_initiator_write_1(p->noise, ephemeral, arg(p, 1), out->bytes, VALUE_MAX,
                                       &out->len);
    return noise_responder_write_2(p->noise, ephemeral, arg(p, 1), out->bytes, VALUE_MAX,
                                   &out->len);
}

static enum err do_read(struct peer *p)
{
    struct value *out = &p->out[0];
    if (p->noise == NULL)
        return ERR_MALFORMED;
    p->outs = 1;
    if (noise_role(p->noise) == NOISE_INITIATOR)
        return noise_initiator_read_2(p->noise, arg(p, 1), out->bytes, VALUE_MAX, &out->len);
    return noise_responder_read_1(p->noise, arg(p, 1), out->bytes, VALUE_MAX, &out->len);
}

static enum err do_hash(struct peer *p)
{
    p->outs = 1;
    p->out[0].len = NOISE_HASH_BYTES;
    return p->noise == NULL ? ERR_STATE : noise_handshake_hash(p->noise, p->out[0].bytes);
}

static enum err do_split(struct peer *p)
{
    p->outs = 2;
    p->out[0].len = p->out[1].len = NOISE_KEY_BYTES;
    return p->noise == NULL ? ERR_STATE : noise_split(p->noise, p->out[0].bytes, p->out[1].bytes);
}

static enum err do_records(struct peer *p)
{
    return p->noise == NULL || p->record != NULL ? ERR_STATE : record_create(&p->record, p->noise);
}

static enum err do_seal(struct peer *p)
{
    struct bytes body = arg(p, 3);
    struct value *out = &p->out[0];
    if (p->record == NULL || p->count != 4 || need(p, 1, 1) != ERR_OK || need(p, 2, 1) != ERR_OK)
        return ERR_MALFORMED;
    p->outs = 1;
    return record_seal_pieces(p->record, p->args[1].bytes[0], p->args[2].bytes[0] != 0, &body, 1,
                              out->bytes, VALUE_MAX, &out->len);
}

static enum err do_open(struct peer *p)
{
    struct record_part part;
    if (p->record == NULL || p->count != 2)
        return ERR_MALFORMED;
    enum err e = record_open(p->record, p->args[1].bytes, p->args[1].len, &part);
    if (e != ERR_OK)
        return e;
    p->outs = 3;
    p->out[0] = (struct value){{part.type}, 1};
    p->out[1] = (struct value){{part.more}, 1};
    memcpy(p->out[2].bytes, part.body.p, part.body.len);
    p->out[2].len = part.body.len;
    return ERR_OK;
}

static enum err do_backend(struct peer *p)
{
    bool native = p->count == 2 && strcmp(p->words[1], "native") == 0;
    return aead_choose(native ? AEAD_SODIUM : AEAD_MBEDTLS);
}

static const struct {
    const char *name;
    size_t first_hex; /* number of the first word that is hex */
    enum err (*run)(struct peer *p);
} commands[] = {
    {"init", 2, do_init}, {"write", 1, do_write}, {"read", 1, do_read},
    {"hash", 1, do_hash}, {"split", 1, do_split}, {"records", 1, do_records},
    {"seal", 1, do_seal}, {"open", 1, do_open},   {"backend", ARGS_MAX, do_backend},
};

static enum err run(struct peer *p, char *line)
{
    char *rest = NULL;
    p->outs = p->count = 0;
    for (char *w = strtok_r(line, " \n", &rest); w != NULL; w = strtok_r(NULL, " \n", &rest)) {
        if (p->count == ARGS_MAX)
            return ERR_MALFORMED;
        p->words[p->count++] = w;
    }
    for (size_t i = 0; p->count > 0 && i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(commands[i].name, p->words[0]) != 0)
            continue;
        for (size_t k = commands[i].first_hex; k < p->count; k++) {
            if (from_hex(p->words[k], &p->args[k]) != ERR_OK)
                return ERR_MALFORMED;
        }
        return commands[i].run(p);
    }
    return ERR_NOT_FOUND;
}

static void answer(const struct peer *p, enum err e)
{
    if (e != ERR_OK) {
        printf("err %d %s\n", e, err_text(e));
    } else {
        printf("ok");
        for (size_t i = 0; i < p->outs; i++) {
            printf(p->out[i].len == 0 ? " -" : " ");
            for (size_t k = 0; k < p->out[i].len; k++)
                printf("%02x", p->out[i].bytes[k]);
        }
        printf("\n");
    }
    fflush(stdout);
}

int main(void)
{
    struct peer *p = calloc(1, sizeof *p);
    char *line = NULL;
    size_t room = 0;
    if (p == NULL || secret_init() != ERR_OK)
        return 1;
    while (getline(&line, &room, stdin) > 0)
        answer(p, run(p, line));
    free(line);
    record_destroy(p->record);
    noise_destroy(p->noise);
    free(p);
    return 0;
}
