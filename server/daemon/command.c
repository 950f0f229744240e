#include "server/daemon/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "proto/utf8.h"
#include "server/daemon/commands.h"

static void __attribute__((format(printf, 2, 0)))
put_line(struct outbuf *o, const char *format, va_list ap)
{
    char line[1024];
    char shown[sizeof line]; /* words of the command line stand in it */

    vsnprintf(line, sizeof line, format, ap);
    utf8_printable((const uint8_t *)line, strlen(line), shown, sizeof shown - 1);
    outbuf_printf(o, "vitrine: %s\n", shown);
}

enum command_result command_fail(struct command *c, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    put_line(&c->err, format, ap);
    va_end(ap);
    return COMMAND_FAILED;
}

enum command_result command_usage(struct command *c, const char *format, ...)
{
    const struct command_spec *spec = c->args.spec;
    va_list ap;

    va_start(ap, format);
    put_line(&c->err, format, ap);
    va_end(ap);
    if (spec)
        outbuf_printf(&c->err, "usage: vitrine %s %s\n", spec->name, spec->usage);
    return COMMAND_USAGE;
}

static void (*after_command)(struct command *c);

void command_set_after(void (*after)(struct command *c))
{
    after_command = after;
}

enum command_result command_run_words(struct command *c, size_t n, const char *const *words)
{
    char why[512];
    enum command_result result;
    command_run *run;

    if (args_parse(n, words, &c->args, why, sizeof why) != ERR_OK)
        return command_usage(c, "%s", why);
    run = commands_find(c->args.spec->id);
    if (!run)
        return command_fail(c, "%s is run by the client", c->args.spec->name);
    result = run(c);
    if (after_command && (result == COMMAND_DONE || result == COMMAND_ATTACH))
        after_command(c);
    return result;
}

struct bytes command_env(const struct command *c, const char *name)
{
    size_t len = strlen(name);
    struct bytes none = {NULL, 0};
    struct rbuf r;

    rbuf_init(&r, c->request->env.wire.p, c->request->env.wire.len);
    for (uint16_t i = 0; i < c->request->env.n; i++) {
        struct ipc_argument a;

        ipc_read_argument(&r, &a);
        if (a.text.len > len && a.text.p[len] == '=' && memcmp(a.text.p, name, len) == 0) {
            a.text.p += len + 1;
            a.text.len -= len + 1;
            return a.text;
        }
    }
    return none;
}

bool command_number(struct command *c, const char *option, long low, long high, long *out)
{
    const char *text = args_value(&c->args, option);

    if (!text || args_number(text, low, high, out) == ERR_OK)
        return true;
    command_usage(c, "-%s%s %s: a number from %ld to %ld is wanted", option[1] ? "-" : "", option,
                  text, low, high);
    return false;
}
