/* Links as text: the vectors, every cut and every changed character, room, and URLs. */
#include "proto/link_text.h"

#include "tests/unit/text_reader.h"

#define VECTORS "proto/vectors/links.txt"

static struct text_reader reader;
static size_t good, refused;

/* Writes the fragment, or with a page's URL the whole link, of l as a string into cap bytes; NULL
 * when the writer turned bad. */
static const char *write_link(const char *page_url, const struct link_text *l, char *out,
                              size_t cap)
{
    struct wbuf w;

    wbuf_init(&w, out, cap);
    if (page_url)
        link_text_write_url(&w, page_url, l->daemon_pk, l->secret, l->ws_url);
    else
        link_text_write_fragment(&w, l->daemon_pk, l->secret, l->ws_url);
    wbuf_u8(&w, 0);
    return w.bad ? NULL : out;
}

/* A fragment is refused, or encodes to the very same text. Returns true when it was accepted. The
 * decoder gets a block of exactly its size, without a NUL. */
static bool check_fragment(const char *text, size_t len)
{
    char again[LINK_FRAGMENT_MAX_BYTES + 1];
    char *exact = malloc(len > 0 ? len : 1);
    static const struct link_text zeros;
    struct link_text l;
    enum err e;

    assert_non_null(exact);
    memcpy(exact, text, len);
    e = link_text_read_fragment(exact, len, &l);
    free(exact);
    if (e != ERR_OK) {
        assert_memory_equal(&l, &zeros, sizeof l);
        return false;
    }
    assert_non_null(write_link(NULL, &l, again, sizeof again));
    assert_int_equal(strlen(again), len);
    assert_memory_equal(again, text, len);
    return true;
}

static void read_vector(const char *line, struct link_text *l, const char **fragment)
{
    struct bytes b;

    text_begin(&reader, line);
    text_expect(&reader, "LINK");
    text_name(&reader, "daemon_pk");
    b = text_hex(&reader);
    memcpy(l->daemon_pk, b.p, LINK_KEY_BYTES);
    text_name(&reader, "secret");
    b = text_hex(&reader);
    memcpy(l->secret, b.p, LINK_KEY_BYTES);
    text_name(&reader, "ws_url");
    b = text_string(&reader);
    snprintf(l->ws_url, sizeof l->ws_url, "%.*s", (int)b.len, (const char *)b.p);
    text_expect(&reader, " = ");
    *fragment = reader.p;
}

static void check_vector(const char *line)
{
    char text[LINK_FRAGMENT_MAX_BYTES + 1];
    struct link_text want, got;
    const char *fragment;

    if (strncmp(line, "! LINK = ", 9) == 0) {
        if (check_fragment(line + 9, strlen(line + 9)))
            fail_msg("accepted: %s", line + 9);
        refused++;
        return;
    }
    read_vector(line, &want, &fragment);
    assert_int_equal(link_text_read_fragment(fragment, strlen(fragment), &got), ERR_OK);
    assert_memory_equal(got.daemon_pk, want.daemon_pk, LINK_KEY_BYTES);
    assert_memory_equal(got.secret, want.secret, LINK_KEY_BYTES);
    assert_string_equal(got.ws_url, want.ws_url);
    assert_non_null(write_link(NULL, &want, text, sizeof text));
    assert_string_equal(text, fragment);
    good++;
}

static void vectors(void **state)
{
    (void)state;
    text_each_line(VECTORS, check_vector);
    assert_true(good >= 6);
    assert_true(refused >= 20);
}

/* A cut inside the keys, or just behind the dot, is no link. A shortened URL may be one. */
static void check_cuts(const char *line)
{
    struct link_text l;
    const char *fragment;

    if (line[0] == '!')
        return;
    read_vector(line, &l, &fragment);
    for (size_t n = 0; n < strlen(fragment); n++) {
        if (check_fragment(fragment, n) && (n < 87 || n == 88))
            fail_msg("accepted %zu bytes of %s", n, fragment);
    }
}

static void each_truncation(void **state)
{
    (void)state;
    text_each_line(VECTORS, check_cuts);
}

static void check_changes(const char *line)
{
    static char copy[LINK_FRAGMENT_MAX_BYTES + 1];
    struct link_text l;
    const char *fragment;

    if (line[0] == '!')
        return;
    read_vector(line, &l, &fragment);
    snprintf(copy, sizeof copy, "%s", fragment);
    for (size_t i = 0; copy[i] && i < 160; i++) {
        for (unsigned c = 0; c < 256; c++) {
            copy[i] = (char)c;
            check_fragment(copy, strlen(fragment));
        }
        copy[i] = fragment[i];
    }
}

static void each_changed_character(void **state)
{
    (void)state;
    text_each_line(VECTORS, check_changes);
}

