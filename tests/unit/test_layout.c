/* The layout tree: tables for single steps, and properties over random splits, removals, borders
 * moved, arrangements and sizes: always sound, ids kept, nothing changed by what fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/daemon/layout.h"
#include "server/daemon/outbuf.h"

#define ROUNDS       200
#define STEPS        120
#define PANES_AT_END 24

/* Panes are only addresses here. */
static char pane_places[STEPS * 4];

static struct pane *pane_number(uint32_t i)
{
    return (struct pane *)(void *)&pane_places[i];
}

static uint32_t seed;

static uint32_t below(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % n;
}

static struct layout *make(uint16_t cols, uint16_t rows)
{
    struct layout *l = layout_create(pane_number(0), 0, cols, rows);

    assert_non_null(l);
    return l;
}

static void split(struct layout *l, uint32_t at, enum layout_axis axis, bool before, bool full,
                  uint16_t size, uint32_t id)
{
    struct layout_split how = {axis, before, full, size};

    assert_int_equal(layout_split(l, pane_number(at), &how, pane_number(id), id), ERR_OK);
}

static void assert_text(const struct layout *l, const char *want)
{
    struct outbuf out = {0};

    layout_write(l, &out);
    outbuf_byte(&out, '\0');
    assert_string_equal((const char *)out.p + 5, want); /* behind the checksum */
    outbuf_clear(&out);
}

/* What tmux 3.3a says for the same splits of an 80x24 window. */
static void test_splits_as_tmux_does(void **state)
{
    struct layout *l = make(80, 24);

    (void)state;
    split(l, 0, LAYOUT_ROW, false, false, 0, 1);
    assert_text(l, "80x24,0,0{40x24,0,0,0,39x24,41,0,1}");
    split(l, 1, LAYOUT_COLUMN, false, false, 0, 2);
    assert_text(l, "80x24,0,0{40x24,0,0,0,39x24,41,0[39x12,41,0,1,39x11,41,13,2]}");
    split(l, 0, LAYOUT_ROW, true, false, 10, 3);
    assert_text(l, "80x24,0,0{10x24,0,0,3,29x24,11,0,0,39x24,41,0[39x12,41,0,1,39x11,41,13,2]}");
    split(l, 2, LAYOUT_COLUMN, false, true, 5, 4);
    assert_text(l, "80x24,0,0[80x18,0,0{10x18,0,0,3,29x18,11,0,0,39x18,41,0[39x9,41,0,1,39x8,41,"
                   "10,2]},80x5,0,19,4]");
    layout_remove(l, pane_number(2));
    assert_text(l, "80x24,0,0[80x18,0,0{10x18,0,0,3,29x18,11,0,0,39x18,41,0,1},80x5,0,19,4]");
    layout_remove(l, pane_number(4));
    assert_text(l, "80x24,0,0{10x24,0,0,3,29x24,11,0,0,39x24,41,0,1}");
    layout_destroy(l);
}

static void test_published_checksum(void **state)
{
    struct layout *l = make(80, 24);
    struct outbuf out = {0};

    (void)state;
    layout_write(l, &out);
    outbuf_byte(&out, '\0');
    assert_string_equal((const char *)out.p, "b25d,80x24,0,0,0");
    outbuf_clear(&out);
    layout_destroy(l);
}

static void test_no_room(void **state)
{
    struct layout *l = make(2, 3);
    struct layout_split side = {LAYOUT_ROW, false, false, 0};
    struct layout_split below_it = {LAYOUT_COLUMN, false, false, 100};

    (void)state;
    assert_int_equal(layout_split(l, pane_number(0), &side, pane_number(1), 1), ERR_SPACE);
    assert_int_equal(layout_split(l, pane_number(7), &side, pane_number(1), 1), ERR_NOT_FOUND);
    assert_int_equal(layout_split(l, pane_number(0), &below_it, pane_number(1), 1), ERR_OK);
    assert_text(l, "2x3,0,0[2x1,0,0,0,2x1,0,2,1]");
    layout_resize(l, 1, 1); /* smaller than its panes need */
    assert_int_equal(layout_rows(l), 3);
    assert_int_equal(layout_cols(l), 1);
    assert_true(layout_is_sound(l));
    layout_destroy(l);
}

