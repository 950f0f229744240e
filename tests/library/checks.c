/* What libvitrine promises, against a real daemon, through <vitrine.h> alone.
 *
 *     checks              lists the checks
 *     checks NAME         runs one: exit 0, or 1 after a line that says what is not so
 *
 * Each check makes what it needs and leaves the daemon running. Waits have deadlines of
 * DEADLINE_MS, far beyond what they take. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vitrine.h>

#define DEADLINE_MS 60000

#define CHECK(what)                                                                          \
    do {                                                                                     \
        if (!(what)) {                                                                       \
            printf("%s:%d: not so: %s (%s)\n", __FILE__, __LINE__, #what, vitrine_error(v)); \
            exit(1);                                                                         \
        }                                                                                    \
    } while (0)
#define IS_OK(call) CHECK((call) == VITRINE_OK)
#define SAYS(word)  CHECK(strstr(vitrine_error(v), word) != NULL)
#define WORDS(...)  ((const char *const[]){__VA_ARGS__, NULL})
#define SPAWN(...) \
    (&(struct vitrine_spawn){.size = sizeof(struct vitrine_spawn), .argv = WORDS(__VA_ARGS__)})

static struct vitrine *v;

/* A session that runs a line of shell, and its pane. */
static struct vitrine_place start(const char *line)
{
    struct vitrine_place at;

    IS_OK(vitrine_new_session(v, SPAWN("sh", "-c", line), &at));
    return at;
}

/* The same, waited for until it says "ready". */
static struct vitrine_place start_ready(const char *line)
{
    struct vitrine_expect *e;
    struct vitrine_place at;

    IS_OK(vitrine_expect_begin(v, VITRINE_NEXT_PANE, &e));
    at = start(line);
    IS_OK(vitrine_expect(e, "ready", VITRINE_TEXT, DEADLINE_MS, NULL));
    vitrine_expect_end(e);
    return at;
}

/* --- subscriptions that count --------------------------------------------------------------- */

struct seen {
    char text[1 << 16];
    size_t len;
    uint64_t begin, next; /* offsets; begin of the first byte or lag */
    uint64_t bytes, lost;
    unsigned lags;
    int started, ended, broken; /* broken: offsets with a gap that was not told */
    struct vitrine_end end;
};

static void take_offset(struct seen *s, uint64_t from, uint64_t to)
{
    if (!s->started)
        s->begin = s->next = from;
    s->started = 1;
    if (s->next != from)
        s->broken = 1;
    s->next = to;
}

static void on_output(void *ctx, uint64_t offset, const void *bytes, size_t n)
{
    struct seen *s = ctx;
    size_t room = sizeof s->text - 1 - s->len;

    take_offset(s, offset, offset + n);
    s->bytes += n;
    memcpy(s->text + s->len, bytes, n < room ? n : room);
    s->len += n < room ? n : room;
}

static void on_lag(void *ctx, uint64_t from, uint64_t to)
{
    struct seen *s = ctx;

    take_offset(s, from, to);
    s->lost += to - from;
    s->lags++;
}

static void on_ended(void *ctx, const struct vitrine_end *end)
{
    struct seen *s = ctx;

    s->ended++;
    s->end = *end;
}

static const struct vitrine_handlers all = {on_output, on_lag, on_ended};

static void wait_end(struct seen *s)
{
    while (!s->ended)
        IS_OK(vitrine_dispatch(v, DEADLINE_MS));
}

static void wait_text(struct seen *s, const char *text)
{
    while (!strstr(s->text, text))
        IS_OK(vitrine_dispatch(v, DEADLINE_MS));
}

/* --- connecting ----------------------------------------------------------------------------- */

static void no_server(void)
{
    struct vitrine_options o = VITRINE_OPTIONS_INIT;

    vitrine_close(v);
    o.socket_name = "nobody";
    CHECK(vitrine_open(&v, &o) == VITRINE_E_NO_SERVER);
    SAYS("no server running on ");
    CHECK(vitrine_fd(v) == -1);
    CHECK(vitrine_dispatch(v, 0) == VITRINE_E_NO_SERVER);
    CHECK(vitrine_kill_pane(v, 0) == VITRINE_E_NO_SERVER);
}

static void starts_a_server(void)
{
    struct vitrine_options o = VITRINE_OPTIONS_INIT;
    struct vitrine_result r;

    vitrine_close(v);
    o.socket_name = "another";
    o.start = true;
    IS_OK(vitrine_open(&v, &o));
    CHECK(vitrine_server_pid(v) > 1);
    CHECK(strcmp(vitrine_server_version(v), vitrine_version()) == 0);
    IS_OK(vitrine_command(v, WORDS("kill-server"), DEADLINE_MS, &r));
    vitrine_result_clear(&r);
}

static void wrong_options(void)
{
    struct vitrine_options o = VITRINE_OPTIONS_INIT;

    vitrine_close(v);
    o.size = 4096;
    CHECK(vitrine_open(&v, &o) == VITRINE_E_ARGUMENT);
    vitrine_close(v);
    o.size = sizeof o;
    o.socket_name = "a/b";
    CHECK(vitrine_open(&v, &o) == VITRINE_E_ARGUMENT);
}

static void server_killed(void)
{
    struct seen s = {.len = 0};
    struct vitrine_place at = start("exec cat");
    struct vitrine_expect *e;

    IS_OK(vitrine_subscribe(v, at.pane, VITRINE_NOW, &all, &s, NULL));
    IS_OK(vitrine_expect_begin(v, at.pane, &e));
    kill((pid_t)vitrine_server_pid(v), SIGKILL);
    CHECK(vitrine_expect(e, "never", VITRINE_TEXT, DEADLINE_MS, NULL) == VITRINE_E_LOST);
    SAYS("the server went away");
    CHECK(s.ended == 1 && s.end.how == VITRINE_LOST);
    CHECK(vitrine_kill_pane(v, at.pane) == VITRINE_E_LOST);
    CHECK(vitrine_fd(v) == -1);
}

/* --- commands ------------------------------------------------------------------------------- */

