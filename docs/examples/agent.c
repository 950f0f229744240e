/* agent: a loop as a program holds it that works in a shell by itself: lines of standard input are
 * typed, and for each comes what the shell printed and its exit status. A marker behind each line
 * tells its end apart from its output; the pane stays for whoever wants to look. */
#include <stdio.h>
#include <string.h>
#include <vitrine.h>

#define COMMAND_MS 60000

struct agent {
    struct vitrine *v;
    struct vitrine_expect *e;
    struct vitrine_place at;
};

static int begin(struct agent *a)
{
    static const char *const shell[] = {"sh", "-i", NULL};
    static const char *const env[] = {"PS1=", "PS2=", "TERM=dumb", NULL};
    struct vitrine_spawn spawn = VITRINE_SPAWN_INIT;
    int status = vitrine_expect_begin(a->v, VITRINE_NEXT_PANE, &a->e);

    spawn.argv = shell;
    spawn.env = env;
    spawn.name = "agent";
    if (status == VITRINE_OK)
        status = vitrine_new_session(a->v, &spawn, &a->at);
    if (status == VITRINE_OK)
        status = vitrine_send_text(a->v, a->at.pane, "stty -echo; echo rea'dy'\r", 25, 5000);
    return status == VITRINE_OK ? vitrine_expect(a->e, "^ready$", VITRINE_REGEX, COMMAND_MS, NULL)
                                : status;
}

static int work(struct agent *a, const char *line, unsigned n)
{
    struct vitrine_match m;
    char text[4200], pattern[64];
    int status;

    snprintf(text, sizeof text, "%.4000s\recho \"<%u:$?>\"\r", line, n);
    snprintf(pattern, sizeof pattern, "<%u:([0-9]+)>$", n);
    status = vitrine_send_text(a->v, a->at.pane, text, strlen(text), 5000);
    if (status == VITRINE_OK)
        status = vitrine_expect(a->e, pattern, VITRINE_REGEX, COMMAND_MS, &m);
    if (status != VITRINE_OK)
        return status;
    printf("%s\n[status %s]\n", m.before[0] == '\n' ? m.before + 1 : m.before, m.groups[1]);
    vitrine_match_clear(&m);
    return VITRINE_OK;
}

int main(void)
{
    struct agent a;
    char line[4001];
    int status = vitrine_open(&a.v, NULL);

    if (status == VITRINE_OK)
        status = begin(&a);
    for (unsigned n = 1; status == VITRINE_OK && fgets(line, sizeof line, stdin); n++) {
        line[strcspn(line, "\n")] = '\0';
        status = work(&a, line, n);
    }
    if (status == VITRINE_OK)
        status = vitrine_kill_session(a.v, a.at.session);
    if (status != VITRINE_OK)
        fprintf(stderr, "agent: %s\n", vitrine_error(a.v));
    vitrine_close(a.v);
    return status != VITRINE_OK;
}
