/* The tests every message table has, over the `codecs` of tests/unit/message_text.h. The test
 * defines VECTORS, the path of its vector file, and runs MESSAGE_TESTS.
 *
 * One property carries most of it: a body is either refused, or its values encode to the very same
 * bytes. It is tried on every vector, each cut of it, each bit of it flipped, and on noise. */

#define ROOM (1u << 20)

static struct text_reader reader;
static uint8_t body_room[ROOM];
static uint8_t text_room_[ROOM];
static bool covered[N_CODECS];
static size_t accepted;

static const struct message_codec *find_codec(const char *name, size_t len)
{
    for (size_t i = 0; i < N_CODECS; i++) {
        if (strlen(codecs[i].name) == len && strncmp(codecs[i].name, name, len) == 0)
            return &codecs[i];
    }
    fail_msg("no message %.*s", (int)len, name);
    return NULL;
}

static struct bytes encode_text(const struct message_codec *c, const char *text)
{
    struct wbuf w;

    wbuf_init(&w, body_room, sizeof body_room);
    text_begin(&reader, text);
    c->to_body(&reader, &w);
    assert_false(w.bad);
    return (struct bytes){w.base, w.len};
}

/* The text of a body, or NULL when it is refused. The body is copied to memory of exactly its size
 * first, so that the sanitizer sees a read past its end. */
static const char *decode_body(const struct message_codec *c, struct bytes body)
{
    uint8_t *exact = malloc(body.len > 0 ? body.len : 1);
    struct wbuf w;
    enum err e;

    assert_non_null(exact);
    if (body.len > 0)
        memcpy(exact, body.p, body.len);
    wbuf_init(&w, text_room_, sizeof text_room_);
    e = c->to_text((struct bytes){exact, body.len}, &w);
    free(exact);
    assert_true(e == ERR_OK || e == ERR_MALFORMED);
    wbuf_u8(&w, 0);
    assert_false(w.bad);
    return e == ERR_OK ? (const char *)w.base : NULL;
}

/* The property. Returns true when the body was accepted. */
static bool check_body(const struct message_codec *c, struct bytes body)
{
    const char *text = decode_body(c, body);
    struct bytes again;

    if (!text)
        return false;
    again = encode_text(c, text);
    assert_int_equal(again.len, body.len);
    assert_memory_equal(again.p, body.p, body.len);
    return true;
}

struct vector {
    const struct message_codec *codec;
    bool refused;
    char *text;        /* `field=value …` */
    struct bytes body; /* in its own reader */
};

static struct text_reader vector_reader;

static struct vector parse_vector(const char *line)
{
    static char copy[TEXT_LINE_MAX];
    struct vector v = {NULL, line[0] == '!', copy, {NULL, 0}};
    const char *name = v.refused ? line + 2 : line;
    size_t name_len = strcspn(name, " ");
    const char *equals = name;

    for (const char *p = name; (p = strstr(p, " = x")) != NULL; p++)
        equals = p;
    assert_true(equals > name);
    v.codec = find_codec(name, name_len);
    covered[v.codec - codecs] = true;
    copy[0] = '\0';
    if (equals > name + name_len)
        snprintf(copy, sizeof copy, "%.*s", (int)(equals - name - name_len - 1),
                 name + name_len + 1);
    text_begin(&vector_reader, equals + 3);
    v.body = text_hex(&vector_reader);
    return v;
}

static void check_vector(const char *line)
{
    struct vector v = parse_vector(line);
    const char *text = decode_body(v.codec, v.body);
    struct bytes body;

    if (v.refused) {
        if (text)
            fail_msg("accepted: %.100s", line);
        return;
    }
    if (!text)
        fail_msg("refused: %.100s", line);
    assert_string_equal(text, v.text);
    body = encode_text(v.codec, v.text);
    assert_int_equal(body.len, v.body.len);
    assert_memory_equal(body.p, v.body.p, body.len);
}

static void each_vector_both_ways(void **state)
{
    (void)state;
    assert_true(text_each_line(VECTORS, check_vector) > N_CODECS);
    for (size_t i = 0; i < N_CODECS; i++) {
        if (!covered[i])
            fail_msg("no vector of %s", codecs[i].name);
    }
}

static void check_cuts(const char *line)
{
    struct vector v = parse_vector(line);

    for (size_t n = 0; !v.refused && n < v.body.len; n++) {
        if (check_body(v.codec, (struct bytes){v.body.p, n}) && !v.codec->open_ended)
            fail_msg("accepted %zu of %zu bytes: %.100s", n, v.body.len, line);
    }
}

static void each_truncation(void **state)
{
    (void)state;
    text_each_line(VECTORS, check_cuts);
}

static void check_flips(const char *line)
{
    struct vector v = parse_vector(line);
    uint8_t *flipped = malloc(v.body.len + 1);

    assert_non_null(flipped);
    memcpy(flipped, v.body.p, v.body.len);
    for (size_t bit = 0; bit < v.body.len * 8; bit++) {
        flipped[bit / 8] ^= (uint8_t)(1u << bit % 8);
        accepted += check_body(v.codec, (struct bytes){flipped, v.body.len});
        flipped[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    free(flipped);
}

static void each_bit_flip(void **state)
{
    (void)state;
    accepted = 0;
    text_each_line(VECTORS, check_flips);
    assert_true(accepted > 0);
}

static void check_trailing(const char *line)
{
    struct vector v = parse_vector(line);
    uint8_t *longer = malloc(v.body.len + 1);

    assert_non_null(longer);
    memcpy(longer, v.body.p, v.body.len);
    longer[v.body.len] = 0;
    if (!v.refused)
        assert_int_equal(check_body(v.codec, (struct bytes){longer, v.body.len + 1}),
                         v.codec->open_ended);
    free(longer);
}

static void each_trailing_byte(void **state)
{
    (void)state;
    text_each_line(VECTORS, check_trailing);
}

/* Too little room marks the writer bad and writes nothing past its end. */
static void check_small_room(const char *line)
{
    struct vector v = parse_vector(line);

    for (size_t cap = 0; !v.refused && cap <= v.body.len; cap++) {
        uint8_t *exact = malloc(cap > 0 ? cap : 1);
        struct wbuf w;

        assert_non_null(exact);
        wbuf_init(&w, exact, cap);
        text_begin(&reader, v.text);
        v.codec->to_body(&reader, &w);
        assert_int_equal(w.bad, cap < v.body.len);
        free(exact);
    }
}

static void each_lack_of_room(void **state)
{
    (void)state;
    text_each_line(VECTORS, check_small_room);
}

static void noise(void **state)
{
    uint32_t x = 2463534242u;
    uint8_t body[96];

    (void)state;
    for (size_t round = 0; round < 2000; round++) {
        size_t n = round % sizeof body;

        for (size_t i = 0; i < n; i++) {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
            body[i] = (uint8_t)(x >> 8 & (round & 1 ? 0xff : 0x03)); /* small numbers get further */
        }
        for (size_t i = 0; i < N_CODECS; i++)
            check_body(&codecs[i], (struct bytes){body, n});
    }
}

#define MESSAGE_TESTS                                                           \
    cmocka_unit_test(each_vector_both_ways), cmocka_unit_test(each_truncation), \
        cmocka_unit_test(each_bit_flip), cmocka_unit_test(each_trailing_byte),  \
        cmocka_unit_test(each_lack_of_room), cmocka_unit_test(noise)