static void any_command(void)
{
    struct vitrine_result r;

    start("exec cat");
    IS_OK(vitrine_command(v, WORDS("display-message", "-p", "a b"), DEADLINE_MS, &r));
    CHECK(r.status == 0 && strcmp(r.output, "a b\n") == 0 && r.output_len == 4);
    CHECK(r.errors_len == 0 && r.errors[0] == '\0');
    vitrine_result_clear(&r);
    CHECK(r.output == NULL);
    IS_OK(vitrine_command(v, WORDS("has-session", "-t", "nothing"), DEADLINE_MS, &r));
    CHECK(r.status == 1 && r.errors_len > 0 && r.output_len == 0);
    vitrine_result_clear(&r);
    IS_OK(vitrine_command(v, WORDS("no-such-command"), DEADLINE_MS, &r));
    CHECK(r.status == 2);
    vitrine_result_clear(&r);
    CHECK(vitrine_command(v, (const char *const[]){NULL}, 0, &r) == VITRINE_E_ARGUMENT);
}

static void no_attaching(void)
{
    struct vitrine_result r;

    start("exec cat");
    IS_OK(vitrine_command(v, WORDS("attach-session"), DEADLINE_MS, &r));
    CHECK(r.status == 1 && strstr(r.errors, "not a terminal"));
    vitrine_result_clear(&r);
    IS_OK(vitrine_command(v, WORDS("new-session"), DEADLINE_MS, &r));
    CHECK(r.status == 1);
    vitrine_result_clear(&r);
}

static void long_output(void)
{
    struct vitrine_place at = start_ready("seq 3000; echo ready; exec cat");
    struct vitrine_result r;

    IS_OK(vitrine_command(v, WORDS("resize-window", "-x", "200", "-y", "50"), DEADLINE_MS, &r));
    vitrine_result_clear(&r);
    for (unsigned i = 0; i < 20; i++) { /* the same connection, again and again */
        char *text;
        size_t len;

        IS_OK(vitrine_capture_text(v, at.pane, UINT32_MAX, &text, &len));
        CHECK(strncmp(text, "1\n2\n3\n", 6) == 0 && strstr(text, "\n3000\nready\n"));
        CHECK(len == strlen(text));
        vitrine_free(text);
    }
}

static void too_long(void)
{
    char *word = malloc(2u << 20);
    struct vitrine_result r;

    memset(word, 'x', (2u << 20) - 1);
    word[(2u << 20) - 1] = '\0';
    CHECK(vitrine_command(v, WORDS("display-message", "-p", word), DEADLINE_MS, &r) ==
          VITRINE_E_LIMIT);
    free(word);
    IS_OK(vitrine_command(v, WORDS("display-message", "-p", "fine"), DEADLINE_MS, &r));
    vitrine_result_clear(&r);
}

/* A command that waits is given up; the next one is answered with its own output. */
static void command_given_up(void)
{
    struct vitrine_result r;

    for (unsigned i = 0; i < 10; i++) {
        CHECK(vitrine_command(v, WORDS("wait-for", "never"), 10, &r) == VITRINE_E_TIMEOUT);
        CHECK(r.output == NULL);
        IS_OK(vitrine_command(v, WORDS("display-message", "-p", "next"), DEADLINE_MS, &r));
        CHECK(r.status == 0 && strcmp(r.output, "next\n") == 0 && r.errors_len == 0);
        vitrine_result_clear(&r);
    }
}

/* --- what there is -------------------------------------------------------------------------- */

static const struct vitrine_pane *pane_of(const struct vitrine_pane *p, size_t n, uint32_t id)
{
    for (size_t i = 0; i < n; i++) {
        if (p[i].id == id)
            return &p[i];
    }
    return NULL;
}

static void lists(void)
{
    struct vitrine_spawn spawn = VITRINE_SPAWN_INIT;
    struct vitrine_session *s;
    struct vitrine_window *w;
    struct vitrine_pane *p;
    struct vitrine_place a, b, c;
    const struct vitrine_pane *one;
    size_t n;

    spawn.argv = WORDS("cat");
    spawn.name = "Grüße, 世界";
    spawn.cols = 100;
    spawn.rows = 30;
    spawn.directory = "/usr";
    IS_OK(vitrine_new_session(v, &spawn, &a));
    spawn.name = "second";
    IS_OK(vitrine_new_window(v, a.session, &spawn, &b));
    IS_OK(vitrine_split(v, b.pane, VITRINE_RIGHT, 25, SPAWN("cat"), &c));
    CHECK(a.session == b.session && b.window == c.window && a.window != b.window);
    IS_OK(vitrine_list_sessions(v, &s, &n));
    CHECK(n == 1 && s[0].id == a.session && strcmp(s[0].name, "Grüße, 世界") == 0);
    CHECK(s[0].windows == 2 && s[0].current_window == a.window && s[0].attached == 0);
    CHECK(s[0].cols == 100 && s[0].rows == 30 && s[0].created_s > 1600000000);
    vitrine_free(s);
    IS_OK(vitrine_list_windows(v, &w, &n));
    CHECK(n == 2 && w[0].id == a.window && w[1].id == b.window && w[0].session == a.session);
    CHECK(w[0].current && !w[1].current && w[1].panes == 2 && w[1].active_pane == b.pane);
    CHECK(strcmp(w[1].name, "second") == 0 && w[1].index == w[0].index + 1 && !w[1].zoomed);
    vitrine_free(w);
    IS_OK(vitrine_list_panes(v, &p, &n));
    CHECK(n == 3);
    one = pane_of(p, n, c.pane);
    CHECK(one && one->window == b.window && one->session == a.session && one->index == 1);
    CHECK(one->cols == 25 && one->rows == 30 && one->x == 75 && one->y == 0 && !one->active);
    CHECK(!one->dead && one->pid > 1 && one->tty[0] == '/');
    one = pane_of(p, n, a.pane);
    CHECK(one && one->active && strcmp(one->directory, "/usr") == 0);
    vitrine_free(p);
}

static void empty_lists(void)
{
    struct vitrine_result r;
    struct vitrine_session *s;
    struct vitrine_pane *p;
    size_t n = 9;

    IS_OK(vitrine_command(v, WORDS("set-option", "-g", "exit-empty", "off"), DEADLINE_MS, &r));
    vitrine_result_clear(&r);
    IS_OK(vitrine_list_sessions(v, &s, &n));
    CHECK(s != NULL && n == 0);
    vitrine_free(s);
    IS_OK(vitrine_list_panes(v, &p, &n));
    CHECK(p != NULL && n == 0);
    vitrine_free(p);
}

