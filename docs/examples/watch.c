/* watch TARGET: follows a pane's output in an event loop of poll(2), until its program ends. */
#include <poll.h>
#include <stdio.h>
#include <vitrine.h>

static void on_output(void *ctx, uint64_t offset, const void *bytes, size_t n)
{
    (void)ctx;
    (void)offset;
    fwrite(bytes, 1, n, stdout);
    fflush(stdout);
}

static void on_lag(void *ctx, uint64_t from, uint64_t to)
{
    (void)ctx;
    fprintf(stderr, "[too slow: %llu bytes lost]\n", (unsigned long long)(to - from));
}

static void on_ended(void *ctx, const struct vitrine_end *end)
{
    static const char *const words[] = {"exited",       "killed by signal", "closed",
                                        "unsubscribed", "never started",    "lost"};

    *(int *)ctx = 1;
    fprintf(stderr, "[%s %d]\n", words[end->how], end->code);
}

static int watch(struct vitrine *v, const char *target)
{
    const struct vitrine_handlers handlers = {on_output, on_lag, on_ended};
    struct vitrine_place at;
    int over = 0;
    int status = vitrine_find(v, target, &at);

    if (status == VITRINE_OK)
        status = vitrine_subscribe(v, at.pane, 0, &handlers, &over, NULL);
    while (status == VITRINE_OK && !over) {
        struct pollfd fds[] = {{vitrine_fd(v), POLLIN, 0}}; /* and the program's own */

        if (poll(fds, 1, -1) > 0 && fds[0].revents)
            status = vitrine_dispatch(v, 0);
        if (status == VITRINE_E_TIMEOUT)
            status = VITRINE_OK;
    }
    return status;
}

int main(int argc, char **argv)
{
    struct vitrine_options options = VITRINE_OPTIONS_INIT;
    struct vitrine *v;
    int status = vitrine_open(&v, &options);

    if (status == VITRINE_OK)
        status = watch(v, argc > 1 ? argv[1] : NULL);
    if (status != VITRINE_OK)
        fprintf(stderr, "watch: %s\n", vitrine_error(v));
    vitrine_close(v);
    return status != VITRINE_OK;
}
