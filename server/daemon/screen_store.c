#include "server/daemon/screen_store.h"

#include <stdlib.h>
#include <string.h>

#include <vterm.h>

#define PENDING_MAX 4096u /* libvterm 0.1.4 overflows its stack on very large writes */
#define STEP_MAX    64u   /* the longest thing appended at once */
#define GLYPH_BASE  0x1000000u
#define UNKNOWN     (-1)

/* The cells' interface is the same in libvterm 0.1.4 (Debian 12) and 0.3.3 (Debian 13), except that
 * the later one wraps lines back at a resize, which is never asked of it. This is the place to tell
 * them apart should a third one differ. */
#if VTERM_VERSION_MAJOR != 0
#error "libvterm 0.x is needed"
#endif

struct store {
    VTerm *vt;
    VTermScreen *screen;
    int cols;
    int rows;
    int row; /* libvterm's cursor, UNKNOWN when not known */
    int col;
    uint32_t pen; /* libvterm's pen */
    size_t len;
    char pending[PENDING_MAX];
};

static void flush(struct store *g)
{
    if (g->len)
        vterm_input_write(g->vt, g->pending, g->len);
    g->len = 0;
}

static char *room(struct store *g)
{
    if (g->len + STEP_MAX > PENDING_MAX)
        flush(g);
    return g->pending + g->len;
}

static void add_byte(struct store *g, unsigned b)
{
    g->pending[g->len++] = (char)b;
}

static void add_number(struct store *g, uint32_t v)
{
    char digits[10];
    size_t n = 0;
    do {
        digits[n++] = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    while (n)
        add_byte(g, (unsigned char)digits[--n]);
}

static void add_text(struct store *g, const char *text)
{
    while (*text)
        add_byte(g, (unsigned char)*text++);
}

/* CSI n final, for n of at least 1. */
static void add_csi(struct store *g, int n, char final)
{
    room(g);
    add_text(g, "\033[");
    add_number(g, (uint32_t)n);
    add_byte(g, (unsigned char) final);
}

static void go_to(struct store *g, int row, int col)
{
    if (g->row == row && g->col == col)
        return;
    room(g);
    add_text(g, "\033[");
    add_number(g, (uint32_t)row + 1);
    add_byte(g, ';');
    add_number(g, (uint32_t)col + 1);
    add_byte(g, 'H');
    g->row = row;
    g->col = col;
}

static void use_pen(struct store *g, uint32_t pen)
{
    if (g->pen == pen)
        return;
    room(g);
    add_text(g, "\033[38;2;");
    add_number(g, pen >> 16 & 0xff);
    add_byte(g, ';');
    add_number(g, pen >> 8 & 0xff);
    add_byte(g, ';');
    add_number(g, pen & 0xff);
    add_byte(g, 'm');
    g->pen = pen;
}

/* At the right edge libvterm keeps its cursor in the last column. */
static void advance(struct store *g, int n)
{
    g->col += n;
    if (g->col >= g->cols)
        g->row = UNKNOWN;
}

struct store *store_create(int cols, int rows)
{
    struct store *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->vt = vterm_new(rows, cols);
    if (!g->vt) {
        free(g);
        return NULL;
    }
    g->cols = cols;
    g->rows = rows;
    vterm_set_utf8(g->vt, 1);
    g->screen = vterm_obtain_screen(g->vt);
    vterm_screen_set_damage_merge(g->screen, VTERM_DAMAGE_SCROLL);
    vterm_screen_reset(g->screen, 1);
    add_text(g, "\033[?7l\033[38;2;0;0;0m\033[2J");
    g->row = UNKNOWN;
    flush(g);
    return g;
}

void store_destroy(struct store *g)
{
    if (!g)
        return;
    vterm_free(g->vt);
    free(g);
}

static bool is_ascii_glyph(uint32_t glyph)
{
    uint32_t cp = glyph & GLYPH_CONTENT;
    return GLYPH_WIDTH(glyph) == 1 && !(glyph & GLYPH_CLUSTER) && cp >= 0x20 && cp <= 0x7e;
}

static void add_glyph(struct store *g, uint32_t glyph)
{
    if (is_ascii_glyph(glyph)) {
        add_byte(g, glyph & 0x7f);
        return;
    }
    uint32_t v = GLYPH_BASE + glyph;
    add_byte(g, 0xf8 | v >> 24);
    add_byte(g, 0x80 | (v >> 18 & 0x3f));
    add_byte(g, 0x80 | (v >> 12 & 0x3f));
    add_byte(g, 0x80 | (v >> 6 & 0x3f));
    add_byte(g, 0x80 | (v & 0x3f));
}

static struct gcell cell_at(const struct store *g, int row, int col)
{
    VTermScreenCell cell;
    VTermPos pos = {.row = row, .col = col};
    vterm_screen_get_cell(g->screen, pos, &cell);
    uint32_t glyph = cell.chars[0];
    if (glyph == 0)
        glyph = GLYPH_NULL;
    else if (glyph >= GLYPH_BASE)
        glyph -= GLYPH_BASE;
    else
        glyph = GLYPH(glyph, 1);
    uint32_t pen =
        VTERM_COLOR_IS_RGB(&cell.fg)
            ? (uint32_t)cell.fg.rgb.red << 16 | (uint32_t)cell.fg.rgb.green << 8 | cell.fg.rgb.blue
            : 0;
    return (struct gcell){.glyph = glyph, .pen = pen};
}

struct gcell store_get(struct store *g, int row, int col)
{
    flush(g);
    return cell_at(g, row, col);
}

void store_get_row(struct store *g, int row, struct gcell *out)
{
    flush(g);
    for (int col = 0; col < g->cols; col++)
        out[col] = cell_at(g, row, col);
}

/* Length of the run of empty cells with one pen that cells begin with. */
static int empty_run(const struct gcell *cells, int n)
{
    int i = 0;
    while (i < n && cells[i].glyph == GLYPH_NULL && cells[i].pen == cells[0].pen)
        i++;
    return i;
}

void store_write(struct store *g, int row, int col, const struct gcell *cells, int n)
{
    for (int i = 0; i < n;) {
        int empty = empty_run(cells + i, n - i);
        go_to(g, row, col + i);
        use_pen(g, cells[i].pen);
        if (empty) {
            add_csi(g, empty, 'X');
            i += empty;
            continue;
        }
        room(g);
        add_glyph(g, cells[i++].glyph);
        advance(g, 1);
    }
}

void store_scroll(struct store *g, int n)
{
    use_pen(g, 0);
    add_csi(g, n, 'S');
}
