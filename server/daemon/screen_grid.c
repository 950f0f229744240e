#include "server/daemon/screen_grid.h"

#include <stdlib.h>
#include <string.h>

#define NOWHERE (-1)

/* A row being worked on. */
struct row {
    struct gcell *cells;
    int home;       /* which row of the store it is, NOWHERE for one that scrolling brought in */
    bool loaded;    /* cells are there; else they are in the store, or all empty */
    uint32_t blank; /* the pen of an empty row that is not loaded */
    int low;        /* cells that differ from the store: low to high, none if low >= high */
    int high;
};

struct bench {
    struct bench *next; /* in the list of free ones */
    struct row *rows;
    struct row *spare; /* room for rotating rows */
    struct gcell *cells;
    size_t rows_cap;
    size_t cells_cap;
};

struct grid {
    struct store *store;
    struct bench *bench; /* NULL at rest */
    int cols;
    int rows;
    bool mixed;
};

/* Benches not in use. As many as grids were ever changed at once: two for a pane, at most. */
static struct bench *free_benches;

struct grid *grid_create(int cols, int rows)
{
    struct grid *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->cols = cols;
    g->rows = rows;
    g->store = store_create(cols, rows);
    if (!g->store) {
        free(g);
        return NULL;
    }
    return g;
}

/* --- benches ---------------------------------------------------------------------------------- */

static bool bench_fit(struct bench *b, size_t rows, size_t cells)
{
    if (b->rows_cap < rows) {
        struct row *grown = realloc(b->rows, rows * sizeof *grown);
        if (!grown)
            return false;
        b->rows = grown;
        struct row *spare = realloc(b->spare, rows * sizeof *spare);
        if (!spare)
            return false;
        b->spare = spare;
        b->rows_cap = rows;
    }
    if (b->cells_cap < cells) {
        struct gcell *grown = realloc(b->cells, cells * sizeof *grown);
        if (!grown)
            return false;
        b->cells = grown;
        b->cells_cap = cells;
    }
    return true;
}

static void give_back(struct grid *g)
{
    if (!g->bench)
        return;
    g->bench->next = free_benches;
    free_benches = g->bench;
    g->bench = NULL;
}

/* Takes a bench for g, whose rows are all where they are in the store. */
static struct bench *bench_of(struct grid *g)
{
    if (g->bench)
        return g->bench;
    struct bench *b = free_benches;
    if (b)
        free_benches = b->next;
    else
        b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    g->bench = b;
    if (!bench_fit(b, (size_t)g->rows, (size_t)g->rows * (size_t)g->cols)) {
        give_back(g);
        return NULL;
    }
    for (int i = 0; i < g->rows; i++)
        b->rows[i] = (struct row){.cells = b->cells + (size_t)i * (size_t)g->cols, .home = i};
    return b;
}

void grid_destroy(struct grid *g)
{
    if (!g)
        return;
    give_back(g);
    store_destroy(g->store);
    free(g);
}

static void fill(struct gcell *cells, int n, uint32_t pen)
{
    for (int i = 0; i < n; i++)
        cells[i] = (struct gcell){.glyph = GLYPH_NULL, .pen = pen};
}

static void load(struct grid *g, struct row *r)
{
    if (r->loaded)
        return;
    if (r->home == NOWHERE)
        fill(r->cells, g->cols, r->blank);
    else
        store_get_row(g->store, r->home, r->cells);
    r->loaded = true;
}

/* The row at `row`, loaded, with the cells low to high marked as changed; NULL without memory. */
static struct row *change(struct grid *g, int row, int low, int high)
{
    struct bench *b = bench_of(g);
    if (!b)
        return NULL;
    struct row *r = &b->rows[row];
    load(g, r);
    if (r->low >= r->high) {
        r->low = low;
        r->high = high;
    }
    r->low = r->low < low ? r->low : low;
    r->high = r->high > high ? r->high : high;
    return r;
}

/* --- reading and writing cells ------------------------------------------------------------------
 */

struct gcell grid_get(struct grid *g, int row, int col)
{
    if (!g->bench)
        return store_get(g->store, row, col);
    load(g, &g->bench->rows[row]);
    return g->bench->rows[row].cells[col];
}

void grid_get_row(struct grid *g, int row, struct gcell *out)
{
    if (!g->bench) {
        store_get_row(g->store, row, out);
        return;
    }
    load(g, &g->bench->rows[row]);
    memcpy(out, g->bench->rows[row].cells, (size_t)g->cols * sizeof *out);
}

void grid_put(struct grid *g, int row, int col, struct gcell cell)
{
    struct row *r = change(g, row, col, col + 1);
    if (!r)
        return;
    r->cells[col] = cell;
    if (GLYPH_WIDTH(cell.glyph) != 1)
        g->mixed = true;
}