static void finds(void)
{
    struct vitrine_place at = start("exec cat"), found;
    char text[16];

    IS_OK(vitrine_find(v, NULL, &found));
    CHECK(found.pane == at.pane && found.window == at.window && found.session == at.session);
    snprintf(text, sizeof text, "%%%u", at.pane);
    IS_OK(vitrine_find(v, text, &found));
    CHECK(found.pane == at.pane);
    CHECK(vitrine_find(v, "nothing:7", &found) == VITRINE_E_NOT_FOUND);
    SAYS("can't find");
    CHECK(found.pane == 0 && found.session == 0);
}

/* --- making and ending ---------------------------------------------------------------------- */

static void environment(void)
{
    struct vitrine_spawn spawn = VITRINE_SPAWN_INIT;
    struct vitrine_expect *e;
    struct vitrine_match m;

    spawn.argv = WORDS("echo \"<$ONE|$TWO|$PWD>\"; exec cat");
    spawn.env = WORDS("ONE=1 and a half", "TWO=");
    spawn.directory = "/tmp";
    IS_OK(vitrine_expect_begin(v, VITRINE_NEXT_PANE, &e));
    IS_OK(vitrine_new_session(v, &spawn, NULL));
    IS_OK(vitrine_expect(e, "<(.*)>", VITRINE_REGEX, DEADLINE_MS, &m));
    CHECK(m.n_groups == 2 && strcmp(m.groups[1], "1 and a half||/tmp") == 0);
    vitrine_match_clear(&m);
}

static void refused_making(void)
{
    struct vitrine_spawn spawn = VITRINE_SPAWN_INIT;
    struct vitrine_place at = start("exec cat"), none;
    const char *many[400];

    CHECK(vitrine_new_window(v, 4711, NULL, &none) == VITRINE_E_NOT_FOUND);
    CHECK(vitrine_split(v, 4711, VITRINE_LEFT, 0, NULL, &none) == VITRINE_E_NOT_FOUND);
    CHECK(vitrine_split(v, at.pane, (enum vitrine_side)9, 0, NULL, &none) == VITRINE_E_ARGUMENT);
    CHECK(vitrine_split(v, at.pane, VITRINE_LEFT, 100, NULL, &none) == VITRINE_E_ARGUMENT);
    spawn.name = "a:b";
    CHECK(vitrine_new_session(v, &spawn, &none) == VITRINE_E_REFUSED);
    SAYS("bad session name");
    for (size_t i = 0; i < 399; i++)
        many[i] = "x";
    many[399] = NULL;
    spawn.name = NULL;
    spawn.argv = many;
    CHECK(vitrine_new_session(v, &spawn, &none) == VITRINE_E_LIMIT);
    spawn.size = 4096;
    CHECK(vitrine_new_session(v, &spawn, &none) == VITRINE_E_ARGUMENT);
}

static void resizing(void)
{
    struct vitrine_place at =
        start_ready("trap 'stty size' WINCH; echo ready; while :; do read x; done");
    struct vitrine_screen *s;
    struct vitrine_expect *e;

    IS_OK(vitrine_expect_begin(v, at.pane, &e));
    IS_OK(vitrine_resize_window(v, at.window, 61, 17));
    IS_OK(vitrine_send_text(v, at.pane, "\r", 1, DEADLINE_MS));
    IS_OK(vitrine_expect(e, "17 61", VITRINE_TEXT, DEADLINE_MS, NULL));
    IS_OK(vitrine_capture_cells(v, at.pane, 0, &s));
    CHECK(s->cols == 61 && s->rows == 17 && s->n_lines == 17);
    vitrine_free(s);
    IS_OK(vitrine_split(v, at.pane, VITRINE_BELOW, 0, SPAWN("cat"), NULL));
    IS_OK(vitrine_resize_pane(v, at.pane, 61, 5));
    IS_OK(vitrine_capture_cells(v, at.pane, 0, &s));
    CHECK(s->rows == 5);
    vitrine_free(s);
}

static void killing(void)
{
    struct vitrine_place a = start("exec cat"), b, c, keep = start("exec cat");
    struct vitrine_end end;

    IS_OK(vitrine_new_window(v, a.session, SPAWN("cat"), &b));
    IS_OK(vitrine_split(v, b.pane, VITRINE_ABOVE, 0, SPAWN("cat"), &c));
    IS_OK(vitrine_kill_pane(v, c.pane));
    CHECK(vitrine_kill_pane(v, c.pane) == VITRINE_E_NOT_FOUND);
    IS_OK(vitrine_wait_exit(v, c.pane, DEADLINE_MS, &end)); /* the end is still known */
    CHECK(end.how == VITRINE_KILLED);
    IS_OK(vitrine_kill_window(v, b.window));
    IS_OK(vitrine_kill_session(v, a.session));
    CHECK(vitrine_kill_session(v, a.session) == VITRINE_E_NOT_FOUND);
    IS_OK(vitrine_find(v, NULL, &b));
    CHECK(b.session == keep.session);
}

/* --- typing --------------------------------------------------------------------------------- */

static void typing(void)
{
    struct vitrine_place at = start_ready("stty -echo; echo ready; exec od -An -tx1 -v");
    struct vitrine_expect *e;

    IS_OK(vitrine_expect_begin(v, at.pane, &e));
    IS_OK(vitrine_send_text(v, at.pane, "a\0\377\r", 4, DEADLINE_MS));
    IS_OK(vitrine_send_keys(v, at.pane, WORDS("Up", "-l", "Enter", "C-d", "C-d")));
    IS_OK(vitrine_expect(e, "61 00 ff 0a 1b 5b 41 2d 6c 0a", VITRINE_TEXT, DEADLINE_MS, NULL));
    CHECK(vitrine_send_text(v, 4711, "x", 1, 0) == VITRINE_E_NOT_FOUND);
    CHECK(vitrine_send_keys(v, 4711, WORDS("x")) == VITRINE_E_NOT_FOUND);
}

