/* What a share shows: by identity, wherever that is moved; which of several covers a pane; counts.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "crypto/secret.h"
#include "server/daemon/layout.h"
#include "server/daemon/loop.h"
#include "server/daemon/session.h"
#include "server/daemon/share.h"

static struct loop *loop;
static struct session_list *sessions;
static struct share_list *shares;
static struct session *one, *two;
static int places[4]; /* panes are only pointers here */

static struct pane *pane(int i)
{
    return (struct pane *)&places[i];
}

static void no_pane(void *ctx, struct pane *p)
{
    (void)ctx;
    (void)p;
}

static void no_size(void *ctx, struct pane *p, uint16_t cols, uint16_t rows)
{
    (void)ctx;
    (void)p;
    (void)cols;
    (void)rows;
}

static struct target at(int i)
{
    struct target t;

    session_of_pane(sessions, pane(i), &t);
    return t;
}

/* Session one: a window with panes 0 and 1. Session two: a window with pane 2. */
static int set_up(void **state)
{
    const struct session_hooks hooks = {.pane_removed = no_pane, .pane_sized = no_size};
    const struct layout_split beside = {.axis = LAYOUT_ROW};

    (void)state;
    loop = loop_create();
    sessions = session_list_create(loop, &hooks);
    shares = share_list_create(loop);
    one = session_create(sessions, "one", pane(0), 0, 80, 24);
    two = session_create(sessions, "two", pane(2), 2, 80, 24);
    return session_split(sessions, one->current, pane(0), &beside, pane(1), 1) != ERR_OK;
}

static int tear_down(void **state)
{
    (void)state;
    share_list_destroy(shares);
    session_list_destroy(sessions);
    loop_settle(loop);
    loop_destroy(loop);
    return 0;
}

static struct share *add(enum share_kind kind, int i)
{
    struct target t = at(i);
    struct share *s = share_create(shares, kind, &t, "name");

    assert_non_null(s);
    return s;
}

static bool covers(const struct share *s, int i)
{
    struct target t = at(i);

    return share_covers(s, &t);
}

static void each_kind_covers_its_own(void **state)
{
    static const bool expected[][3] = {
        [SHARE_PANE] = {true, false, false},
        [SHARE_WINDOW] = {true, true, false},
        [SHARE_SESSION] = {true, true, false},
    };

    (void)state;
    for (int kind = SHARE_PANE; kind <= SHARE_SESSION; kind++) {
        struct share *s = add((enum share_kind)kind, 0);

        for (int i = 0; i < 3; i++)
            assert_int_equal(covers(s, i), expected[kind][i]);
    }
}

static void a_pane_is_followed_and_leaves_its_window(void **state)
{
    const struct layout_split below = {.axis = LAYOUT_COLUMN};
    struct share *own, *window, *session;
    struct target t;

    (void)state;
    own = add(SHARE_PANE, 1);
    window = add(SHARE_WINDOW, 1);
    session = add(SHARE_SESSION, 2);
    assert_int_equal(session_join_pane(sessions, pane(1), pane(2), &below), ERR_OK);
    assert_true(covers(own, 1));
    assert_false(covers(window, 1));
    assert_true(covers(window, 0));
    assert_true(covers(session, 1));
    assert_true(share_place(own, sessions, &t));
    assert_ptr_equal(t.session, two);
}

static void what_is_gone_has_no_place(void **state)
{
    struct share *window = add(SHARE_WINDOW, 0), *session = add(SHARE_SESSION, 0);
    struct share *own = add(SHARE_PANE, 0);
    struct target t;

    (void)state;
    session_end(sessions, one);
    assert_non_null(session_create(sessions, "one", pane(3), 3, 80, 24));
    assert_false(share_place(window, sessions, &t));
    assert_false(share_place(session, sessions, &t));
    assert_false(share_place(own, sessions, &t));
    assert_false(covers(session, 3)); /* of the same name */
    window->kept = pane(0);
    assert_true(share_place(window, sessions, &t));
    assert_ptr_equal(t.pane, pane(0));
    assert_null(t.session);
    assert_null(share_exact(shares, SHARE_WINDOW, &t)); /* it can be shared no more */
    assert_int_equal(share_mark_session(shares, two).shares, 0);
}

static void the_narrowest_of_several(void **state)
{
    struct share *session = add(SHARE_SESSION, 0), *window = add(SHARE_WINDOW, 0);
    struct share *own = add(SHARE_PANE, 0);
    struct target first = at(0), second = at(1), other = at(2);

    (void)state;
    assert_ptr_equal(share_narrowest(shares, &first), own);
    assert_ptr_equal(share_narrowest(shares, &second), window);
    assert_null(share_narrowest(shares, &other));
    assert_ptr_equal(share_exact(shares, SHARE_SESSION, &second), session);
    assert_null(share_exact(shares, SHARE_PANE, &second));
    share_end(shares, window, BYE_REASON_ENDED);
    assert_ptr_equal(share_narrowest(shares, &second), session);
}

static void marks_count_each_share_once(void **state)
{
    struct share *own = add(SHARE_PANE, 0), *window = add(SHARE_WINDOW, 0);
    struct target first = at(0), second = at(1);

    (void)state;
    own->viewers = 3;
    window->viewers = 4;
    assert_int_equal(share_mark_pane(shares, &first).shares, 2);
    assert_int_equal(share_mark_pane(shares, &first).viewers, 7);
    assert_int_equal(share_mark_pane(shares, &second).viewers, 4);
    assert_int_equal(share_mark_window(shares, one->current).viewers, 7);
    assert_int_equal(share_mark_session(shares, one).shares, 2);
    assert_int_equal(share_mark_session(shares, two).shares, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_kind_covers_its_own, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_pane_is_followed_and_leaves_its_window, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_is_gone_has_no_place, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_narrowest_of_several, set_up, tear_down),
        cmocka_unit_test_setup_teardown(marks_count_each_share_once, set_up, tear_down),
    };

    if (secret_init() != ERR_OK)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
