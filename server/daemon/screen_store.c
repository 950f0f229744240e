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

/* The cells at work. */
struct live {
    VTerm *vt;
    VTermScreen *screen;
    int cols;
    int row; /* libvterm's cursor, UNKNOWN when not known */
    int col;
    uint32_t pen; /* libvterm's pen */
    size_t len;
    char pending[PENDING_MAX];
};

/* The cells at rest: of every row those up to the last that is not just empty, one row behind the
 * other. Row r is cells[starts[r]] to cells[starts[r + 1]]. */
struct rest {
    struct gcell *cells;
    uint32_t starts[];
};

struct store {
    int cols;
    int rows;
    struct live *live; /* one of the two; NULL both: all cells are empty */
    struct rest *rest;
};

static void flush(struct live *g)
{
    if (g->len)
        vterm_input_write(g->vt, g->pending, g->len);
    g->len = 0;
}

static char *room(struct live *g)
{
    if (g->len + STEP_MAX > PENDING_MAX)
        flush(g);
    return g->pending + g->len;
}

static void add_byte(struct live *g, unsigned b)
{
    g->pending[g->len++] = (char)b;
}

static void add_number(struct live *g, uint32_t v)
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

static void add_text(struct live *g, const char *text)
{
    while (*text)
        add_byte(g, (unsigned char)*text++);
}

/* CSI n final, for n of at least 1. */
static void add_csi(struct live *g, int n, char final)
{
    room(g);
    add_text(g, "\033[");
    add_number(g, (uint32_t)n);
    add_byte(g, (unsigned char) final);
}

static void go_to(struct live *g, int row, int col)
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

static void use_pen(struct live *g, uint32_t pen)
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
static void advance(struct live *g, int n)
{
    g->col += n;
    if (g->col >= g->cols)
        g->row = UNKNOWN;
}

static void live_destroy(struct live *g)
{
    if (!g)
        return;
    vterm_free(g->vt);
    free(g);
}

static struct live *live_create(int cols, int rows)
{
    struct live *g = malloc(sizeof *g);
    if (!g)
        return NULL;
    *g = (struct live){.vt = vterm_new(rows, cols), .cols = cols, .row = UNKNOWN};
    if (!g->vt) {
        free(g);
        return NULL;
    }
    vterm_set_utf8(g->vt, 1);
    g->screen = vterm_obtain_screen(g->vt);
    vterm_screen_set_damage_merge(g->screen, VTERM_DAMAGE_SCROLL);
    vterm_screen_reset(g->screen, 1);
    add_text(g, "\033[?7l\033[38;2;0;0;0m\033[2J");
    flush(g);
    return g;
}

struct store *store_create(int cols, int rows)
{
    struct store *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->cols = cols;
    g->rows = rows;
    return g;
}

static void rest_destroy(struct rest *r)
{
    if (!r)
        return;
    free(r->cells);
    free(r);
}

void store_destroy(struct store *g)
{
    if (!g)
        return;
    live_destroy(g->live);
    rest_destroy(g->rest);
    free(g);
}

static bool is_ascii_glyph(uint32_t glyph)
{
    uint32_t cp = glyph & GLYPH_CONTENT;
    return GLYPH_WIDTH(glyph) == 1 && !(glyph & GLYPH_CLUSTER) && cp >= 0x20 && cp <= 0x7e;
}

static void add_glyph(struct live *g, uint32_t glyph)
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

static struct gcell live_cell(const struct live *g, int row, int col)
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

/* A row at rest: its cells, and how many of them there are. */
static const struct gcell *rest_row(const struct store *g, int row, int *n)
{
    const struct rest *r = g->rest;
    *n = r ? (int)(r->starts[row + 1] - r->starts[row]) : 0;
    return *n ? r->cells + r->starts[row] : NULL;
}

struct gcell store_get(struct store *g, int row, int col)
{
    if (g->live) {
        flush(g->live);
        return live_cell(g->live, row, col);
    }
    int n;
    const struct gcell *cells = rest_row(g, row, &n);
    return col < n ? cells[col] : (struct gcell){.glyph = GLYPH_NULL};
}

void store_get_row(struct store *g, int row, struct gcell *out)
{
    int n = g->cols;
    if (g->live) {
        flush(g->live);
        for (int col = 0; col < n; col++)
            out[col] = live_cell(g->live, row, col);
        return;
    }
    const struct gcell *cells = rest_row(g, row, &n);
    if (n)
        memcpy(out, cells, (size_t)n * sizeof *out);
    for (int col = n; col < g->cols; col++)
        out[col] = (struct gcell){.glyph = GLYPH_NULL};
}

/* Length of the run of empty cells with one pen that cells begin with. */
static int empty_run(const struct gcell *cells, int n)
{
    int i = 0;
    while (i < n && cells[i].glyph == GLYPH_NULL && cells[i].pen == cells[0].pen)
        i++;
    return i;
}

static void live_write(struct live *g, int row, int col, const struct gcell *cells, int n)
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

/* --- rest and work ---------------------------------------------------------------------------- */

/* False, with everything as it was, when memory ran out. */
static bool wake(struct store *g)
{
    if (g->live)
        return true;
    g->live = live_create(g->cols, g->rows);
    if (!g->live)
        return false;
    for (int row = 0; row < g->rows; row++) {
        int n;
        const struct gcell *cells = rest_row(g, row, &n);
        live_write(g->live, row, 0, cells, n);
    }
    rest_destroy(g->rest);
    g->rest = NULL;
    return true;
}

static bool is_plain(const struct gcell *cell)
{
    return cell->glyph == GLYPH_NULL && cell->pen == 0;
}

/* Copies the rows of g behind each other into all, which has room for them, and notes where each
 * begins. */
static void pack(struct store *g, struct gcell *all, uint32_t *starts)
{
    uint32_t used = 0;
    for (int row = 0; row < g->rows; row++) {
        int n = g->cols;
        starts[row] = used;
        store_get_row(g, row, all + used);
        while (n > 0 && is_plain(&all[used + (uint32_t)n - 1]))
            n--;
        used += (uint32_t)n;
    }
    starts[g->rows] = used;
}

void store_rest(struct store *g)
{
    size_t rows = (size_t)g->rows, cells = rows * (size_t)g->cols;
    if (!g->live)
        return;
    struct rest *r = malloc(sizeof *r + (rows + 1) * sizeof r->starts[0]);
    struct gcell *all = malloc(cells * sizeof *all);
    if (r && all) {
        pack(g, all, r->starts);
        size_t used = r->starts[rows] * sizeof *all;
        r->cells = malloc(used ? used : 1);
        if (r->cells) {
            memcpy(r->cells, all, used);
            live_destroy(g->live);
            g->live = NULL;
            g->rest = r;
            r = NULL;
        }
    }
    free(all);
    free(r);
}

void store_write(struct store *g, int row, int col, const struct gcell *cells, int n)
{
    if (wake(g))
        live_write(g->live, row, col, cells, n);
}

void store_scroll(struct store *g, int n)
{
    if (!wake(g))
        return;
    use_pen(g->live, 0);
    add_csi(g->live, n, 'S');
}
