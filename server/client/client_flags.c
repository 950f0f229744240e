#include "server/client/client_flags.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "proto/ipc_msg.h"
#include "server/client/terminal.h"

static bool names_utf8(const char *locale)
{
    for (; *locale; locale++) {
        if (strncasecmp(locale, "utf-8", 5) == 0 || strncasecmp(locale, "utf8", 4) == 0)
            return true;
    }
    return false;
}

/* POSIX's order of precedence; the C library is not asked, a static one knows no locales. */
static bool locale_is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *v = getenv(names[i]);

        if (v && v[0] != '\0')
            return names_utf8(v);
    }
    return false;
}

unsigned client_flags(void)
{
    const char *colour = getenv("COLORTERM");
    const char *term = getenv("TERM");
    unsigned flags = 0;

    if (terminal_is_there() && terminal_is_capable()) /* else `share` prints its links */
        flags |= IPC_CLIENT_TTY;
    if (locale_is_utf8())
        flags |= IPC_CLIENT_UTF8;
    if (colour && (strcmp(colour, "truecolor") == 0 || strcmp(colour, "24bit") == 0))
        flags |= IPC_CLIENT_COLOURS | IPC_CLIENT_COLOURS_256;
    if (term && strstr(term, "256color"))
        flags |= IPC_CLIENT_COLOURS_256;
    return flags;
}