/* A program that reads slowly gets all of a megabyte: what does not fit waits. */
static void typing_much(void)
{
    struct vitrine_place at = start_ready("stty raw -echo; echo ready; head -c 1000000 | cksum; "
                                          "echo over; exec cat");
    char *text = malloc(1000000);
    struct vitrine_expect *e;

    memset(text, 'x', 1000000);
    IS_OK(vitrine_expect_begin(v, at.pane, &e));
    IS_OK(vitrine_send_text(v, at.pane, text, 1000000, DEADLINE_MS));
    IS_OK(vitrine_expect(e, "^([0-9]+) 1000000$", VITRINE_REGEX, DEADLINE_MS, NULL));
    free(text);
}

static void typing_unread(void)
{
    struct vitrine_place at = start_ready("stty raw -echo; echo ready; exec sleep 1000");
    char *text = calloc(1, 200000);

    /* nothing reads: 64 KiB and the kernel's are taken, then it waits in vain */
    CHECK(vitrine_send_text(v, at.pane, text, 200000, 200) == VITRINE_E_TIMEOUT);
    SAYS("does not read");
    CHECK(vitrine_send_text(v, at.pane, text, 200000, 200) == VITRINE_E_TIMEOUT);
    free(text);
    IS_OK(vitrine_find(v, NULL, &at)); /* the connection is as good as ever */
    at = start_ready("echo ready; exec cat");
    IS_OK(vitrine_send_text(v, at.pane, "x", 1, 0)); /* no time is enough where there is room */
}

/* It ends while input waits for it. */
static void typing_to_the_dead(void)
{
    struct vitrine_place at =
        start_ready("stty raw -echo; echo ready; head -c 1 >/dev/null; exit 0");
    char *text = calloc(1, 200000);
    int status = vitrine_send_text(v, at.pane, text, 200000, DEADLINE_MS);

    CHECK(status == VITRINE_E_ENDED || status == VITRINE_E_NOT_FOUND);
    free(text);
    CHECK(vitrine_send_text(v, at.pane, "x", 1, DEADLINE_MS) < 0);
}

/* --- what a pane shows ---------------------------------------------------------------------- */

static const struct vitrine_cell *cell(const struct vitrine_screen *s, size_t row, size_t col)
{
    return &s->lines[s->n_history + row].cells[col];
}

static void cells(void)
{
    struct vitrine_place at = start_ready(
        "printf "
        "'\\033[1;3;31mA\\033[0;48;5;200mB\\033[0;38;2;1;2;3;4:3;58;5;9mC\\033[0m世e\\314\\201"
        "\\033]8;;http://x.example/\\033\\\\L\\033]8;;\\033\\\\\\r\\n\\033]2;my title\\033\\\\"
        "\\033[?2004h\\033[?1h\\033[4 q\\033[?25lready'; exec cat");
    struct vitrine_screen *s;

    IS_OK(vitrine_capture_cells(v, at.pane, 0, &s));
    CHECK(s->cols == 80 && s->rows == 24 && s->n_lines == 24 && s->n_history == 0);
    CHECK(s->cursor_x == 5 && s->cursor_y == 1 && !s->cursor_visible && s->cursor_shape == 4);
    CHECK((s->modes &
           (VITRINE_MODE_BRACKETED_PASTE | VITRINE_MODE_APP_CURSOR | VITRINE_MODE_ALTERNATE)) ==
          (VITRINE_MODE_BRACKETED_PASTE | VITRINE_MODE_APP_CURSOR));
    CHECK(strcmp(s->title, "my title") == 0);
    CHECK(strcmp(cell(s, 0, 0)->text, "A") == 0);
    CHECK(cell(s, 0, 0)->attributes == (VITRINE_BOLD | VITRINE_ITALIC));
    CHECK(VITRINE_COLOR_KIND(cell(s, 0, 0)->fg) == VITRINE_COLOR_16);
    CHECK(VITRINE_COLOR_VALUE(cell(s, 0, 0)->fg) == 1);
    CHECK(VITRINE_COLOR_KIND(cell(s, 0, 1)->bg) == VITRINE_COLOR_256);
    CHECK(VITRINE_COLOR_VALUE(cell(s, 0, 1)->bg) == 200 && cell(s, 0, 1)->fg == 0);
    CHECK(VITRINE_COLOR_KIND(cell(s, 0, 2)->fg) == VITRINE_COLOR_RGB);
    CHECK(VITRINE_COLOR_VALUE(cell(s, 0, 2)->fg) == 0x010203);
    CHECK(cell(s, 0, 2)->underline == VITRINE_UNDERLINE_CURLY);
    CHECK(VITRINE_COLOR_VALUE(cell(s, 0, 2)->underline_color) == 9);
    CHECK(strcmp(cell(s, 0, 3)->text, "世") == 0 && cell(s, 0, 3)->width == 2);
    CHECK(cell(s, 0, 4)->width == 0 && cell(s, 0, 4)->text[0] == '\0');
    CHECK(strcmp(cell(s, 0, 5)->text, "e\xcc\x81") == 0 && cell(s, 0, 5)->width == 1);
    CHECK(cell(s, 0, 6)->link != 0 && cell(s, 0, 5)->link == 0);
    CHECK(strcmp(vitrine_screen_link(s, cell(s, 0, 6)->link), "http://x.example/") == 0);
    CHECK(vitrine_screen_link(s, 4711) == NULL);
    CHECK(s->lines[0].n == 80 && cell(s, 0, 7)->text[0] == '\0' && cell(s, 0, 7)->width == 1);
    vitrine_free(s);
    CHECK(vitrine_capture_cells(v, 4711, 0, &s) == VITRINE_E_NOT_FOUND && s == NULL);
}

static void history(void)
{
    struct vitrine_place at = start_ready("seq 1 9000; printf '%0200d' 7; echo ready; exec cat");
    struct vitrine_screen *s;
    char number[16];

    IS_OK(vitrine_capture_cells(v, at.pane, UINT32_MAX, &s));
    CHECK(s->n_lines == 9000 + 4 && s->n_history == s->n_lines - 24);
    for (size_t i = 0; i < 9000; i++) {
        size_t len = (size_t)snprintf(number, sizeof number, "%zu", i + 1);

        for (size_t k = 0; k < len; k++)
            CHECK(s->lines[i].cells[k].text[0] == number[k]);
        CHECK(i == 0 || s->lines[i].number == s->lines[i - 1].number + 1);
        CHECK(!s->lines[i].wrapped);
    }
    CHECK(s->lines[9000].wrapped && s->lines[9001].wrapped && !s->lines[9002].wrapped);
    vitrine_free(s);
    IS_OK(vitrine_capture_cells(v, at.pane, 10, &s));
    CHECK(s->n_history == 10 && s->n_lines == 34);
    CHECK(s->lines[10 + 23 - 3].cells[0].text[0] == '0'); /* the long number, above "ready" */
    vitrine_free(s);
}

