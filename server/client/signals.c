#include "proto/compat.h"

#include "server/client/signals.h"

#include <signal.h>
#include <string.h>
#include <time.h>

static const int caught[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGWINCH, SIGTSTP, SIGCONT};

#define N_CAUGHT (sizeof caught / sizeof caught[0])

static bool active;
static struct sigaction former[N_CAUGHT];
static sigset_t former_mask;
static volatile sig_atomic_t noted[N_CAUGHT];

static void note(int signal)
{
    for (size_t i = 0; i < N_CAUGHT; i++) {
        if (caught[i] == signal)
            noted[i] = 1;
    }
}

void signals_catch(void)
{
    struct sigaction handler = {.sa_handler = note};
    sigset_t set;

    if (active)
        return;
    sigemptyset(&set);
    for (size_t i = 0; i < N_CAUGHT; i++)
        sigaddset(&set, caught[i]);
    sigprocmask(SIG_BLOCK, &set, &former_mask);
    sigemptyset(&handler.sa_mask);
    for (size_t i = 0; i < N_CAUGHT; i++) {
        noted[i] = 0;
        sigaction(caught[i], &handler, &former[i]);
    }
    active = true;
}

void signals_release(void)
{
    if (!active)
        return;
    for (size_t i = 0; i < N_CAUGHT; i++)
        sigaction(caught[i], &former[i], NULL);
    sigprocmask(SIG_SETMASK, &former_mask, NULL);
    active = false;
}

int signals_poll(struct pollfd *fds, size_t n, int timeout_ms)
{
    struct timespec t = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};

    if (!active)
        return poll(fds, n, timeout_ms);
    return ppoll(fds, n, timeout_ms < 0 ? NULL : &t, &former_mask);
}

static bool take(int signal)
{
    for (size_t i = 0; i < N_CAUGHT; i++) {
        if (caught[i] == signal && noted[i]) {
            noted[i] = 0;
            return true;
        }
    }
    return false;
}

struct signals signals_take(void)
{
    static const int ends[] = {SIGHUP, SIGTERM, SIGINT, SIGQUIT};
    struct signals s = {0, take(SIGWINCH), take(SIGTSTP), take(SIGCONT)};

    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        if (take(ends[i]) && s.end == 0)
            s.end = ends[i];
    }
    return s;
}

void signals_stop(void)
{
    struct sigaction stop = {.sa_handler = SIG_DFL}, handler;
    sigset_t set;

    sigaction(SIGTSTP, &stop, &handler);
    raise(SIGTSTP);
    sigemptyset(&set);
    sigaddset(&set, SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &set, NULL); /* here we stand still */
    sigprocmask(SIG_BLOCK, &set, NULL);
    sigaction(SIGTSTP, &handler, NULL);
    take(SIGCONT);
}
