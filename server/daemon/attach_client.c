/* An attached terminal as commands see it: by its name, with what formats say of it, and what can
 * be done to the process behind it. */
#include "server/daemon/attach_state.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "server/daemon/format_vars.h"
#include "server/daemon/session.h"

const char *attach_name(const struct attach *a)
{
    return a->name;
}

/* As tmux: the whole name, or without /dev/, a colon behind it or not. */
static bool is_named(const struct attach *a, const char *text)
{
    size_t n = strlen(text);
    const char *name = a->name;

    if (n > 0 && text[n - 1] == ':')
        n--;
    if (strlen(name) == n && strncmp(name, text, n) == 0)
        return true;
    if (strncmp(name, "/dev/", 5) != 0)
        return false;
    name += 5;
    return strlen(name) == n && strncmp(name, text, n) == 0;
}

struct attach *attach_named(const char *text)
{
    for (struct attach *a = attach_first(); a; a = a->next) {
        if (!a->ending && is_named(a, text))
            return a;
    }
    return NULL;
}

struct attach *attach_numbered(size_t i)
{
    struct attach *found = NULL;
    uint64_t after = 0;

    for (size_t k = 0; k <= i; k++) {
        found = NULL;
        for (struct attach *a = attach_first(); a; a = a->next) {
            if (!a->ending && a->serial > after && (!found || a->serial < found->serial))
                found = a;
        }
        if (!found)
            return NULL;
        after = found->serial;
    }
    return found;
}

void attach_describe(const struct attach *a, struct format_client *out)
{
    const struct session *last = attach_last_session(a);

    *out = (struct format_client){.cols = a->cols,
                                  .rows = a->rows,
                                  .read_only = a->read_only,
                                  .ignore_size = a->ignore_size,
                                  .utf8 = a->flags & IPC_CLIENT_UTF8,
                                  .prefix = a->table && strcmp(a->table, "prefix") == 0,
                                  .session = a->session,
                                  .last_session = last,
                                  .name = a->name,
                                  .term = a->term,
                                  .table = a->table ? a->table : "root",
                                  .pid = a->pid,
                                  .written = a->sent,
                                  .created_s = a->created_s,
                                  .activity_s = a->activity_s};
}

bool attach_set_flag(struct attach *a, const char *name, bool on)
{
    if (strcmp(name, "read-only") == 0)
        a->read_only = on;
    else if (strcmp(name, "ignore-size") == 0)
        a->ignore_size = on;
    else
        return false;
    a->modes_known = false; /* the mouse and the like are not for those who only look */
    attach_use(a);
    attach_wake(a);
    return true;
}

bool attach_suspend(const struct attach *a)
{
    return a->pid > 0 && kill(a->pid, SIGTSTP) == 0;
}

/* The process that started the terminal's client: field 4 of /proc/PID/stat. */
static pid_t parent_of(pid_t pid)
{
    char path[64], text[1024] = "";
    const char *end;
    long parent = 0;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    f = fopen(path, "re");
    if (!f)
        return 0;
    if (!fgets(text, sizeof text, f))
        text[0] = '\0';
    fclose(f);
    end = strrchr(text, ')'); /* the name before it may hold anything */
    if (!end || sscanf(end + 1, " %*c %ld", &parent) != 1)
        return 0;
    return (pid_t)parent;
}

void attach_detach_and_hang_up(struct attach *a)
{
    a->hang_up = a->pid > 0 ? parent_of(a->pid) : 0;
    attach_detach(a);
}

pid_t attach_hangs_up(const struct attach *a)
{
    return a->hang_up;
}

void attach_detach_others(const struct session *s, const struct attach *except, bool hang_up)
{
    /* at the end of the round: one of them may be running this command by a key */
    for (struct attach *a = attach_first(); a; a = a->next) {
        if (a == except || a->ending || (s && a->session != s))
            continue;
        if (hang_up)
            attach_detach_and_hang_up(a);
        else
            attach_detach(a);
    }
}
