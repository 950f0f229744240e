/* list: every session with its windows and panes. */
#include <stdio.h>
#include <vitrine.h>

static void print_panes(const struct vitrine_pane *panes, size_t n, uint32_t window)
{
    for (size_t i = 0; i < n; i++) {
        const struct vitrine_pane *p = &panes[i];

        if (p->window == window)
            printf("    %%%u %ux%u %s in %s%s\n", p->id, p->cols, p->rows, p->program,
                   p->directory, p->active ? " (active)" : "");
    }
}

static int list(struct vitrine *v)
{
    struct vitrine_session *sessions = NULL;
    struct vitrine_window *windows = NULL;
    struct vitrine_pane *panes = NULL;
    size_t n_sessions, n_windows, n_panes;
    int status = vitrine_list_sessions(v, &sessions, &n_sessions);

    if (status == VITRINE_OK)
        status = vitrine_list_windows(v, &windows, &n_windows);
    if (status == VITRINE_OK)
        status = vitrine_list_panes(v, &panes, &n_panes);
    for (size_t i = 0; status == VITRINE_OK && i < n_sessions; i++) {
        printf("$%u %s\n", sessions[i].id, sessions[i].name);
        for (size_t k = 0; k < n_windows; k++) {
            if (windows[k].session != sessions[i].id)
                continue;
            printf("  @%u %u: %s%s\n", windows[k].id, windows[k].index, windows[k].name,
                   windows[k].current ? " (current)" : "");
            print_panes(panes, n_panes, windows[k].id);
        }
    }
    vitrine_free(sessions);
    vitrine_free(windows);
    vitrine_free(panes);
    return status;
}

int main(void)
{
    struct vitrine_options options = VITRINE_OPTIONS_INIT; /* starts no daemon */
    struct vitrine *v;
    int status = vitrine_open(&v, &options);

    if (status == VITRINE_OK)
        status = list(v);
    if (status != VITRINE_OK)
        fprintf(stderr, "list: %s\n", vitrine_error(v));
    vitrine_close(v);
    return status != VITRINE_OK;
}
