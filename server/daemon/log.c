#include "server/daemon/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

struct budget {
    unsigned tokens;
    time_t refilled;
    unsigned dropped;
};

static struct budget budgets[LOG_KINDS];

static const char *const names[LOG_KINDS] = {"vitrined", "viewer", "gate", "client", "pane"};

/* True when the kind may write a line now. */
static int spend(struct budget *b, time_t now)
{
    if (b->refilled == 0)
        b->tokens = LOG_BURST;
    if (now > b->refilled) {
        b->tokens += (unsigned)(now - b->refilled);
        if (b->tokens > LOG_BURST)
            b->tokens = LOG_BURST;
        b->refilled = now;
    }
    if (b->tokens == 0) {
        b->dropped++;
        return 0;
    }
    b->tokens--;
    return 1;
}

void log_line(enum log_kind kind, const char *format, ...)
{
    struct budget *b = &budgets[kind];
    struct timespec mono;
    time_t now = time(NULL);
    struct tm tm;
    char stamp[32] = "";
    char line[1024];
    va_list ap;

    clock_gettime(CLOCK_MONOTONIC, &mono);
    if (!spend(b, mono.tv_sec))
        return;
    if (gmtime_r(&now, &tm))
        strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", &tm);
    va_start(ap, format);
    vsnprintf(line, sizeof line, format, ap);
    va_end(ap);
    if (b->dropped > 0)
        dprintf(STDERR_FILENO, "%s %s: %u lines dropped\n", stamp, names[kind], b->dropped);
    b->dropped = 0;
    dprintf(STDERR_FILENO, "%s %s: %s\n", stamp, names[kind], line);
}