static void test_borders(void **state)
{
    struct layout *l = make(80, 24);

    (void)state;
    assert_int_equal(layout_move_border(l, pane_number(0), LAYOUT_ROW, 1), ERR_NOT_FOUND);
    split(l, 0, LAYOUT_ROW, false, false, 0, 1);
    split(l, 1, LAYOUT_ROW, false, false, 0, 2);
    assert_text(l, "80x24,0,0{40x24,0,0,0,19x24,41,0,1,19x24,61,0,2}");
    assert_int_equal(layout_move_border(l, pane_number(0), LAYOUT_ROW, 25), ERR_OK);
    assert_text(l, "80x24,0,0{65x24,0,0,0,1x24,66,0,1,12x24,68,0,2}");
    assert_int_equal(layout_move_border(l, pane_number(2), LAYOUT_ROW, -1000), ERR_OK);
    assert_text(l, "80x24,0,0{1x24,0,0,0,1x24,2,0,1,76x24,4,0,2}");
    assert_int_equal(layout_set_size(l, pane_number(2), LAYOUT_ROW, 20), ERR_OK);
    assert_text(l, "80x24,0,0{1x24,0,0,0,57x24,2,0,1,20x24,60,0,2}");
    assert_int_equal(layout_set_size(l, pane_number(2), LAYOUT_COLUMN, 5), ERR_NOT_FOUND);
    layout_destroy(l);
}

static void test_arrangements(void **state)
{
    static const struct {
        enum layout_preset preset;
        const char *text;
    } table[] = {
        {LAYOUT_EVEN_HORIZONTAL, "80x24,0,0{19x24,0,0,0,19x24,20,0,1,19x24,40,0,2,20x24,60,0,3}"},
        {LAYOUT_EVEN_VERTICAL, "80x24,0,0[80x5,0,0,0,80x5,0,6,1,80x5,0,12,2,80x6,0,18,3]"},
        {LAYOUT_MAIN_HORIZONTAL,
         "80x24,0,0[80x12,0,0,0,80x11,0,13{26x11,0,13,1,26x11,27,13,2,26x11,54,13,3}]"},
        {LAYOUT_MAIN_VERTICAL,
         "80x24,0,0{50x24,0,0,0,29x24,51,0[29x7,51,0,1,29x7,51,8,2,29x8,51,16,3]}"},
        {LAYOUT_TILED,
         "80x24,0,0[80x11,0,0{39x11,0,0,0,40x11,40,0,1},80x12,0,12{39x12,0,12,2,40x12,40,12,3}]"},
    };
    struct layout_main main = {50, 12};
    struct layout *l = make(80, 24);

    (void)state;
    for (uint32_t i = 1; i < 4; i++)
        split(l, i - 1, LAYOUT_COLUMN, false, false, 0, i);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        assert_int_equal(layout_arrange(l, table[i].preset, main), ERR_OK);
        assert_true(layout_is_sound(l));
        assert_text(l, table[i].text);
    }
    layout_destroy(l);
}

static void test_neighbours(void **state)
{
    struct layout *l = make(80, 24);

    (void)state;
    assert_null(layout_neighbour(l, pane_number(0), LAYOUT_LEFT));
    split(l, 0, LAYOUT_ROW, false, false, 0, 1);
    split(l, 1, LAYOUT_COLUMN, false, false, 4, 2);
    assert_ptr_equal(layout_neighbour(l, pane_number(0), LAYOUT_RIGHT), pane_number(1));
    assert_ptr_equal(layout_neighbour(l, pane_number(2), LAYOUT_LEFT), pane_number(0));
    assert_ptr_equal(layout_neighbour(l, pane_number(1), LAYOUT_DOWN), pane_number(2));
    assert_ptr_equal(layout_neighbour(l, pane_number(1), LAYOUT_UP), pane_number(2)); /* round */
    assert_ptr_equal(layout_neighbour(l, pane_number(2), LAYOUT_RIGHT), pane_number(0));
    layout_destroy(l);
}

static void test_malformed_texts(void **state)
{
    static const char *const texts[] = {
        "", "b25d", "b25d,", "0000,80x24,0,0,0", "zzzz,80x24,0,0,0",
    };
    /* sound checksums, unsound layouts */
    static const char *const bodies[] = {
        "80x24,0,0",
        "80x24,0,0{40x24,0,0,0}",
        "80x24,0,0{40x24,0,0,0,40x24,41,0,1}",
        "80x24,0,0{40x24,0,0,0,39x23,41,0,1}",
        "80x24,0,0{40x24,0,0,0,39x24,41,0,1]",
        "80x24,0,0{40x24,0,0,0,39x24,41,0{19x24,41,0,1,19x24,61,0,2}}",
        "0x24,0,0,0",
        "99999x24,0,0,0",
        "80x24,0,0,0trailing",
        "80x-24,0,0,0",
    };
    struct layout *l = make(80, 24);
    char text[200];

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_int_equal(layout_read(l, texts[i]), ERR_MALFORMED);
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        uint16_t sum = 0;

        for (const char *p = bodies[i]; *p; p++) {
            sum = (uint16_t)((sum >> 1) + ((sum & 1) << 15));
            sum = (uint16_t)(sum + (unsigned char)*p);
        }
        snprintf(text, sizeof text, "%04x,%s", sum, bodies[i]);
        assert_int_equal(layout_read(l, text), ERR_MALFORMED);
        assert_text(l, "80x24,0,0,0");
    }
    memset(text, '[', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_int_equal(layout_read(l, text), ERR_MALFORMED);
    layout_destroy(l);
}