void grid_put_ascii(struct grid *g, int row, int col, const uint8_t *p, int n, uint32_t pen)
{
    struct row *r = change(g, row, col, col + n);
    for (int i = 0; r && i < n; i++)
        r->cells[col + i] = (struct gcell){.glyph = GLYPH(p[i], 1), .pen = pen};
}

void grid_erase(struct grid *g, int row, int col, int end, uint32_t pen)
{
    struct row *r = change(g, row, col, end);
    if (r)
        fill(r->cells + col, end - col, pen);
}

void grid_insert(struct grid *g, int row, int col, int n, uint32_t pen)
{
    struct row *r = change(g, row, col, g->cols);
    if (!r)
        return;
    n = n < g->cols - col ? n : g->cols - col;
    memmove(r->cells + col + n, r->cells + col, (size_t)(g->cols - col - n) * sizeof *r->cells);
    fill(r->cells + col, n, pen);
}

void grid_delete(struct grid *g, int row, int col, int n, uint32_t pen)
{
    struct row *r = change(g, row, col, g->cols);
    if (!r)
        return;
    n = n < g->cols - col ? n : g->cols - col;
    memmove(r->cells + col, r->cells + col + n, (size_t)(g->cols - col - n) * sizeof *r->cells);
    fill(r->cells + g->cols - n, n, pen);
}

void grid_scroll(struct grid *g, int top, int bottom, int n, uint32_t pen)
{
    struct bench *b = bench_of(g);
    if (!b)
        return;
    size_t height = (size_t)(bottom - top + 1);
    size_t count = (size_t)(n < 0 ? -n : n);
    count = count < height ? count : height;
    struct row *rows = b->rows + top;
    struct row *out = n < 0 ? rows + height - count : rows; /* the rows pushed out */
    struct row *in = n < 0 ? rows : rows + height - count;  /* where they come in again */
    memcpy(b->spare, out, count * sizeof *rows);
    if (n < 0)
        memmove(rows + count, rows, (height - count) * sizeof *rows);
    else
        memmove(rows, rows + count, (height - count) * sizeof *rows);
    for (size_t i = 0; i < count; i++)
        in[i] = (struct row){
            .cells = b->spare[i].cells, .home = NOWHERE, .blank = pen, .high = g->cols};
}

/* --- putting back
 * --------------------------------------------------------------------------------- */

/* By how many rows the store is best scrolled: as far as most rows came that are still from it. */
static int best_shift(const struct grid *g)
{
    int shift = 0;
    int moved = 0;
    int stayed = 0;
    for (int i = 0; i < g->rows; i++) {
        int home = g->bench->rows[i].home;
        if (home == i)
            stayed++;
        else if (home > i && shift == 0)
            shift = home - i;
        if (home > i && home - i == shift)
            moved++;
    }
    return moved > stayed ? shift : 0;
}

/* Which row of the store is at i once it is scrolled; NOWHERE for an empty one. */
static int row_after(const struct grid *g, int i, int shift)
{
    return i + shift < g->rows ? i + shift : NOWHERE;
}

/* Writes a row over whatever is there, or over an empty one, where plain empty cells need no
 * writing. */
static void write_row(struct grid *g, int i, const struct row *r, bool over_empty)
{
    int n = g->cols;
    while (over_empty && n > 0 && r->cells[n - 1].glyph == GLYPH_NULL && r->cells[n - 1].pen == 0)
        n--;
    if (n)
        store_write(g->store, i, 0, r->cells, n);
}

void grid_settle(struct grid *g)
{
    struct bench *b = g->bench;
    if (!b)
        return;
    int shift = best_shift(g);
    for (int i = 0; i < g->rows; i++) /* before anything moves there */
        if (b->rows[i].home != row_after(g, i, shift) || b->rows[i].home == NOWHERE)
            load(g, &b->rows[i]);
    if (shift)
        store_scroll(g->store, shift);
    for (int i = 0; i < g->rows; i++) {
        struct row *r = &b->rows[i];
        int after = row_after(g, i, shift);
        if (r->home != after || after == NOWHERE)
            write_row(g, i, r, after == NOWHERE);
        else if (r->low < r->high)
            store_write(g->store, i, r->low, r->cells + r->low, r->high - r->low);
    }
    give_back(g);
}

void grid_discard(struct grid *g)
{
    give_back(g);
}

void grid_rest(struct grid *g)
{
    store_rest(g->store);
}

bool grid_is_mixed(const struct grid *g)
{
    return g->mixed;
}

void grid_set_plain(struct grid *g)
{
    g->mixed = false;
}
