/* Keys of attached terminals: what reaches the program, what is a command, pastes of any size, and
 * programs that do not read. */
#include <fcntl.h>
#include <unistd.h>

#include "tests/unit/attach_rig.h"

/* --- commands ------------------------------------------------------------------------------- */

static void keys_reach_the_program(void **state)
{
    struct rig r;
    struct terminal t;

    (void)state;
    rig_start(&r, "stty raw -echo; printf ready; cat -v");
    rig_attach(&r, &t, 60, 10, NULL);
    rig_until_shown(&t, "ready");
    rig_type(&t, "abc\033[A\002\002");
    rig_until_shown(&t, "readyabc^[[A^B");
    rig_type(&t, "\033"); /* alone: the Escape key, after a moment */
    rig_until_shown(&t, "^[[A^B^[");
    rig_detach(&t);
    rig_end(&r);
}

static bool has_detached(struct rig *r, const void *what)
{
    (void)r;
    return ((const struct terminal *)what)->detached > 0;
}

static void prefix_d_detaches_once(void **state)
{
    struct rig r;
    struct terminal t;

    (void)state;
    rig_start(&r, "cat");
    rig_attach(&r, &t, 60, 10, NULL);
    rig_type(&t, "\002d\002dxyz");
    assert_int_equal(t.detached, 0); /* not from inside */
    rig_wait(&r, has_detached, &t);
    assert_int_equal(t.detached, 1);
    assert_int_equal(t.reason, IPC_DETACHED_ASKED);
    rig_detach(&t);
    rig_end(&r);
}

static void unbound_keys_are_told(void **state)
{
    struct rig r;
    struct terminal t;

    (void)state;
    rig_start(&r, "cat");
    rig_attach(&r, &t, 60, 10, NULL);
    rig_type(&t, "\002g");
    rig_until_shown(&t, "C-b g does nothing; C-b ? shows the keys");
    loop_advance(r.loop, ATTACH_MESSAGE_MS);
    rig_until_shown(&t, "[work]");
    rig_detach(&t);
    rig_end(&r);
}

static void help_closes_by_any_key(void **state)
{
    struct rig r;
    struct terminal t;

    (void)state;
    rig_start(&r, "stty raw -echo; printf ready; cat -v");
    rig_attach(&r, &t, 80, 20, NULL);
    rig_until_shown(&t, "ready");
    rig_type(&t, "\002?");
    rig_until_shown(&t, "send the prefix key");
    assert_false(screen_cursor(t.screen).visible);
    rig_type(&t, "xy"); /* the first closes, the second is typed */
    rig_until_gone(&t, "send the prefix key");
    rig_until_shown(&t, "readyy");
    rig_detach(&t);
    rig_end(&r);
}

static void links_are_shown(void **state)
{
    const struct attach_options with_links = {.show_links = true};
    struct rig r;
    struct terminal t;

    (void)state;
    rig_start(&r, "printf ready; cat");
    const struct target at = {r.session, r.session->current, r.pane};
    share_create(r.shares, SHARE_PANE, &at, "work");
    rig_attach(&r, &t, 80, 24, &with_links);
    rig_until_shown(&t, "view: http://127.0.0.1/#abc");
    rig_until_shown(&t, "▀");
    rig_type(&t, "\r");
    rig_until_gone(&t, "view:");
    rig_until_shown(&t, "ready");
    rig_type(&t, "\002S");
    rig_until_shown(&t, "view: http://127.0.0.1/#abc");
    rig_detach(&t); /* while it is shown */
    rig_end(&r);
}

static void unshared_pane_has_no_links(void **state)
{
    struct rig r;
    struct terminal t;

    (void)state;
    rig_start(&r, "cat");
    rig_attach(&r, &t, 80, 24, NULL);
    rig_type(&t, "\002S");
    rig_until_shown(&t, "to share it: vitrine share -t %");
    rig_detach(&t);
    rig_end(&r);
}

static void read_only_delivers_nothing(void **state)
{
    const struct attach_options watch = {.read_only = true};
    struct rig r;
    struct terminal t, w;

    (void)state;
    rig_start(&r, "stty raw -echo; printf ready; cat -v");
    rig_attach(&r, &t, 80, 20, NULL);
    rig_attach(&r, &w, 80, 20, &watch);
    rig_until_shown(&w, "ready");
    rig_type(&w, "rm -rf\r\033[200~pasted\033[201~\003\033[<0;1;1M\002\002\033[Ix");
    rig_until_shown(&w, "read-only: keys do not reach the program");
    rig_type(&t, "!");
    rig_until_shown(&w, "ready!");
    rig_type(&w, "\002?");
    rig_until_shown(&w, "send the prefix key");
    rig_detach(&t);
    rig_detach(&w);
    rig_end(&r);
}

