#include "server/client/runtime_dir.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/ipc_msg.h"

static const char *environment(const char *name)
{
    const char *v = getenv(name);

    return v && v[0] != '\0' ? v : NULL;
}

/* After `su` the variable may still name another user's directory. */
static bool is_own_dir(const char *path)
{
    struct stat st;

    return path[0] == '/' && stat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid();
}

/* snprintf() that fails where the result does not fit a socket's address. */
static enum err join(char out[RUNTIME_PATH_MAX], char why[RUNTIME_WHY_MAX], const char *a,
                     const char *b)
{
    int n = snprintf(out, RUNTIME_PATH_MAX, "%s%s", a, b);

    if (n >= 0 && n < RUNTIME_PATH_MAX)
        return ERR_OK;
    snprintf(why, RUNTIME_WHY_MAX,
             "%.200s%.200s: longer than a socket's path may be (%d bytes); use -S", a, b,
             RUNTIME_PATH_MAX - 1);
    return ERR_RANGE;
}

enum err runtime_dir_path(char out[RUNTIME_PATH_MAX], char why[RUNTIME_WHY_MAX])
{
    const char *chosen = environment("VITRINE_TMPDIR");
    const char *xdg = environment("XDG_RUNTIME_DIR");
    char uid[32];

    if (chosen)
        return join(out, why, chosen, "");
    if (xdg && is_own_dir(xdg))
        return join(out, why, xdg, "/vitrine");
    snprintf(uid, sizeof uid, "%lu", (unsigned long)geteuid());
    return join(out, why, "/tmp/vitrine-", uid);
}

enum err runtime_dir_prepare(const char *dir, char why[RUNTIME_WHY_MAX])
{
    struct stat st;
    const char *wrong = NULL;

    if (mkdir(dir, 0700) < 0 && errno != EEXIST) {
        snprintf(why, RUNTIME_WHY_MAX,
                 "cannot make the runtime directory %s: %s; set XDG_RUNTIME_DIR or VITRINE_TMPDIR",
                 dir, strerror(errno));
        return ERR_SYSTEM;
    }
    if (lstat(dir, &st) < 0) {
        snprintf(why, RUNTIME_WHY_MAX, "runtime directory %s: %s", dir, strerror(errno));
        return ERR_SYSTEM;
    }
    if (S_ISLNK(st.st_mode))
        wrong = "is a symbolic link";
    else if (!S_ISDIR(st.st_mode))
        wrong = "is no directory";
    else if (st.st_uid != geteuid())
        wrong = "belongs to another user";
    if (wrong) {
        snprintf(why, RUNTIME_WHY_MAX,
                 "runtime directory %s %s: remove it, or set XDG_RUNTIME_DIR or VITRINE_TMPDIR",
                 dir, wrong);
        return ERR_STATE;
    }
    if ((st.st_mode & 077) != 0) {
        snprintf(why, RUNTIME_WHY_MAX, "runtime directory %s is open to others: chmod 700 it", dir);
        return ERR_STATE;
    }
    return ERR_OK;
}

static enum err absolute(const char *path, char out[RUNTIME_PATH_MAX], char why[RUNTIME_WHY_MAX])
{
    char cwd[4096];

    if (path[0] == '/')
        return join(out, why, path, "");
    if (path[0] == '\0') {
        snprintf(why, RUNTIME_WHY_MAX, "-S needs a path");
        return ERR_MALFORMED;
    }
    if (!getcwd(cwd, sizeof cwd - 1)) {
        snprintf(why, RUNTIME_WHY_MAX, "cannot tell the working directory: %s", strerror(errno));
        return ERR_SYSTEM;
    }
    strcat(cwd, "/");
    return join(out, why, cwd, path);
}

static enum err named(const char *name, char out[RUNTIME_PATH_MAX], char why[RUNTIME_WHY_MAX])
{
    char dir[RUNTIME_PATH_MAX];
    char tail[RUNTIME_PATH_MAX];
    enum err e;

    if (name[0] == '\0' || name[0] == '.' || strchr(name, '/') ||
        strlen(name) >= RUNTIME_PATH_MAX - 1) {
        snprintf(why, RUNTIME_WHY_MAX,
                 "%.64s: a socket's name is short, has no slash and does not begin with a dot",
                 name);
        return ERR_MALFORMED;
    }
    e = runtime_dir_path(dir, why);
    if (e == ERR_OK)
        e = runtime_dir_prepare(dir, why);
    if (e != ERR_OK)
        return e;
    snprintf(tail, sizeof tail, "/%s", name);
    return join(out, why, dir, tail);
}

/* Length of the socket's path in $VITRINE, which is `path,pid,session`; 0 when there is none. */
static size_t inherited(const char **path)
{
    const char *v = environment("VITRINE");
    size_t n = v ? strcspn(v, ",") : 0;

    *path = v;
    return v && v[0] == '/' && n < RUNTIME_PATH_MAX ? n : 0;
}

enum err runtime_dir_socket(const struct runtime_choice *choice, char out[RUNTIME_PATH_MAX],
                            char why[RUNTIME_WHY_MAX])
{
    const char *pane;
    size_t n = inherited(&pane);

    if (choice->path)
        return absolute(choice->path, out, why);
    if (choice->name)
        return named(choice->name, out, why);
    if (n > 0) {
        snprintf(out, RUNTIME_PATH_MAX, "%.*s", (int)n, pane);
        return ERR_OK;
    }
    return named(IPC_SOCKET_NAME, out, why);
}

bool runtime_dir_is_nested(const char *path)
{
    const char *pane;
    size_t n = inherited(&pane);

    return n > 0 && strlen(path) == n && strncmp(path, pane, n) == 0;
}