/* Scrollback beyond what one answer holds: a pen for every cell takes more than text. */
static void history_in_parts(void)
{
    struct vitrine_place at =
        start_ready("awk 'BEGIN { for (i = 0; i < 4000; i++) { for (k = 0; k < 79; k++) "
                    "printf \"\\033[3%dm%d\", (i + k) % 8, (i + k) % 10; print \"\" } }'; echo "
                    "ready; exec cat");
    struct vitrine_screen *s;

    IS_OK(vitrine_capture_cells(v, at.pane, UINT32_MAX, &s));
    CHECK(s->n_lines == 4002);
    for (size_t i = 0; i < 4000; i++) {
        for (size_t k = 0; k < 79; k++) {
            const struct vitrine_cell *c = &s->lines[i].cells[k];

            CHECK(c->text[0] == (char)('0' + (i + k) % 10) && c->text[1] == '\0');
            CHECK(c->fg == (1u << 24 | (i + k) % 8));
        }
    }
    vitrine_free(s);
}

/* While the program prints, each capture is of one moment. */
static void history_while_printing(void)
{
    struct vitrine_place at = start_ready("echo ready; n=0; while :; do n=$((n+1)); echo $n; done");
    struct vitrine_screen *s;

    for (unsigned round = 0; round < 20; round++) {
        IS_OK(vitrine_capture_cells(v, at.pane, 5000, &s));
        CHECK(s->n_lines >= 24 && s->n_lines <= 5024 && s->n_history == s->n_lines - 24);
        for (size_t i = 1; i < s->n_lines; i++)
            CHECK(s->lines[i].number == s->lines[i - 1].number + 1);
        vitrine_free(s);
    }
    IS_OK(vitrine_kill_session(v, at.session));
}

static void alternate_screen(void)
{
    struct vitrine_place at =
        start_ready("printf 'main\\033[?1049h\\033[Hready\\033[2;1H\\033[7mfull\\033[m'; exec cat");
    struct vitrine_screen *s;

    IS_OK(vitrine_capture_cells(v, at.pane, 0, &s));
    CHECK(s->modes & VITRINE_MODE_ALTERNATE);
    CHECK(strcmp(cell(s, 0, 0)->text, "r") == 0 && strcmp(cell(s, 1, 0)->text, "f") == 0);
    CHECK(cell(s, 1, 0)->attributes == VITRINE_INVERSE);
    vitrine_free(s);
}

/* --- output --------------------------------------------------------------------------------- */

static void from_the_first_byte(void)
{
    struct seen s = {.len = 0};

    IS_OK(vitrine_subscribe(v, VITRINE_NEXT_PANE, VITRINE_NOW, &all, &s, NULL));
    start("printf begin; printf '\\033[1mend'; exit 3");
    wait_end(&s);
    CHECK(s.end.how == VITRINE_EXITED && s.end.code == 3 && s.begin == 0);
    CHECK(strcmp(s.text, "begin\033[1mend") == 0 && s.lags == 0 && !s.broken);
}

static void no_pane_came(void)
{
    struct seen s = {.len = 0};
    struct vitrine_expect *e;
    struct vitrine_result r;

    IS_OK(vitrine_subscribe(v, VITRINE_NEXT_PANE, VITRINE_NOW, &all, &s, NULL));
    CHECK(vitrine_expect_begin(v, VITRINE_NEXT_PANE, &e) == VITRINE_E_LIMIT);
    IS_OK(vitrine_command(v, WORDS("display-message", "-p", "x"), DEADLINE_MS, &r));
    vitrine_result_clear(&r);
    wait_end(&s);
    CHECK(s.end.how == VITRINE_NO_PANE && s.bytes == 0);
}

static void from_an_offset(void)
{
    struct vitrine_place at = start_ready("printf 0123456789; echo; echo ready; exec cat");
    struct seen s = {.len = 0}, t = {.len = 0}, u = {.len = 0};
    struct vitrine_pane *p;
    size_t n;

    IS_OK(vitrine_list_panes(v, &p, &n));
    CHECK(n == 1 && p[0].offset == 19);
    vitrine_free(p);
    IS_OK(vitrine_subscribe(v, at.pane, 0, &all, &s, NULL));
    IS_OK(vitrine_subscribe(v, at.pane, 5, &all, &t, NULL));
    IS_OK(vitrine_subscribe(v, at.pane, VITRINE_NOW, &all, &u, NULL));
    IS_OK(vitrine_send_text(v, at.pane, "more\r", 5, DEADLINE_MS));
    wait_text(&s, "more\r\n");
    wait_text(&t, "more\r\n");
    wait_text(&u, "more\r\n");
    CHECK(strncmp(s.text, "0123456789\r\nready\r\nmore", 23) == 0 && s.begin == 0);
    CHECK(strncmp(t.text, "56789\r\nready\r\nmore", 18) == 0 && t.begin == 5);
    CHECK(strncmp(u.text, "more", 4) == 0 && u.begin == 19);
    CHECK(vitrine_subscribe(v, at.pane, 1u << 30, &all, &u, NULL) == VITRINE_E_LIMIT);
    CHECK(vitrine_subscribe(v, 4711, 0, &all, &u, NULL) == VITRINE_E_NOT_FOUND);
}

/* A program of 40 MB of output while nobody reads here: it is not slowed, all bytes are either had
 * or told as lost, and the newest come. */