static void other_suites_are_named(void **state)
{
    struct link_text l;
    char text[LINK_FRAGMENT_MAX_BYTES + 1];

    (void)state;
    memset(&l, 0, sizeof l);
    assert_non_null(write_link(NULL, &l, text, sizeof text));
    text[1] = 'g'; /* 0x02 */
    assert_int_equal(link_text_read_fragment(text, strlen(text), &l), ERR_UNSUPPORTED);
    assert_int_equal(link_text_read_fragment("AgAA", 4, &l), ERR_UNSUPPORTED);
}

static void each_lack_of_room(void **state)
{
    static const char page[] = "https://example.org/";
    struct link_text l;
    size_t need = strlen(page) + 1 + 87 + 1;

    (void)state;
    memset(&l, 0x5a, sizeof l);
    l.ws_url[0] = '\0';
    for (size_t cap = 0; cap <= need; cap++) {
        char *exact = malloc(cap > 0 ? cap : 1);

        assert_non_null(exact);
        assert_int_equal(write_link(page, &l, exact, cap) != NULL, cap == need);
        free(exact);
    }
}

static void whole_links(void **state)
{
    char text[LINK_URL_MAX_BYTES + 1];
    struct link_text l;

    (void)state;
    memset(&l, 0, sizeof l);
    memcpy(l.ws_url, "wss://a/ws", 11);
    assert_non_null(write_link("http://127.0.0.1:8722/", &l, text, sizeof text));
    assert_memory_equal(text, "http://127.0.0.1:8722/#AQAAAA", 29);
    assert_string_equal(text + 23 + 87, ".d3NzOi8vYS93cw");
    assert_null(write_link("javascript:alert(1)", &l, text, sizeof text));
    memcpy(l.ws_url, "ftp://a/ws", 11);
    assert_null(write_link("http://a/", &l, text, sizeof text));
}

/* The largest of everything fits LINK_TEXT_ROOM, to the byte. */
static void largest_link(void **state)
{
    static char page[LINK_PAGE_URL_MAX_BYTES + 2] = "https://";
    char text[LINK_URL_MAX_BYTES + 1];
    struct link_text l;

    (void)state;
    memset(&l, 0, sizeof l);
    memset(page + 8, 'a', LINK_PAGE_URL_MAX_BYTES - 8);
    memset(l.ws_url, 'b', LINK_WS_URL_MAX_BYTES);
    memcpy(l.ws_url, "wss://", 6);
    assert_non_null(write_link(page, &l, text, sizeof text));
    assert_int_equal(strlen(text), LINK_URL_MAX_BYTES);
    assert_null(write_link(page, &l, text, sizeof text - 1));
    page[LINK_PAGE_URL_MAX_BYTES] = 'a';
    assert_int_equal(link_text_check_page_url(page), ERR_RANGE);
    assert_null(write_link(page, &l, text, sizeof text));
}

static void urls(void **state)
{
    static const struct {
        const char *url;
        enum err page, ws;
    } rows[] = {
        {"http://a", ERR_OK, ERR_MALFORMED},
        {"https://a:1/b?c", ERR_OK, ERR_MALFORMED},
        {"file:///home/me/vitrine.html", ERR_OK, ERR_MALFORMED},
        {"ws://a", ERR_MALFORMED, ERR_OK},
        {"wss://[::1]:443/ws?x=@", ERR_MALFORMED, ERR_OK},
        {"", ERR_MALFORMED, ERR_MALFORMED},
        {"http:/a", ERR_MALFORMED, ERR_MALFORMED},
        {"https://", ERR_MALFORMED, ERR_MALFORMED},
        {"https:///x", ERR_MALFORMED, ERR_MALFORMED},
        {"https://?x", ERR_MALFORMED, ERR_MALFORMED},
        {"https://:443/", ERR_MALFORMED, ERR_MALFORMED},
        {"https://me@a/", ERR_MALFORMED, ERR_MALFORMED},
        {"https://a/#x", ERR_MALFORMED, ERR_MALFORMED},
        {"https://a\\b/", ERR_MALFORMED, ERR_MALFORMED},
        {"https://a/ b", ERR_MALFORMED, ERR_MALFORMED},
        {"https://a/\x7f", ERR_MALFORMED, ERR_MALFORMED},
        {"https://a/\xc3\xa9", ERR_MALFORMED, ERR_MALFORMED},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (link_text_check_page_url(rows[i].url) != rows[i].page ||
            link_text_check_ws_url(rows[i].url) != rows[i].ws)
            fail_msg("%s", rows[i].url);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors),
        cmocka_unit_test(each_truncation),
        cmocka_unit_test(each_changed_character),
        cmocka_unit_test(other_suites_are_named),
        cmocka_unit_test(each_lack_of_room),
        cmocka_unit_test(whole_links),
        cmocka_unit_test(largest_link),
        cmocka_unit_test(urls),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
