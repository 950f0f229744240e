#include "server/client/doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/client/cli.h"
#include "server/client/client_flags.h"
#include "server/client/relay.h"
#include "server/client/request.h"
#include "server/client/start.h"
#include "server/client/terminal.h"

enum status { OK, WARN, FAIL };

struct doctor {
    bool json;
    bool failed;
    size_t n; /* checks printed */
};

static void print_json_string(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;

        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

static void report(struct doctor *d, enum status s, const char *name, const char *detail)
{
    static const char *const words[] = {"ok", "warn", "MISS"};

    d->failed |= s == FAIL;
    if (d->json) {
        printf("%s{\"check\":", d->n > 0 ? "," : "");
        print_json_string(name);
        printf(",\"ok\":%s,\"detail\":", s == FAIL ? "false" : "true");
        print_json_string(detail);
        putchar('}');
    } else {
        printf("%-4s %s: %s\n", words[s], name, detail);
    }
    d->n++;
}

/* --- checks made here ----------------------------------------------------------------------- */

static void check_program(struct doctor *d, const char *name)
{
    char path[START_PATH_MAX];

    if (start_find_program(name, path))
        report(d, OK, name, path);
    else
        report(d, FAIL, name, "neither beside vitrine nor in PATH: install it");
}

static void check_terminal(struct doctor *d)
{
    const char *term = getenv("TERM");
    uint16_t cols, rows;
    char text[160];

    if (!terminal_is_there()) {
        report(d, WARN, "terminal", "none here: sessions can be made with -d, not attached");
        return;
    }
    if (!term || term[0] == '\0' || strcmp(term, "dumb") == 0) {
        report(d, WARN, "terminal",
               "TERM names none that can show a session: set it, for example to "
               "xterm-256color");
        return;
    }
    if (!terminal_size(&cols, &rows))
        cols = 80, rows = 24;
    snprintf(text, sizeof text, "%.64s, %u columns, %u rows", term, cols, rows);
    report(d, OK, "terminal", text);
}

static void check_locale(struct doctor *d)
{
    if ((client_flags() & IPC_CLIENT_UTF8) != 0)
        report(d, OK, "locale", "UTF-8");
    else
        report(d, WARN, "locale", "not UTF-8: set LANG, for example to C.UTF-8");
}

static bool check_runtime_dir(struct doctor *d, const struct runtime_choice *choice,
                              char path[RUNTIME_PATH_MAX])
{
    char why[RUNTIME_WHY_MAX];
    bool good = runtime_dir_socket(choice, path, why) == ERR_OK;

    report(d, good ? OK : FAIL, "socket", good ? path : why);
    return good;
}

/* --- and by the daemon ---------------------------------------------------------------------- */

/* Prints the objects of the daemon's array behind ours. */
static void splice(struct doctor *d, const char *array)
{
    const char *first = array ? strchr(array, '[') : NULL;
    const char *last = first ? strrchr(first, ']') : NULL;

    if (!last) {
        report(d, FAIL, "server", "its answer is no list of checks");
        return;
    }
    first += 1 + strspn(first + 1, " \n");
    if (first < last)
        printf("%s%.*s", d->n > 0 ? "," : "", (int)(last - first), first);
}

static void ask_daemon(struct doctor *d, struct connection *c)
{
    const char *argv[] = {"doctor", "--json"};
    struct request r = {.argc = d->json ? 2 : 1, .argv = argv};
    struct relay_output out = {NULL, 0};
    int status;

    if (request_queue(c, &r) != ERR_OK) {
        report(d, FAIL, "server", "out of memory");
        return;
    }
    fflush(stdout);
    status = d->json ? relay_capture(c, &out) : relay_run(c, 0, 0);
    d->failed |= status != 0;
    if (status == RELAY_UNANSWERED)
        report(d, FAIL, "server", "it went away: try again");
    else if (d->json)
        splice(d, out.text);
    free(out.text);
}

static void check_daemon(struct doctor *d, const char *socket_path, const char *config)
{
    struct connection *c = NULL;
    char why[START_WHY_MAX];
    bool started;
    char text[START_WHY_MAX + 32];

    if (start_connect(socket_path, config, CONNECTION_DEADLINE_MS, &c, &started, why) != ERR_OK) {
        report(d, FAIL, "server", why);
        return;
    }
    snprintf(text, sizeof text, "%s on %s", started ? "started" : "running", socket_path);
    report(d, OK, "server", text);
    ask_daemon(d, c);
    connection_close(c);
}

int doctor_run(const struct runtime_choice *choice, const struct args *a)
{
    struct doctor d = {.json = args_has(a, "json")};
    char path[RUNTIME_PATH_MAX];

    if (d.json)
        printf("{\"checks\":[");
    check_program(&d, "vitrined");
    check_program(&d, "vitrine-gate");
    check_terminal(&d);
    check_locale(&d);
    if (check_runtime_dir(&d, choice, path))
        check_daemon(&d, path, choice->config);
    if (d.json)
        printf("],\"ok\":%s}\n", d.failed ? "false" : "true");
    return d.failed ? CLI_REFUSED : CLI_DONE;
}
