/* share TARGET: shares a pane, hands its links out, and ends the share when Return is pressed. */
#include <stdio.h>
#include <vitrine.h>

static int share(struct vitrine *v, const char *target)
{
    struct vitrine_share s;
    struct vitrine_place at;
    uint32_t id;
    int status = vitrine_find(v, target, &at);

    if (status == VITRINE_OK)
        status = vitrine_share(v, at.pane, VITRINE_SHARE_PANE, true, 30000, &s);
    if (status != VITRINE_OK)
        return status;
    id = s.id;
    for (size_t i = 0; i < s.n_links; i++)
        printf("%s: %s\n", s.links[i].write ? "type" : "watch", s.links[i].url);
    vitrine_share_clear(&s); /* wipes the links: whoever has one is let in */
    fflush(stdout);
    getchar();
    return vitrine_unshare(v, id);
}

int main(int argc, char **argv)
{
    struct vitrine_options options = VITRINE_OPTIONS_INIT;
    struct vitrine *v;
    int status = vitrine_open(&v, &options);

    if (status == VITRINE_OK)
        status = share(v, argc > 1 ? argv[1] : NULL);
    if (status != VITRINE_OK)
        fprintf(stderr, "share: %s\n", vitrine_error(v));
    vitrine_close(v);
    return status != VITRINE_OK;
}
