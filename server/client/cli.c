#include "server/client/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/args_help.h"
#include "proto/ipc_msg.h"
#include "proto/utf8.h"
#include "server/client/client_flags.h"
#include "server/client/doctor.h"
#include "server/client/local_commands.h"
#include "server/client/relay.h"
#include "server/client/request.h"
#include "server/client/start.h"
#include "server/client/terminal.h"

#define WHY_MAX   512
#define SHOWN_MAX 1024
#define TRIES     3 /* of a line, at daemons that end */

static const char program_usage[] =
    "usage: vitrine [-hV] [-f file] [-L socket-name] [-S socket-path] [command [option ...]]";

/* Words of the command line and of the environment stand in messages. */
static void printable(const char *text, char out[SHOWN_MAX])
{
    utf8_printable((const uint8_t *)text, strlen(text), out, SHOWN_MAX - 1);
}

int cli_error(const char *why)
{
    char shown[SHOWN_MAX];

    printable(why, shown);
    fprintf(stderr, "vitrine: %s\n", shown);
    return CLI_REFUSED;
}

int cli_usage_error(const struct command_spec *spec, const char *why)
{
    char shown[SHOWN_MAX];

    printable(why, shown);
    if (spec)
        fprintf(stderr, "vitrine: %s: %s; usage: vitrine %s%s%s\n", spec->name, shown, spec->name,
                spec->usage[0] != '\0' ? " " : "", spec->usage);
    else
        fprintf(stderr, "vitrine: %s; %s; see `vitrine help`\n", shown, program_usage);
    return CLI_USAGE;
}

/* --- commands the daemon runs --------------------------------------------------------------- */

/* True for a line that will take over this terminal. */
static bool attaches(const struct args *a)
{
    return a->spec->id == ARGS_COMMAND_attach_session ||
           (a->spec->id == ARGS_COMMAND_new_session && !args_has(a, "d"));
}

/* What keeps a line from attaching here; NULL when nothing does. */
static const char *attach_obstacle(const struct args *a, const char *socket_path)
{
    const char *term = getenv("TERM");

    if (!attaches(a))
        return NULL;
    if (!terminal_is_there())
        return a->spec->id == ARGS_COMMAND_new_session ? "not a terminal: use -d"
                                                       : "not a terminal: nothing to attach to";
    if (!term || term[0] == '\0')
        return "TERM is not set: set it to your terminal's name, for example xterm-256color";
    if (strcmp(term, "dumb") == 0)
        return "a dumb terminal cannot show a session: set TERM to your terminal's name";
    if (runtime_dir_is_nested(socket_path))
        return "sessions should be nested with care, unset $VITRINE to force";
    return NULL;
}

/* Sends a line to the daemon and relays what comes. Returns the exit status. */
static int ask(struct connection *c, const struct args *a, size_t argc, const char *const *argv)
{
    const char *only[2] = {NULL, NULL};
    char cwd[4096];
    struct request r = {
        .argc = argc,
        .argv = argv,
        .env = request_choose_env(a->spec, only),
        .term = getenv("TERM"),
        .cwd = getcwd(cwd, sizeof cwd),
        .flags = client_flags(),
    };
    enum err e;

    if ((r.flags & IPC_CLIENT_TTY) != 0 && !terminal_size(&r.cols, &r.rows)) {
        r.cols = 80;
        r.rows = 24;
    }
    e = request_queue(c, &r);
    if (e != ERR_OK)
        return cli_error(e == ERR_SPACE ? "the command line is too long" : err_text(e));
    return relay_run(c, r.cols, r.rows);
}

/* Connects, starting the daemon for lines that may. False after saying why not. */
static bool reach_daemon(const struct runtime_choice *choice, const struct args *a,
                         const char *socket_path, struct connection **c)
{
    char why[START_WHY_MAX];
    bool started;
    enum err e;

    if ((a->spec->flags & ARGS_START) != 0) {
        e = start_connect(socket_path, choice->config, CONNECTION_DEADLINE_MS, c, &started, why);
    } else {
        e = connection_open(socket_path, CONNECTION_DEADLINE_MS, c);
        if (e != ERR_OK)
            start_explain(e, socket_path, why);
    }
    if (e != ERR_OK)
        cli_error(why);
    return e == ERR_OK;
}

/* A daemon that is just ending may still take a connection and close it without a word: then the
 * line was not run, and goes to the next one. */
static int run_remote(const struct runtime_choice *choice, const struct args *a, size_t argc,
                      const char *const *argv)
{
    char path[RUNTIME_PATH_MAX];
    char why[RUNTIME_WHY_MAX];
    struct connection *c = NULL;
    const char *obstacle;
    int status = RELAY_UNANSWERED;

    if (runtime_dir_socket(choice, path, why) != ERR_OK)
        return cli_error(why);
    obstacle = attach_obstacle(a, path);
    if (obstacle)
        return cli_error(obstacle);
    for (int i = 0; i < TRIES && status == RELAY_UNANSWERED; i++) {
        if (!reach_daemon(choice, a, path, &c))
            return CLI_REFUSED;
        status = ask(c, a, argc, argv);
        connection_close(c);
    }
    return status == RELAY_UNANSWERED ? cli_error("the server went away") : status;
}

/* --- the command line ----------------------------------------------------------------------- */

static int run_local(const struct runtime_choice *choice, const struct args *a)
{
    switch ((int)a->spec->id) {
    case ARGS_COMMAND_version:
        return local_commands_version();
    case ARGS_COMMAND_list_commands:
        return local_commands_list(a);
    case ARGS_COMMAND_doctor:
        return doctor_run(choice, a);
    default:
        return local_commands_help(a);
    }
}

