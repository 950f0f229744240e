/* What the screen's unit tests share: a screen that records what it answers, ways to look at it,
 * and a seeded source of nasty streams. */
#ifndef VITRINE_TESTS_SCREEN_RIG_H
#define VITRINE_TESTS_SCREEN_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "server/daemon/screen.h"

struct rig {
    struct screen *s;
    struct outbuf replies;
    struct outbuf clipboard;
    int bells;
    int titles;
    int cwds;
};

static inline void rig_on_reply(void *ctx, const uint8_t *p, size_t n)
{
    outbuf_put(&((struct rig *)ctx)->replies, p, n);
}

static inline void rig_on_bell(void *ctx)
{
    ((struct rig *)ctx)->bells++;
}

static inline void rig_on_title(void *ctx)
{
    ((struct rig *)ctx)->titles++;
}

static inline void rig_on_cwd(void *ctx)
{
    ((struct rig *)ctx)->cwds++;
}

static inline void rig_on_clipboard(void *ctx, const uint8_t *p, size_t n)
{
    outbuf_put(&((struct rig *)ctx)->clipboard, p, n);
}

static inline void rig_open(struct rig *r, uint16_t cols, uint16_t rows, uint32_t history)
{
    static const struct screen_events events = {.reply = rig_on_reply,
                                                .bell = rig_on_bell,
                                                .title = rig_on_title,
                                                .clipboard = rig_on_clipboard,
                                                .cwd = rig_on_cwd};
    memset(r, 0, sizeof *r);
    r->s = screen_create(cols, rows, history, &events, r);
    assert_non_null(r->s);
}

static inline void rig_close(struct rig *r)
{
    screen_destroy(r->s);
    outbuf_clear(&r->replies);
    outbuf_clear(&r->clipboard);
}

static inline void rig_feed(struct rig *r, const char *text)
{
    screen_feed(r->s, (const uint8_t *)text, strlen(text));
}

static inline void rig_repeat(struct rig *r, const char *text, int n)
{
    while (n-- > 0)
        rig_feed(r, text);
}

/* The text of a visible row without trailing empty cells; static, overwritten by the next call. */
static inline const char *rig_row(struct rig *r, uint16_t row)
{
    static char text[SCREEN_COLS_MAX * CELL_TEXT_MAX + 1];
    const struct cell *cells = screen_row(r->s, row);
    size_t n = 0;
    size_t used = 0;
    assert_non_null(cells);
    for (uint16_t col = 0; col < screen_cols(r->s); col++) {
        if (cells[col].len == 0 && cells[col].width == 0)
            continue;
        memcpy(text + n, cells[col].len ? cells[col].text : " ",
               cells[col].len ? cells[col].len : 1);
        n += cells[col].len ? cells[col].len : 1;
        if (cells[col].len)
            used = n;
    }
    text[used] = 0;
    return text;
}

static inline void rig_expect_row(struct rig *r, uint16_t row, const char *text)
{
    assert_string_equal(rig_row(r, row), text);
}

static inline void rig_expect_cursor(struct rig *r, uint16_t x, uint16_t y)
{
    struct screen_cursor c = screen_cursor(r->s);
    assert_int_equal(c.x, x);
    assert_int_equal(c.y, y);
}

/* A keyframe as a NUL-terminated string the caller clears. */
static inline struct outbuf rig_keyframe(struct rig *r, uint32_t history)
{
    struct outbuf out = {0};
    struct keyframe_info info;
    assert_int_equal(screen_keyframe(r->s, history, &out, &info), ERR_OK);
    outbuf_byte(&out, 0);
    return out;
}

/* --- seeded streams ------------------------------------------------------------------------- */

static inline uint32_t rig_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* Appends a piece of terminal output: text, controls and sequences that meet in rare states, with
 * or without changes of charset. */
static inline void rig_piece(struct outbuf *out, uint32_t *seed, bool rare)
{
    static const char *const pieces[] = {
        "a",
        "ls -la ",
        "The quick brown fox ",
        "\xe6\xbc\xa2\xe5\xad\x97",
        "e\xcc\x81",
        "\xf0\x9f\x99\x82",
        "\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9",
        "\xcc\x81",
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "\r\n",
        "\r\n",
        "\n",
        "\r",
        "\t",
        "\b",
        "\033M",
        "\033D",
        "\033E",
        "\033[m",
        "\033[1;31m",
        "\033[44m",
        "\033[4:3m",
        "\033[38;2;1;2;3m",
        "\033[48;5;200m",
        "\033[7m",
        "\033[2;8;53m",
        "\033[58;5;9m",
        "\033[H",
        "\033[3;5H",
        "\033[5;200H",
        "\033[A",
        "\033[2B",
        "\033[3C",
        "\033[2D",
        "\033[J",
        "\033[1J",
        "\033[2J",
        "\033[K",
        "\033[1K",
        "\033[2K",
        "\033[2L",
        "\033[M",
        "\033[2S",
        "\033[T",
        "\033[3@",
        "\033[2P",
        "\033[4X",
        "\033[3b",
        "\033[2;4r",
        "\033[r",
        "\033[4h",
        "\033[4l",
        "\033[?6h",
        "\033[?6l",
        "\033[?25l",
        "\033[?47h",
        "\033[?47l",
        "\033[?1h",
        "\033[?1000h",
        "\033[?1006h",
        "\033[?2004h",
        "\033H",
        "\033[3g",
        "\033]0;title\a",
        "\033]8;id=y;http://a.example/\a",
        "\033]8;;\a",
        "\033]8;id=x;http://b.example/\a",
        "\033]4;1;#112233\a",
        "\033P$qm\033\\",
        "\033_x\033\\",
        "\033[5 q",
        "\033[!p",
        "\033[3J",
        "\xff",
        "\xc3",
        "\xe2\x82",
        /* the last nine */
        "\033[?1049h",
        "\033[?1049l",
        "\033#8",
        "\0337",
        "\0338",
        "\033(0",
        "\033(B",
        "\016",
        "\017",
    };
    size_t n = sizeof pieces / sizeof pieces[0] - (rare ? 0 : 9);
    outbuf_text(out, pieces[rig_random(seed) % n]);
}

#endif
