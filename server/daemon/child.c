#include "proto/compat.h"

#include "server/daemon/child.h"

#include <signal.h>

static int set_attributes(posix_spawnattr_t *attr, bool new_session)
{
    short flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
    sigset_t all, none;
    int e;

    sigfillset(&all);
    sigemptyset(&none);
    e = posix_spawnattr_setsigdefault(attr, &all);
    if (e == 0)
        e = posix_spawnattr_setsigmask(attr, &none);
    if (e == 0)
        e = posix_spawnattr_setflags(attr, new_session ? flags | POSIX_SPAWN_SETSID : flags);
    return e;
}

int child_spawn(pid_t *pid, const char *program, const posix_spawn_file_actions_t *actions,
                char *const argv[], char *const env[], bool new_session)
{
    posix_spawnattr_t attr;
    int e = posix_spawnattr_init(&attr);

    if (e != 0)
        return e;
    e = set_attributes(&attr, new_session);
    if (e == 0)
        e = posix_spawn(pid, program, actions, &attr, argv, env);
    posix_spawnattr_destroy(&attr);
    return e;
}
