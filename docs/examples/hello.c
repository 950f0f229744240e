/* hello: types a command into a new session and waits for what it says. */
#include <stdio.h>
#include <vitrine.h>

static int hello(struct vitrine *v)
{
    struct vitrine_expect *e;
    struct vitrine_match m;
    struct vitrine_place at;
    int status = vitrine_new_session(v, NULL, &at);

    if (status == VITRINE_OK)
        status = vitrine_expect_begin(v, at.pane, &e); /* armed before anything is typed */
    if (status == VITRINE_OK)
        status = vitrine_send_text(v, at.pane, "echo hello $((6 * 7))\r", 22, 5000);
    if (status == VITRINE_OK)
        status = vitrine_expect(e, "^hello ([0-9]+)$", VITRINE_REGEX, 10000, &m);
    if (status == VITRINE_OK) {
        printf("the shell says %s\n", m.groups[1]);
        vitrine_match_clear(&m);
        status = vitrine_kill_session(v, at.session);
    }
    return status;
}

int main(void)
{
    struct vitrine *v;
    int status = vitrine_open(&v, NULL); /* starts the daemon when none runs */

    if (status == VITRINE_OK)
        status = hello(v);
    if (status != VITRINE_OK)
        fprintf(stderr, "hello: %s\n", vitrine_error(v));
    vitrine_close(v);
    return status != VITRINE_OK;
}