/* --- mouse and paste markers ----------------------------------------------------------------- */

static void mouse_reports_reach_who_asked(void **state)
{
    struct rig r;
    struct terminal t;

    (void)state;
    rig_start(&r, "stty raw -echo; printf ready; cat -v");
    rig_attach(&r, &t, 60, 10, NULL);
    rig_until_shown(&t, "ready");
    rig_type(&t, "\033[<0;3;4M"); /* nobody asked */
    rig_output(&t, "\033[?1000h\033[?1006hon");
    rig_until_shown(&t, "readyon");
    rig_type(&t, "\033[<0;5;6M\033[<0;5;10M"); /* the second on the status line */
    rig_type(&t, ".");
    rig_until_shown(&t, ".");
    assert_string_equal(rig_row(&t, 0), "readyon^[[<0;5;6M.");
    rig_detach(&t);
    rig_end(&r);
}

static void paste_markers_reach_who_asked(void **state)
{
    struct rig r;
    struct terminal t;

    (void)state;
    rig_start(&r, "stty raw -echo; printf ready; cat -v");
    rig_attach(&r, &t, 60, 10, NULL);
    rig_until_shown(&t, "ready");
    rig_type(&t, "\033[200~a\002d\033[201~");
    rig_until_shown(&t, "readya^Bd");
    rig_output(&t, "\033[?2004h");
    rig_type(&t, "\033[200~b\033[201~.");
    rig_until_shown(&t, "readya^Bd^[[200~b^[[201~.");
    rig_detach(&t);
    rig_end(&r);
}

/* --- large pastes --------------------------------------------------------------------------- */

#define PASTE_BYTES (1u << 20)
#define PIECE_BYTES (16u << 10)

struct pasting {
    struct terminal *terminal;
    const uint8_t *data;
    size_t n;
    size_t at;
    size_t paused; /* how often the terminal was not read */
    const char *done;
};

/* What the control socket does: a piece whenever the attach wants keys. */
static bool paste_is_done(struct rig *r, const void *what)
{
    struct pasting *p = (struct pasting *)(uintptr_t)what;

    (void)r;
    while (p->at < p->n && attach_wants_keys(p->terminal->attach)) {
        size_t piece = p->n - p->at < PIECE_BYTES ? p->n - p->at : PIECE_BYTES;
        attach_keys(p->terminal->attach, p->data + p->at, piece);
        p->at += piece;
    }
    p->paused += p->at < p->n;
    return p->at == p->n && rig_shows(p->terminal, p->done);
}

static uint8_t *make_paste(bool marked, size_t *n)
{
    static const char begin[] = "\033[200~", end[] = "\033[201~";
    uint8_t *data = malloc(PASTE_BYTES + 12);
    size_t at = marked ? 6 : 0;

    assert_non_null(data);
    memcpy(data, begin, at);
    srand(11);
    for (size_t i = 0; i < PASTE_BYTES; i++) /* every byte, but no end marker inside */
        data[at + i] = rand() % 256 == '~' ? '-' : (uint8_t)(rand() % 256 & ~(marked ? 0 : 0x80));
    for (size_t i = 0; !marked && i < PASTE_BYTES; i++) /* typed: no prefix, no sequences */
        if (data[i] == 0x02 || data[i] == 0x1b)
            data[i] = 'x';
    memcpy(data + at + PASTE_BYTES, end, at);
    *n = PASTE_BYTES + 2 * at;
    return data;
}

static void check_file(const char *path, const uint8_t *data, size_t n)
{
    uint8_t *got = malloc(n + 1);
    int fd = open(path, O_RDONLY);
    size_t have = 0;

    assert_non_null(got);
    assert_true(fd >= 0);
    for (ssize_t part; (part = read(fd, got + have, n + 1 - have)) > 0;)
        have += (size_t)part;
    close(fd);
    assert_int_equal(have, n);
    assert_memory_equal(got, data, n);
    free(got);
}