/* --- random walks --------------------------------------------------------------------------- */

struct walk {
    struct layout *l;
    uint32_t alive[STEPS + 1];
    uint32_t n;
    uint32_t next;
};

static void step_split(struct walk *w)
{
    uint32_t at = w->alive[below(w->n)];
    struct layout_split how = {below(2) ? LAYOUT_ROW : LAYOUT_COLUMN, below(2) == 0, below(8) == 0,
                               (uint16_t)(below(3) ? 0 : below(120))};
    enum err e = layout_split(w->l, pane_number(at), &how, pane_number(w->next), w->next);

    assert_true(e == ERR_OK || e == ERR_SPACE);
    if (e == ERR_OK)
        w->alive[w->n++] = w->next++;
}

static void step_remove(struct walk *w)
{
    uint32_t i = below(w->n);

    if (w->n == 1)
        return;
    layout_remove(w->l, pane_number(w->alive[i]));
    w->alive[i] = w->alive[--w->n];
}

static void step_change(struct walk *w)
{
    struct pane *p = pane_number(w->alive[below(w->n)]);
    struct layout_main main = {(uint16_t)(1 + below(100)), (uint16_t)(1 + below(50))};

    switch (below(5)) {
    case 0:
        layout_resize(w->l, (uint16_t)(1 + below(250)), (uint16_t)(1 + below(80)));
        break;
    case 1:
        layout_move_border(w->l, p, below(2) ? LAYOUT_ROW : LAYOUT_COLUMN, (int)below(60) - 30);
        break;
    case 2:
        layout_set_size(w->l, p, below(2) ? LAYOUT_ROW : LAYOUT_COLUMN, (uint16_t)below(60));
        break;
    case 3:
        layout_swap(w->l, p, w->l, pane_number(w->alive[below(w->n)]));
        break;
    default:
        layout_arrange(w->l, (enum layout_preset)below(LAYOUT_PRESETS), main);
    }
}

/* Text and back gives the same; ids and panes still belong together. */
static void check(const struct walk *w)
{
    struct outbuf text = {0}, again = {0};

    assert_true(layout_is_sound(w->l));
    assert_int_equal(layout_count(w->l), w->n);
    for (uint32_t i = 0; i < w->n; i++) {
        const struct layout_leaf *f = layout_find(w->l, pane_number(w->alive[i]));

        assert_non_null(f);
        assert_int_equal(f->id, w->alive[i]);
    }
    layout_write(w->l, &text);
    outbuf_byte(&text, '\0');
    assert_int_equal(layout_read(w->l, (const char *)text.p), ERR_OK);
    layout_write(w->l, &again);
    outbuf_byte(&again, '\0');
    assert_string_equal((const char *)text.p, (const char *)again.p);
    outbuf_clear(&text);
    outbuf_clear(&again);
}

static void test_random_walks_stay_sound(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct walk w = {.n = 1, .next = 1};

        seed = round;
        w.l = make((uint16_t)(20 + below(200)), (uint16_t)(8 + below(60)));
        for (int i = 0; i < STEPS; i++) {
            uint32_t what = below(10);

            if (what < 4)
                step_split(&w);
            else if (what < 6 || w.n > PANES_AT_END)
                step_remove(&w);
            else
                step_change(&w);
            check(&w);
        }
        layout_destroy(w.l);
    }
}

/* Growing a window and shrinking it again keeps each pane's share, to a cell per border. */
static void test_resize_keeps_proportions(void **state)
{
    struct layout *l = make(100, 50);

    (void)state;
    split(l, 0, LAYOUT_ROW, false, false, 24, 1);
    split(l, 0, LAYOUT_COLUMN, false, false, 12, 2);
    layout_resize(l, 200, 100);
    assert_in_range(layout_find(l, pane_number(1))->cols, 46, 50);
    assert_in_range(layout_find(l, pane_number(2))->rows, 23, 26);
    layout_resize(l, 100, 50);
    assert_in_range(layout_find(l, pane_number(1))->cols, 23, 25);
    assert_in_range(layout_find(l, pane_number(2))->rows, 11, 13);
    layout_destroy(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_splits_as_tmux_does),
        cmocka_unit_test(test_published_checksum),
        cmocka_unit_test(test_no_room),
        cmocka_unit_test(test_borders),
        cmocka_unit_test(test_arrangements),
        cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_malformed_texts),
        cmocka_unit_test(test_random_walks_stay_sound),
        cmocka_unit_test(test_resize_keeps_proportions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
