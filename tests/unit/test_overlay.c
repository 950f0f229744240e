/* Overlays: what is shown in which room, that links can be selected whole, and that nothing is left
 * when one closes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/daemon/overlay.h"
#include "server/daemon/paint_frame.h"
#include "server/daemon/qr.h"
#include "tests/unit/frame_text.h"

#define LINK                                                                      \
    "http://127.0.0.1:8722/#AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGhIjKlMnOpQrStUvWxYz" \
    "AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGhI"
#define LINKS "view: " LINK "\n"

struct rig {
    struct overlay overlay;
    struct frame frame;
};

static void draw(struct rig *r, uint16_t cols, uint16_t rows)
{
    assert_true(frame_resize(&r->frame, cols, (uint16_t)(rows + 1)));
    for (uint16_t y = 0; y <= rows; y++)
        for (uint16_t x = 0; x < cols; x++)
            frame_text(&r->frame, y, x, cols, &frame_pen_default, "p", 1);
    r->frame.cursor.visible = true;
    overlay_draw(&r->overlay, &r->frame, rows);
    for (uint16_t x = 0; x < cols; x++) /* the row below is not touched */
        assert_int_equal(frame_row(&r->frame, rows)[x].text[0], 'p');
}

static void open_links(struct rig *r, const char *text, bool utf8)
{
    overlay_open_links(&r->overlay, "Links", text, strlen(text), utf8);
}

static void end(struct rig *r)
{
    overlay_close(&r->overlay);
    frame_clear(&r->frame);
}

/* The code read off the frame: where its light background begins, and that every module is there.
 */
static bool shows_code(const struct frame *f)
{
    struct qr q;
    const cell_color white = COLOR_KIND_256 | 231;

    assert_int_equal(qr_encode(&q, LINK, strlen(LINK)), ERR_OK);
    for (uint16_t y = 0; y < f->rows; y++) {
        for (uint16_t x = 0; x < f->cols; x++) {
            if (frame_row(f, y)[x].pen.bg != white)
                continue;
            uint16_t cols = 0;
            while (x + cols < f->cols && frame_row(f, y)[x + cols].pen.bg == white)
                cols++;
            uint16_t quiet = (uint16_t)((cols - q.size) / 2);
            assert_true(quiet == QR_QUIET || quiet == QR_QUIET_MIN);
            assert_true(y + qr_rows(&q, quiet) <= f->rows - 1);
            for (uint16_t i = 0; i < qr_rows(&q, quiet); i++)
                for (uint16_t j = 0; j < cols; j++) {
                    const struct cell *c = &frame_row(f, (uint16_t)(y + i))[x + j];
                    const char *block = qr_cell(&q, quiet, j, i);
                    assert_int_equal(c->len, strlen(block));
                    assert_memory_equal(c->text, block, c->len);
                    assert_int_equal(c->pen.bg, white);
                    assert_int_equal(c->pen.fg, COLOR_KIND_256 | 16);
                }
            return true;
        }
    }
    return false;
}

/* The link as a terminal's selection gives it: a row, and those it goes on in. */
static bool selects_link(const struct frame *f)
{
    char text[ROW_TEXT_MAX] = "";

    for (uint16_t y = 0; y < f->rows; y++) {
        strcat(text, row_text(f, y));
        if (f->wraps[y]) {
            assert_int_equal(frame_row(f, y)[f->cols - 1].len, 1);
            continue;
        }
        if (strcmp(text, LINK) == 0)
            return true;
        text[0] = '\0';
    }
    return false;
}

static void open_text(struct rig *r, const char *text)
{
    overlay_open_text(&r->overlay, "Output", text, strlen(text));
}

static void short_text_is_boxed(void **state)
{
    struct rig r = {0};

    (void)state;
    open_text(&r, "one\ntwo\n");
    assert_true(overlay_is_open(&r.overlay));
    draw(&r, 80, 23);
    assert_false(r.frame.cursor.visible);
    assert_true(frame_has(&r.frame, "│ one"));
    assert_true(frame_has(&r.frame, "│ two"));
    assert_true(frame_has(&r.frame, "┌─ Output ─"));
    assert_true(frame_has(&r.frame, "any key closes"));
    assert_string_equal(row_text(&r.frame, 0) + 79, "p"); /* the pane around it stays */
    assert_false(overlay_scroll(&r.overlay, 80, 23, 1));
    overlay_advance(&r.overlay, 80, 23);
    assert_false(overlay_is_open(&r.overlay));
    draw(&r, 80, 23);
    assert_true(r.frame.cursor.visible);
    end(&r);
}