/* asks: the program wants its pastes marked; marked: the terminal marks what it sends. */
static void run_paste(bool marked, bool asks)
{
    char path[] = "/tmp/vitrine-paste-XXXXXX", script[300];
    int fd = mkstemp(path);
    struct terminal t;
    struct rig r;
    size_t n, want;

    assert_true(fd >= 0);
    close(fd);
    uint8_t *data = make_paste(marked, &n);
    const uint8_t *expected = data + (marked && !asks ? 6 : 0);
    want = n - (marked && !asks ? 12 : 0);
    snprintf(script, sizeof script,
             "stty raw -echo; printf '%sready'; head -c %zu >%s; printf done; sleep 100",
             asks ? "\\033[?2004h" : "", want, path);
    rig_start(&r, script);
    rig_attach(&r, &t, 60, 10, NULL);
    rig_until_shown(&t, "ready");
    struct pasting p = {.terminal = &t, .data = data, .n = n, .done = "readydone"};
    rig_wait(&r, paste_is_done, &p);
    check_file(path, expected, want);
    assert_int_equal(t.resumed > 0, p.paused > 0); /* a reader may be as fast as the terminal */
    rig_detach(&t);
    rig_end(&r);
    unlink(path);
    free(data);
}

static void megabyte_unmarked(void **state)
{
    (void)state;
    run_paste(false, false);
}

static void megabyte_marked_to_who_did_not_ask(void **state)
{
    (void)state;
    run_paste(true, false);
}

static void megabyte_marked_to_who_asked(void **state)
{
    (void)state;
    run_paste(true, true);
}

/* --- programs that do not read --------------------------------------------------------------- */

static void interrupt_passes_a_full_queue(void **state)
{
    uint8_t lines[PIECE_BYTES];
    struct rig r;
    struct terminal t;

    (void)state;
    rig_start(&r, "stty -echo; trap 'echo INTERRUPTED' INT; printf ready;"
                  "while :; do sleep 0.05; done");
    rig_attach(&r, &t, 60, 10, NULL);
    rig_until_shown(&t, "ready");
    for (size_t i = 0; i < sizeof lines; i++)
        lines[i] = i % 2 ? '\r' : 'x';
    for (int i = 0; i < 100 && attach_wants_keys(t.attach); i++)
        attach_keys(t.attach, lines, sizeof lines);
    assert_false(attach_wants_keys(t.attach));
    rig_rounds(&r, 5);
    assert_int_equal(t.resumed, 0);
    rig_type(&t, "more\003");
    assert_true(attach_wants_keys(t.attach));
    assert_int_equal(t.resumed, 1);
    rig_until_shown(&t, "INTERRUPTED");
    rig_detach(&t);
    rig_end(&r);
}

static bool is_dead(struct rig *r, const void *what)
{
    (void)what;
    return pane_status(r->pane).dead;
}

static void input_of_a_dead_program_is_dropped(void **state)
{
    uint8_t zeros[PIECE_BYTES] = {'0'};
    struct rig r;
    struct terminal t;

    (void)state;
    rig_start(&r, "stty raw -echo; printf ready; sleep 100");
    rig_attach(&r, &t, 60, 10, NULL);
    rig_until_shown(&t, "ready");
    while (attach_wants_keys(t.attach))
        attach_keys(t.attach, zeros, sizeof zeros);
    kill(-pane_pid(r.pane), SIGKILL);
    rig_wait(&r, is_dead, NULL);
    assert_true(attach_wants_keys(t.attach));
    assert_int_equal(t.resumed, 1);
    rig_detach(&t);
    rig_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_reach_the_program),
        cmocka_unit_test(prefix_d_detaches_once),
        cmocka_unit_test(unbound_keys_are_told),
        cmocka_unit_test(help_closes_by_any_key),
        cmocka_unit_test(links_are_shown),
        cmocka_unit_test(unshared_pane_has_no_links),
        cmocka_unit_test(read_only_delivers_nothing),
        cmocka_unit_test(mouse_reports_reach_who_asked),
        cmocka_unit_test(paste_markers_reach_who_asked),
        cmocka_unit_test(megabyte_unmarked),
        cmocka_unit_test(megabyte_marked_to_who_did_not_ask),
        cmocka_unit_test(megabyte_marked_to_who_asked),
        cmocka_unit_test(interrupt_passes_a_full_queue),
        cmocka_unit_test(input_of_a_dead_program_is_dropped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
