/* run COMMAND...: runs a program in a pane of its own, copies all it prints, and ends as it did. */
#include <stdio.h>
#include <vitrine.h>

struct run {
    int over;
    struct vitrine_end end;
};

static void on_output(void *ctx, uint64_t offset, const void *bytes, size_t n)
{
    (void)ctx;
    (void)offset;
    fwrite(bytes, 1, n, stdout);
}

static void on_ended(void *ctx, const struct vitrine_end *end)
{
    struct run *r = ctx;

    r->over = 1;
    r->end = *end;
}

static int run(struct vitrine *v, const char *const *argv, struct run *r)
{
    const struct vitrine_handlers handlers = {on_output, NULL, on_ended};
    struct vitrine_spawn spawn = VITRINE_SPAWN_INIT;
    int status;

    spawn.argv = argv;
    /* before the program is there: also one that ends at once is seen whole */
    status = vitrine_subscribe(v, VITRINE_NEXT_PANE, VITRINE_NOW, &handlers, r, NULL);
    if (status == VITRINE_OK)
        status = vitrine_new_session(v, &spawn, NULL);
    while (status == VITRINE_OK && !r->over)
        status = vitrine_dispatch(v, -1);
    return status;
}

int main(int argc, char **argv)
{
    struct run r = {0, {VITRINE_EXITED, 0}};
    struct vitrine *v;
    int status;

    if (argc < 2) {
        fprintf(stderr, "usage: run command ...\n");
        return 2;
    }
    status = vitrine_open(&v, NULL);
    if (status == VITRINE_OK)
        status = run(v, (const char *const *)argv + 1, &r);
    if (status != VITRINE_OK)
        fprintf(stderr, "run: %s\n", vitrine_error(v));
    vitrine_close(v);
    if (status != VITRINE_OK)
        return 125;
    return r.end.how == VITRINE_EXITED ? r.end.code : 128 + r.end.code;
}