static void lag(void)
{
    struct vitrine *other;
    struct vitrine_expect *e;
    struct vitrine_place at;
    struct seen s = {.len = 0};

    IS_OK(vitrine_open(&other, NULL));
    IS_OK(vitrine_subscribe(v, VITRINE_NEXT_PANE, 0, &all, &s, NULL));
    at = start("read go; head -c 40000000 /dev/zero | tr '\\0' x; echo; echo over; read end");
    CHECK(vitrine_expect_begin(other, at.pane, &e) == VITRINE_OK);
    CHECK(vitrine_send_text(other, at.pane, "\r", 1, DEADLINE_MS) == VITRINE_OK);
    CHECK(vitrine_expect(e, "^over$", VITRINE_REGEX, DEADLINE_MS, NULL) == VITRINE_OK);
    CHECK(vitrine_send_text(other, at.pane, "\r", 1, DEADLINE_MS) == VITRINE_OK);
    wait_end(&s);
    CHECK(!s.broken && s.begin == 0 && s.next > 40000000);
    CHECK(s.bytes + s.lost == s.next && s.lags > 0);
    CHECK(s.bytes < 8000000); /* what queues hold, not what was printed */
    vitrine_close(other);
}

static unsigned in_handler;

static void meddle(void *ctx, uint64_t offset, const void *bytes, size_t n)
{
    uint32_t *id = ctx;
    struct vitrine_session *s;
    size_t count;

    (void)offset, (void)bytes, (void)n;
    in_handler++;
    CHECK(vitrine_list_sessions(v, &s, &count) == VITRINE_E_STATE && s == NULL);
    CHECK(vitrine_dispatch(v, 0) == VITRINE_E_STATE);
    IS_OK(vitrine_unsubscribe(v, *id));
    CHECK(vitrine_unsubscribe(v, *id) == VITRINE_E_NOT_FOUND);
}

static void unsubscribing(void)
{
    const struct vitrine_handlers once = {meddle, NULL, NULL};
    struct vitrine_place at = start_ready("echo ready; exec cat");
    struct seen s = {.len = 0};
    uint32_t id, other;

    IS_OK(vitrine_subscribe(v, at.pane, VITRINE_NOW, &once, &id, &id));
    IS_OK(vitrine_subscribe(v, at.pane, VITRINE_NOW, &all, &s, &other));
    IS_OK(vitrine_send_text(v, at.pane, "one\r", 4, DEADLINE_MS));
    wait_text(&s, "one\r\none\r\n");
    IS_OK(vitrine_unsubscribe(v, other));
    IS_OK(vitrine_send_text(v, at.pane, "two\r", 4, DEADLINE_MS));
    IS_OK(vitrine_find(v, NULL, &at));
    CHECK(in_handler == 1 && !strstr(s.text, "two") && s.ended == 0);
}

static void ends(void)
{
    struct vitrine_place at = start_ready("echo ready; read x; kill -TERM $$");
    struct vitrine_place keep = start("exec cat");
    struct seen s = {.len = 0};
    struct vitrine_end end;

    IS_OK(vitrine_subscribe(v, at.pane, VITRINE_NOW, &all, &s, NULL));
    CHECK(vitrine_wait_exit(v, at.pane, 50, &end) == VITRINE_E_TIMEOUT);
    IS_OK(vitrine_send_text(v, at.pane, "\r", 1, DEADLINE_MS));
    IS_OK(vitrine_wait_exit(v, at.pane, DEADLINE_MS, &end));
    CHECK(end.how == VITRINE_SIGNALLED && end.code == SIGTERM);
    wait_end(&s);
    CHECK(s.end.how == VITRINE_SIGNALLED && s.ended == 1);
    IS_OK(vitrine_wait_exit(v, at.pane, 0, &end)); /* long gone, and still known */
    CHECK(end.how == VITRINE_SIGNALLED && end.code == SIGTERM);
    CHECK(vitrine_wait_exit(v, 4711, 0, &end) == VITRINE_E_NOT_FOUND);
    IS_OK(vitrine_subscribe(v, keep.pane, VITRINE_NOW, &all, &s, NULL));
    s.ended = 0;
    IS_OK(vitrine_kill_pane(v, keep.pane));
    wait_end(&s);
    CHECK(s.end.how == VITRINE_KILLED);
}

static void many_subscriptions(void)
{
    const struct vitrine_handlers quiet = {NULL, NULL, on_ended};
    struct vitrine_place at = start_ready("echo ready; read x");
    struct seen *s = calloc(1, sizeof *s);
    unsigned n = 0;
    int status;

    while ((status = vitrine_subscribe(v, at.pane, VITRINE_NOW, &quiet, s, NULL)) == VITRINE_OK)
        n++;
    CHECK(status == VITRINE_E_LIMIT && n == 1024);
    SAYS("too many");
    IS_OK(vitrine_send_text(v, at.pane, "\r", 1, DEADLINE_MS));
    while (s->ended < (int)n)
        IS_OK(vitrine_dispatch(v, DEADLINE_MS));
    free(s);
}

/* In a loop of poll(2) the socket is readable when, and only when, there is something to do. */
static void event_loop(void)
{
    struct vitrine_place at = start_ready("stty -echo; echo ready; exec cat");
    struct seen s = {.len = 0};
    struct pollfd p = {vitrine_fd(v), POLLIN, 0};

    IS_OK(vitrine_subscribe(v, at.pane, VITRINE_NOW, &all, &s, NULL));
    CHECK(vitrine_dispatch(v, 0) == VITRINE_E_TIMEOUT || s.bytes == 0);
    CHECK(poll(&p, 1, 0) == 0);
    IS_OK(vitrine_send_text(v, at.pane, "x\r", 2, DEADLINE_MS));
    while (!strstr(s.text, "x")) {
        CHECK(poll(&p, 1, DEADLINE_MS) == 1);
        IS_OK(vitrine_dispatch(v, 0));
    }
}

struct told {
    unsigned n[VITRINE_EVENTS_LOST + 1];
    struct vitrine_event last[VITRINE_EVENTS_LOST + 1];
    char name[64];
};

static void on_event(void *ctx, const struct vitrine_event *e)
{
    struct told *t = ctx;

    t->n[e->kind]++;
    t->last[e->kind] = *e;
    if (e->kind == VITRINE_SESSION_RENAMED)
        snprintf(t->name, sizeof t->name, "%s", e->name);
}

static void wait_event(struct told *t, enum vitrine_event_kind kind)
{
    while (t->n[kind] == 0)
        IS_OK(vitrine_dispatch(v, DEADLINE_MS));
}

