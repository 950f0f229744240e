#include "server/gate/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "proto/utf8.h"
#include "server/gate/clock.h"

static struct budget {
    unsigned tokens, dropped;
    uint64_t refilled_ms;
} budgets[LOG_KINDS];

/* A token bucket of LOG_BURST, with one more token every LOG_EVERY_MS. */
static bool may_say(struct budget *b)
{
    uint64_t now = clock_now_ms();
    uint64_t fresh = (now - b->refilled_ms) / LOG_EVERY_MS;

    if (b->refilled_ms == 0 || fresh >= LOG_BURST) {
        b->tokens = LOG_BURST;
        b->refilled_ms = now;
    } else {
        b->tokens = b->tokens + fresh > LOG_BURST ? LOG_BURST : b->tokens + (unsigned)fresh;
        b->refilled_ms += fresh * LOG_EVERY_MS;
    }
    if (b->tokens == 0) {
        b->dropped++;
        return false;
    }
    b->tokens--;
    return true;
}

/* One write per line, so that lines of two processes on one file do not mix. */
void log_event(enum log_kind kind, const char *format, ...)
{
    struct budget *b = &budgets[kind];
    char line[512];
    size_t len;
    va_list args;

    if (!may_say(b))
        return;
    len = (size_t)snprintf(line, sizeof line, "vitrine-gate: ");
    va_start(args, format);
    len += (size_t)vsnprintf(line + len, sizeof line - 64 - len, format, args);
    va_end(args);
    if (len > sizeof line - 65)
        len = sizeof line - 65;
    if (b->dropped > 0)
        len += (size_t)snprintf(line + len, sizeof line - len, " (%u more like it)", b->dropped);
    b->dropped = 0;
    line[len++] = '\n';
    if (write(STDERR_FILENO, line, len) < 0)
        return; /* nowhere left to say it */
}

struct log_text log_text(struct bytes from_peer)
{
    struct log_text t;

    utf8_printable(from_peer.p, from_peer.len, t.text, LOG_TEXT_MAX_BYTES);
    return t;
}
