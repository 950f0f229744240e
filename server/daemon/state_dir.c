#include "proto/compat.h"

#include "server/daemon/state_dir.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OURS "/vitrine"

/* Makes every folder of path that is missing. */
static enum err make_folders(char *path)
{
    for (char *at = strchr(path + 1, '/');; at = strchr(at + 1, '/')) {
        if (at)
            *at = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            return ERR_SYSTEM;
        if (!at)
            return ERR_OK;
        *at = '/';
    }
}

static enum err check(const char *folder, char *why, size_t cap)
{
    struct stat st;

    if (stat(folder, &st) != 0 || !S_ISDIR(st.st_mode)) {
        snprintf(why, cap, "%s is no folder", folder);
        return ERR_SYSTEM;
    }
    if (st.st_uid == geteuid() && (st.st_mode & (S_IWGRP | S_IWOTH)) == 0)
        return ERR_OK;
    snprintf(why, cap, "%s can be written by others: chmod go-w it", folder);
    return ERR_STATE;
}

enum err state_dir_path(const char *name, char *out, size_t cap, char *why, size_t why_cap)
{
    const char *base = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    enum err e;
    int n;

    if (base && base[0] == '/')
        n = snprintf(out, cap, "%s" OURS, base);
    else if (home && home[0] == '/')
        n = snprintf(out, cap, "%s/.local/state" OURS, home);
    else {
        snprintf(why, why_cap, "neither XDG_STATE_HOME nor HOME is set");
        return ERR_NOT_FOUND;
    }
    if ((size_t)n + 1 + strlen(name) >= cap) {
        snprintf(why, why_cap, "the path of the state folder is too long");
        return ERR_RANGE;
    }
    if (make_folders(out) != ERR_OK) {
        snprintf(why, why_cap, "cannot make %s: %s", out, strerror(errno));
        return ERR_SYSTEM;
    }
    e = check(out, why, why_cap);
    snprintf(out + n, cap - (size_t)n, "/%s", name);
    return e;
}
