#include "proto/compat.h"

#include "server/client/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define LEAVE_DEADLINE_MS 1000

/* Title on the terminal's stack, other screen, home, clear. */
static const char enter_text[] = "\033[22;0t\033[?1049h\033[m\033[H\033[2J";

/* ST first: it ends a string that was cut off in the middle, and an escape ends everything else.
 * Then keyboard, mouse (9 to 1003 and its encodings), focus, paste, synchronized output, reverse
 * video, origin, wrap, insert, scroll region, character sets, cursor shape and visibility, colours,
 * the former screen, title. The palette is left alone: nothing here sets it, and the user may have.
 */
static const char leave_text[] =
    "\033\\\033[?1l\033>\033[<9u\033[>4m\033[?9l\033[?1000l\033[?1002l\033[?1003l\033[?1005l"
    "\033[?1006l\033[?1015l\033[?1016l\033[?1004l\033[?2004l\033[?2026l\033[?5l\033[?6l\033[?7h"
    "\033[4l\033[r\033(B\017\033[0 q\033[?25h\033[m\033[?1049l\033[23;0t";

bool terminal_is_there(void)
{
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

bool terminal_is_capable(void)
{
    const char *term = getenv("TERM");

    return term && term[0] != '\0' && strcmp(term, "dumb") != 0;
}

bool terminal_size(uint16_t *cols, uint16_t *rows)
{
    struct winsize ws;

    *cols = *rows = 0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) < 0 || ws.ws_col == 0 || ws.ws_row == 0)
        return false;
    *cols = ws.ws_col;
    *rows = ws.ws_row;
    return true;
}

static int reopen(int fd, int mode)
{
    char path[128];

    if (ttyname_r(fd, path, sizeof path) != 0)
        return -1;
    return open(path, mode | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
}

/* In a container the terminal's name may not exist: then our caller's descriptors it is. */
static bool use_standard(struct terminal *t)
{
    t->in = STDIN_FILENO;
    t->out = STDOUT_FILENO;
    t->own_fds = false;
    t->flags_in = fcntl(t->in, F_GETFL);
    t->flags_out = fcntl(t->out, F_GETFL);
    return t->flags_in >= 0 && t->flags_out >= 0 &&
           fcntl(t->in, F_SETFL, t->flags_in | O_NONBLOCK) == 0 &&
           fcntl(t->out, F_SETFL, t->flags_out | O_NONBLOCK) == 0;
}

bool terminal_open(struct terminal *t)
{
    memset(t, 0, sizeof *t);
    t->in = reopen(STDIN_FILENO, O_RDWR);
    t->out = t->in < 0 ? -1 : reopen(STDOUT_FILENO, O_RDWR);
    t->own_fds = t->out >= 0;
    if (t->own_fds)
        return true;
    if (t->in >= 0)
        close(t->in);
    return use_standard(t);
}

static void make_raw(struct termios *m)
{
    m->c_iflag &=
        ~(tcflag_t)(IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON | IXOFF);
    m->c_oflag &= ~(tcflag_t)OPOST;
    m->c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
    m->c_cflag = (m->c_cflag & ~(tcflag_t)(CSIZE | PARENB)) | CS8;
    m->c_cc[VMIN] = 1;
    m->c_cc[VTIME] = 0;
}

bool terminal_reenter(struct terminal *t)
{
    struct termios raw;

    if (!t->is_saved && tcgetattr(t->in, &t->saved) < 0)
        return false;
    t->is_saved = true;
    raw = t->saved;
    make_raw(&raw);
    if (tcsetattr(t->in, TCSANOW, &raw) < 0)
        return false;
    t->entered = true;
    terminal_write_all(t->out, enter_text, sizeof enter_text - 1, LEAVE_DEADLINE_MS);
    return true;
}

bool terminal_enter(struct terminal *t)
{
    return t->entered || terminal_reenter(t);
}

void terminal_leave(struct terminal *t)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;

    if (!t->entered)
        return;
    t->entered = false;
    sigaction(SIGTTOU, &ignore, &before); /* also from the background */
    terminal_write_all(t->out, leave_text, sizeof leave_text - 1, LEAVE_DEADLINE_MS);
    tcflush(t->in, TCIFLUSH); /* the rest of a paste is not for the shell to run */
    tcsetattr(t->in, TCSANOW, &t->saved);
    sigaction(SIGTTOU, &before, NULL);
}

void terminal_close(struct terminal *t)
{
    terminal_leave(t);
    if (t->own_fds) {
        close(t->in);
        close(t->out);
    } else {
        fcntl(t->in, F_SETFL, t->flags_in);
        fcntl(t->out, F_SETFL, t->flags_out);
    }
}

bool terminal_write_all(int fd, const void *p, size_t n, int timeout_ms)
{
    const uint8_t *at = p;

    while (n > 0) {
        ssize_t done = write(fd, at, n);
        struct pollfd ready = {.fd = fd, .events = POLLOUT};

        if (done >= 0) {
            at += done;
            n -= (size_t)done;
            continue;
        }
        if (errno == EINTR)
            continue;
        if (errno != EAGAIN && errno != EWOULDBLOCK)
            return false;
        if (poll(&ready, 1, timeout_ms) == 0) {
            errno = ETIMEDOUT;
            return false;
        }
    }
    return true;
}