static void events(void)
{
    struct vitrine_options o = VITRINE_OPTIONS_INIT;
    struct vitrine_place keep = start("exec cat"), at, split;
    struct told t = {.name = ""};
    struct vitrine_result r;
    struct vitrine *quiet = v;

    o.events = true;
    IS_OK(vitrine_open(&v, &o));
    IS_OK(vitrine_on_event(v, on_event, &t));
    CHECK(vitrine_new_session(quiet, SPAWN("cat"), &at) == VITRINE_OK);
    wait_event(&t, VITRINE_PANE_CREATED);
    CHECK(t.n[VITRINE_SESSION_CREATED] == 1 && t.n[VITRINE_WINDOW_CREATED] == 1);
    CHECK(t.last[VITRINE_SESSION_CREATED].session == at.session);
    CHECK(t.last[VITRINE_PANE_CREATED].pane == at.pane);
    CHECK(t.last[VITRINE_PANE_CREATED].window == at.window);
    CHECK(t.last[VITRINE_PANE_CREATED].session == at.session);
    t.n[VITRINE_PANE_CREATED] = 0;
    IS_OK(vitrine_split(v, at.pane, VITRINE_BELOW, 0, SPAWN("cat"), &split));
    wait_event(&t, VITRINE_PANE_CREATED);
    CHECK(t.last[VITRINE_PANE_CREATED].pane == split.pane);
    IS_OK(vitrine_command(v, WORDS("rename-session", "-t", "0", "other"), DEADLINE_MS, &r));
    CHECK(r.status == 0);
    vitrine_result_clear(&r);
    wait_event(&t, VITRINE_SESSION_RENAMED);
    CHECK(strcmp(t.name, "other") == 0 && t.last[VITRINE_SESSION_RENAMED].session == keep.session);
    IS_OK(vitrine_kill_pane(v, split.pane));
    wait_event(&t, VITRINE_PANE_CLOSED);
    CHECK(t.last[VITRINE_PANE_CLOSED].pane == split.pane && t.n[VITRINE_WINDOW_CLOSED] == 0);
    IS_OK(vitrine_kill_session(v, at.session));
    wait_event(&t, VITRINE_SESSION_CLOSED);
    CHECK(t.last[VITRINE_SESSION_CLOSED].session == at.session);
    vitrine_close(quiet);
}

/* --- waiting for text ----------------------------------------------------------------------- */

static void expecting(void)
{
    struct vitrine_place at = start_ready("stty -echo; echo ready; exec cat");
    struct vitrine_expect *e;
    struct vitrine_match m;

    IS_OK(vitrine_expect_begin(v, at.pane, &e));
    IS_OK(vitrine_send_text(v, at.pane, "alpha beta\rgamma 12\rdelta\r", 26, DEADLINE_MS));
    IS_OK(vitrine_find(v, NULL, &at)); /* the answers come before anybody waits for them */
    IS_OK(vitrine_expect(e, "^gamma ([0-9])([0-9])(x)?$", VITRINE_REGEX, DEADLINE_MS, &m));
    CHECK(strcmp(m.text, "gamma 12") == 0 && strcmp(m.before, "alpha beta\n") == 0);
    CHECK(m.n_groups == 3 && strcmp(m.groups[1], "1") == 0 && strcmp(m.groups[2], "2") == 0);
    CHECK(m.groups[0] == m.text);
    vitrine_match_clear(&m);
    CHECK(m.text == NULL);
    CHECK(vitrine_expect(e, "alpha", VITRINE_TEXT, 50, &m) == VITRINE_E_TIMEOUT); /* passed */
    CHECK(m.text == NULL);
    SAYS("alpha was not seen in time");
    IS_OK(vitrine_expect(e, "DELTA", VITRINE_ICASE, DEADLINE_MS, NULL));
    CHECK(strcmp(vitrine_expect_text(e), "\n") == 0);
    CHECK(vitrine_expect(e, "(", VITRINE_REGEX, 0, NULL) == VITRINE_E_ARGUMENT);
    CHECK(vitrine_expect(e, "", VITRINE_TEXT, 0, NULL) == VITRINE_E_ARGUMENT);
    CHECK(vitrine_expect(e, "x", 64, 0, NULL) == VITRINE_E_ARGUMENT);
    vitrine_expect_end(e);
    vitrine_expect_end(NULL);
}

/* Found across pieces, escape sequences and colours; not before its line's end has come. */
static void expecting_pieces(void)
{
    struct vitrine_place at =
        start_ready("stty -echo; echo ready; while read x; do eval \"$x\"; done");
    struct vitrine_expect *e;
    struct vitrine_match m;

    IS_OK(vitrine_expect_begin(v, at.pane, &e));
    IS_OK(vitrine_send_text(v, at.pane, "printf 'hal\\\\033[1'\r", 20, DEADLINE_MS));
    CHECK(vitrine_expect(e, "^hal", VITRINE_REGEX, DEADLINE_MS, NULL) == VITRINE_OK);
    IS_OK(vitrine_send_text(v, at.pane, "printf ';31mf 4'\r", 17, DEADLINE_MS));
    CHECK(vitrine_expect(e, "^", VITRINE_REGEX, 0, NULL) == VITRINE_E_TIMEOUT);
    CHECK(vitrine_expect(e, "f ([0-9]+)$", VITRINE_REGEX, 50, NULL) == VITRINE_E_TIMEOUT);
    IS_OK(vitrine_send_text(v, at.pane, "echo 2\r", 7, DEADLINE_MS));
    IS_OK(vitrine_expect(e, "f ([0-9]+)$", VITRINE_REGEX, DEADLINE_MS, &m));
    CHECK(strcmp(m.groups[1], "42") == 0 && m.before[0] == '\0');
    vitrine_match_clear(&m);
}

static void expecting_ended(void)
{
    struct vitrine_expect *e;

    IS_OK(vitrine_expect_begin(v, VITRINE_NEXT_PANE, &e));
    start("printf 'last words'");
    IS_OK(vitrine_expect(e, "words$", VITRINE_REGEX, DEADLINE_MS, NULL));
    CHECK(vitrine_expect(e, "more", VITRINE_TEXT, DEADLINE_MS, NULL) == VITRINE_E_ENDED);
    SAYS("ended without saying more");
    vitrine_expect_end(e);
}