static void long_text_scrolls(void **state)
{
    struct outbuf text = {0};
    struct rig r = {0};

    (void)state;
    for (int i = 1; i <= 50; i++)
        outbuf_printf(&text, "line %d\n", i);
    outbuf_byte(&text, 0);
    open_text(&r, (const char *)text.p);
    draw(&r, 70, 11);
    assert_string_equal(row_text(&r.frame, 0), "line 1");
    assert_string_equal(row_text(&r.frame, 9), "line 10");
    assert_memory_equal(row_text(&r.frame, 10), "Output · lines 1 to 10 of 50", 29);
    assert_true(overlay_scroll(&r.overlay, 70, 11, 3));
    draw(&r, 70, 11);
    assert_string_equal(row_text(&r.frame, 0), "line 4");
    assert_true(overlay_scroll(&r.overlay, 70, 11, 1000));
    draw(&r, 70, 11);
    assert_string_equal(row_text(&r.frame, 9), "line 50");
    assert_true(overlay_scroll(&r.overlay, 70, 11, -1000));
    draw(&r, 70, 11);
    assert_string_equal(row_text(&r.frame, 0), "line 1");
    for (uint16_t rows = 1; rows < 60; rows++) /* whatever the size becomes */
        draw(&r, (uint16_t)(1 + rows / 2), rows);
    overlay_advance(&r.overlay, 70, 11);
    assert_false(overlay_is_open(&r.overlay));
    outbuf_clear(&text);
    end(&r);
}

static void wide_terminal_code_beside(void **state)
{
    struct rig r = {0};

    (void)state;
    open_links(&r, LINKS, true);
    draw(&r, 200, 30);
    assert_true(frame_has(&r.frame, "│ view: " LINK));
    assert_true(shows_code(&r.frame));
    overlay_advance(&r.overlay, 200, 30);
    assert_false(overlay_is_open(&r.overlay));
    end(&r);
}

static void high_terminal_code_below(void **state)
{
    struct rig r = {0};

    (void)state;
    open_links(&r, LINKS, true);
    draw(&r, 130, 50); /* boxed */
    assert_true(frame_has(&r.frame, "│ view: " LINK));
    assert_true(shows_code(&r.frame));
    draw(&r, 80, 50); /* full width */
    assert_true(selects_link(&r.frame));
    assert_true(shows_code(&r.frame));
    end(&r);
}

static void small_terminal_code_on_its_own_page(void **state)
{
    struct rig r = {0};

    (void)state;
    open_links(&r, LINKS, true);
    draw(&r, 80, 23);
    assert_true(selects_link(&r.frame));
    assert_false(shows_code(&r.frame));
    assert_true(frame_has(&r.frame, "any key: QR code"));
    overlay_advance(&r.overlay, 80, 23);
    assert_true(overlay_is_open(&r.overlay));
    draw(&r, 80, 23);
    assert_true(shows_code(&r.frame));
    draw(&r, 40, 10); /* made smaller meanwhile */
    assert_false(shows_code(&r.frame));
    overlay_advance(&r.overlay, 80, 23);
    assert_false(overlay_is_open(&r.overlay));
    end(&r);
}

static void no_room_is_told(void **state)
{
    struct rig r = {0};

    (void)state;
    open_links(&r, LINKS, true);
    draw(&r, 80, 20);
    assert_true(selects_link(&r.frame));
    assert_true(frame_has(&r.frame, "QR code needs 45 columns × 24 rows"));
    overlay_advance(&r.overlay, 80, 20);
    assert_false(overlay_is_open(&r.overlay));
    open_links(&r, LINKS, false);
    draw(&r, 80, 50);
    assert_true(frame_has(&r.frame, "a QR code needs a UTF-8 terminal"));
    open_links(&r, "not shared\n", true);
    draw(&r, 80, 50);
    assert_true(frame_has(&r.frame, "not shared"));
    assert_false(frame_has(&r.frame, "QR"));
    end(&r);
}

/* Whatever the size and the text, drawing stays inside (the sanitizers watch) and the link stays
 * whole where it has room. */
static void every_size(void **state)
{
    static const char *const texts[] = {
        LINKS,
        "view: " LINK "\nwrite: " LINK "\n",
        "漢字漢字漢字漢字漢字漢字漢字\n",
        "",
        "\n\n\n",
        "x",
        LINKS "a line without a link that is longer than some of the terminals are wide, by far\n",
    };
    struct rig r = {0};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        for (uint16_t cols = 1; cols < 220; cols = (uint16_t)(cols + 1 + cols / 8)) {
            for (uint16_t rows = 1; rows < 60; rows = (uint16_t)(rows + 1 + rows / 8)) {
                open_links(&r, texts[i], true);
                draw(&r, cols, rows);
                if (i < 2 && rows > 110 / cols + 4)
                    assert_true(selects_link(&r.frame) || frame_has(&r.frame, LINK));
                overlay_advance(&r.overlay, cols, rows);
                draw(&r, cols, rows);
            }
        }
    }
    end(&r);
}

static void closing_wipes(void **state)
{
    struct rig r = {0};

    (void)state;
    open_links(&r, LINKS, true);
    assert_int_equal(r.overlay.text.len, strlen(LINKS));
    assert_non_null(r.overlay.qr);
    overlay_close(&r.overlay);
    assert_null(r.overlay.qr);
    assert_null(r.overlay.text.p);
    assert_false(overlay_is_open(&r.overlay));
    overlay_close(&r.overlay);
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_text_is_boxed),
        cmocka_unit_test(long_text_scrolls),
        cmocka_unit_test(wide_terminal_code_beside),
        cmocka_unit_test(high_terminal_code_below),
        cmocka_unit_test(small_terminal_code_on_its_own_page),
        cmocka_unit_test(no_room_is_told),
        cmocka_unit_test(every_size),
        cmocka_unit_test(closing_wipes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
