/* expect: a conversation with a program that asks, as Expect's scripts hold them. */
#include <stdio.h>
#include <string.h>
#include <vitrine.h>

#define ANSWER_MS 10000

static int answer(struct vitrine *v, struct vitrine_expect *e, uint32_t pane, const char *question,
                  const char *text)
{
    int status = vitrine_expect(e, question, VITRINE_TEXT, ANSWER_MS, NULL);

    return status == VITRINE_OK ? vitrine_send_text(v, pane, text, strlen(text), ANSWER_MS)
                                : status;
}

static int converse(struct vitrine *v)
{
    static const char *const program[] = {
        "printf 'Name? '; read name; printf 'Age? '; read age; echo \"$name is $age\"; sleep 60",
        NULL};
    struct vitrine_spawn spawn = VITRINE_SPAWN_INIT;
    struct vitrine_expect *e;
    struct vitrine_match m;
    struct vitrine_place at;
    int status;

    spawn.argv = program;
    status = vitrine_expect_begin(v, VITRINE_NEXT_PANE, &e);
    if (status == VITRINE_OK)
        status = vitrine_new_session(v, &spawn, &at);
    if (status == VITRINE_OK)
        status = answer(v, e, at.pane, "Name? ", "Ada\r");
    if (status == VITRINE_OK)
        status = answer(v, e, at.pane, "Age? ", "36\r");
    if (status == VITRINE_OK)
        status = vitrine_expect(e, "^(.*) is (.*)$", VITRINE_REGEX, ANSWER_MS, &m);
    if (status == VITRINE_OK) {
        printf("name %s, age %s\n", m.groups[1], m.groups[2]);
        vitrine_match_clear(&m);
        status = vitrine_kill_session(v, at.session);
    }
    return status;
}

int main(void)
{
    struct vitrine *v;
    int status = vitrine_open(&v, NULL);

    if (status == VITRINE_OK)
        status = converse(v);
    if (status != VITRINE_OK)
        fprintf(stderr, "expect: %s\n", vitrine_error(v));
    vitrine_close(v);
    return status != VITRINE_OK;
}