/* Megabytes go by; what is kept is bounded and the end is found. */
static void expecting_much(void)
{
    struct vitrine_expect *e;

    IS_OK(vitrine_expect_begin(v, VITRINE_NEXT_PANE, &e));
    start("seq 1 600000; echo the end; exec cat");
    IS_OK(vitrine_expect(e, "^the end$", VITRINE_REGEX, DEADLINE_MS, NULL));
    CHECK(strlen(vitrine_expect_text(e)) <= 256 << 10);
}

/* --- shares --------------------------------------------------------------------------------- */

static void sharing(void)
{
    struct vitrine_place at = start_ready("echo ready; exec cat");
    struct vitrine_share s, again;
    uint32_t *list;
    size_t n;

    IS_OK(vitrine_list_shares(v, &list, &n));
    CHECK(list != NULL && n == 0);
    vitrine_free(list);
    IS_OK(vitrine_share(v, at.pane, VITRINE_SHARE_PANE, true, DEADLINE_MS, &s));
    CHECK(s.n_links == 2 && s.links[0].write != s.links[1].write);
    for (size_t i = 0; i < 2; i++)
        CHECK(strncmp(s.links[i].url, "http", 4) == 0 && strchr(s.links[i].url, '#'));
    CHECK(strcmp(s.links[0].url, s.links[1].url) != 0);
    IS_OK(vitrine_share_links(v, s.id, &again));
    CHECK(again.id == s.id && again.n_links == 2);
    for (size_t i = 0; i < 2; i++)
        CHECK(strcmp(s.links[i].url, again.links[i].url) == 0);
    vitrine_share_clear(&again);
    CHECK(again.links == NULL);
    IS_OK(vitrine_list_shares(v, &list, &n));
    CHECK(n == 1 && list[0] == s.id);
    vitrine_free(list);
    IS_OK(vitrine_unshare(v, s.id));
    CHECK(vitrine_unshare(v, s.id) < 0 && vitrine_share_links(v, s.id, &again) < 0);
    IS_OK(vitrine_list_shares(v, &list, &n));
    CHECK(n == 0);
    vitrine_free(list);
    vitrine_share_clear(&s);
    CHECK(vitrine_share(v, 4711, VITRINE_SHARE_PANE, false, DEADLINE_MS, &s) ==
          VITRINE_E_NOT_FOUND);
    CHECK(vitrine_share(v, 0, (enum vitrine_share_scope)7, false, 0, &s) == VITRINE_E_ARGUMENT);
}

static void sharing_more(void)
{
    struct vitrine_place at = start_ready("echo ready; exec cat");
    struct vitrine_share pane, window, session;

    IS_OK(vitrine_share(v, at.pane, VITRINE_SHARE_WINDOW, false, DEADLINE_MS, &window));
    CHECK(window.n_links == 1 && !window.links[0].write);
    IS_OK(vitrine_share(v, at.pane, VITRINE_SHARE_SESSION, true, DEADLINE_MS, &session));
    IS_OK(vitrine_share(v, at.pane, VITRINE_SHARE_PANE, false, DEADLINE_MS, &pane));
    CHECK(session.n_links == 2 && pane.n_links == 1);
    CHECK(pane.id != window.id && window.id != session.id && session.id != pane.id);
    IS_OK(vitrine_unshare(v, session.id));
    IS_OK(vitrine_unshare(v, window.id));
    IS_OK(vitrine_unshare(v, pane.id));
    vitrine_share_clear(&pane);
    vitrine_share_clear(&window);
    vitrine_share_clear(&session);
}

/* --- the small print ------------------------------------------------------------------------ */

static void texts(void)
{
    for (int s = VITRINE_OK; s >= VITRINE_E_SYSTEM; s--)
        CHECK(strcmp(vitrine_status_text(s), "unknown status") != 0);
    CHECK(strcmp(vitrine_status_text(VITRINE_E_SYSTEM - 1), "unknown status") == 0);
    CHECK(strcmp(vitrine_status_text(1), "unknown status") == 0);
    CHECK(strcmp(vitrine_error(NULL), "out of memory") == 0);
    vitrine_close(NULL);
    vitrine_free(NULL);
}

/* What the program starts itself gets nothing of the connection. */
static void closed_on_exec(void)
{
    char line[64];

    snprintf(line, sizeof line, "test ! -e /proc/self/fd/%d", vitrine_fd(v));
    CHECK(vitrine_fd(v) >= 3 && system(line) == 0);
}

/* --- the table ------------------------------------------------------------------------------ */

#define ROW(name)   \
    {               \
#name, name \
    }
static const struct {
    const char *name;
    void (*run)(void);
} checks[] = {
    ROW(no_server),
    ROW(starts_a_server),
    ROW(wrong_options),
    ROW(server_killed),
    ROW(any_command),
    ROW(no_attaching),
    ROW(long_output),
    ROW(too_long),
    ROW(command_given_up),
    ROW(lists),
    ROW(empty_lists),
    ROW(finds),
    ROW(environment),
    ROW(refused_making),
    ROW(resizing),
    ROW(killing),
    ROW(typing),
    ROW(typing_much),
    ROW(typing_unread),
    ROW(typing_to_the_dead),
    ROW(cells),
    ROW(history),
    ROW(history_in_parts),
    ROW(history_while_printing),
    ROW(alternate_screen),
    ROW(from_the_first_byte),
    ROW(no_pane_came),
    ROW(from_an_offset),
    ROW(lag),
    ROW(unsubscribing),
    ROW(ends),
    ROW(many_subscriptions),
    ROW(event_loop),
    ROW(events),
    ROW(expecting),
    ROW(expecting_pieces),
    ROW(expecting_ended),
    ROW(expecting_much),
    ROW(sharing),
    ROW(sharing_more),
    ROW(texts),
    ROW(closed_on_exec),
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        if (argc < 2) {
            puts(checks[i].name);
        } else if (strcmp(argv[1], checks[i].name) == 0) {
            IS_OK(vitrine_open(&v, NULL));
            checks[i].run();
            vitrine_close(v);
            return 0;
        }
    }
    return argc < 2 ? 0 : 2;
}