/* Says what is wrong with a command; the usage only where nothing better was said. */
static int wrong_command(const struct args *a, const char *name, const char *why)
{
    bool ambiguous;

    args_find(name, &ambiguous);
    if (a->spec || !(ambiguous || args_help_nearest(name)))
        return cli_usage_error(a->spec, why);
    cli_error(why);
    return CLI_USAGE;
}

/* True for a word that ends a command of a line: `;` at its end, without a backslash. */
static bool ends_command(const char *word)
{
    size_t n = strlen(word);

    return n > 0 && word[n - 1] == ';' && !(n > 1 && word[n - 2] == '\\');
}

/* Looks at one command of a line of several: the words of argv from first on. Takes over into *all
 * what the line is sent with. 0, or the exit status. */
static int check_part(struct args *all, size_t n, const char **words)
{
    struct args a;
    char why[WHY_MAX];

    if (args_parse(n, words, &a, why, sizeof why) != ERR_OK)
        return wrong_command(&a, words[0], why);
    if ((a.spec->flags & ARGS_LOCAL) != 0) {
        snprintf(why, sizeof why, "%s stands alone on its line", a.spec->name);
        cli_error(why);
        return CLI_USAGE;
    }
    if (!all->spec || (!attaches(all) && attaches(&a)) ||
        (!attaches(all) && (a.spec->flags & ARGS_ENV) > (all->spec->flags & ARGS_ENV)))
        *all = a;
    return CLI_DONE;
}

/* A line of several commands: the daemon runs them, if each of them can be read. */
static int run_line(const struct runtime_choice *choice, size_t argc, const char *const *argv)
{
    const char **all_words = calloc(argc + 1, sizeof *all_words), **words = all_words;
    char **owned = calloc(argc + 1, sizeof *owned);
    struct args all = {0};
    size_t n = 0;
    int status = words && owned ? CLI_DONE : cli_error("out of memory");

    for (size_t i = 0; i < argc && status == CLI_DONE; i++) {
        bool ends = ends_command(argv[i]);

        if (!ends || argv[i][1] != '\0') {
            owned[i] = strndup(argv[i], strlen(argv[i]) - ends);
            words[n++] = owned[i] ? owned[i] : "";
        }
        if ((ends || i + 1 == argc) && n > 0) {
            status = check_part(&all, n, words);
            words += n;
            n = 0;
        }
    }
    if (status == CLI_DONE)
        status = all.spec ? run_remote(choice, &all, argc, argv) : cli_error("no command");
    for (size_t i = 0; owned && i < argc; i++)
        free(owned[i]);
    free(owned);
    free(all_words);
    return status;
}

static int run_command(const struct runtime_choice *choice, size_t argc, const char *const *argv)
{
    struct args a;
    char why[WHY_MAX];
    enum err e;

    for (size_t i = 0; i < argc; i++) {
        if (ends_command(argv[i]))
            return run_line(choice, argc, argv);
    }
    e = args_parse(argc, argv, &a, why, sizeof why);
    if (e == ERR_OK)
        return (a.spec->flags & ARGS_LOCAL) != 0 ? run_local(choice, &a)
                                                 : run_remote(choice, &a, argc, argv);
    if (a.spec && argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        local_commands_explain(a.spec);
        return CLI_DONE;
    }
    return wrong_command(&a, argv[0], why);
}

struct cli {
    size_t argc;
    const char *const *argv;
    size_t at;
    struct runtime_choice choice;
};

/* The value of a flag, attached or the next word; NULL when there is none. */
static const char *flag_value(struct cli *c)
{
    const char *word = c->argv[c->at];

    if (word[2] != '\0')
        return word + 2;
    return c->at + 1 < c->argc ? c->argv[++c->at] : NULL;
}

/* Takes the flags before the command. Returns -1 to go on, or the exit status. */
static int take_flags(struct cli *c)
{
    for (; c->at < c->argc && c->argv[c->at][0] == '-'; c->at++) {
        const char *word = c->argv[c->at];
        const char **value = word[1] == 'L'   ? &c->choice.name
                             : word[1] == 'f' ? &c->choice.config
                                              : &c->choice.path;
        char why[WHY_MAX];

        if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0)
            return local_commands_help(NULL);
        if (strcmp(word, "-V") == 0 || strcmp(word, "--version") == 0)
            return local_commands_version();
        if (word[1] != 'L' && word[1] != 'S' && word[1] != 'f') {
            snprintf(why, sizeof why, "unknown option %.64s", word);
            return cli_usage_error(NULL, why);
        }
        *value = flag_value(c);
        if (!*value) {
            snprintf(why, sizeof why, "option %.2s needs a value", word);
            return cli_usage_error(NULL, why);
        }
    }
    return -1;
}

/* The daemon has another working directory. */
static void make_absolute(const char *path, char out[START_PATH_MAX])
{
    char cwd[START_PATH_MAX / 2];

    if (path[0] == '/' || !getcwd(cwd, sizeof cwd))
        snprintf(out, START_PATH_MAX, "%s", path);
    else
        snprintf(out, START_PATH_MAX, "%s/%s", cwd, path);
}

int cli_run(int argc, const char *const *argv)
{
    static const char *const bare[] = {"new-session"};
    struct cli c = {argc > 0 ? (size_t)argc : 0, argv, 1, {NULL, NULL, NULL}};
    int status = take_flags(&c);
    char config[START_PATH_MAX];

    if (status >= 0)
        return status;
    if (c.choice.config) {
        make_absolute(c.choice.config, config);
        c.choice.config = config;
    }
    if (c.at >= c.argc)
        return run_command(&c.choice, 1, bare);
    return run_command(&c.choice, c.argc - c.at, argv + c.at);
}
