/* Layouts as text, in tmux's form:
 *
 *   layout = checksum "," cell          checksum: four hexadecimal digits over the rest
 *   cell   = W "x" H "," X "," Y ( "," pane number | "{" cell *("," cell) "}" | "[" … "]" )
 *
 * Braces hold cells side by side, brackets cells one below the other. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/daemon/layout_tree.h"
#include "server/daemon/outbuf.h"

#define DEPTH_MAX 64

static uint16_t checksum(const char *text, size_t n)
{
    uint16_t sum = 0;

    for (size_t i = 0; i < n; i++) {
        sum = (uint16_t)((sum >> 1) + ((sum & 1) << 15));
        sum = (uint16_t)(sum + (unsigned char)text[i]);
    }
    return sum;
}

/* --- writing -------------------------------------------------------------------------------- */

static void write_cell(const struct layout_cell *c, struct outbuf *out)
{
    outbuf_printf(out, "%ux%u,%u,%u", c->size[LAYOUT_ROW], c->size[LAYOUT_COLUMN], c->leaf.x,
                  c->leaf.y);
    if (c->kind == LAYOUT_KIND_LEAF) {
        outbuf_printf(out, ",%u", c->leaf.id);
        return;
    }
    outbuf_byte(out, c->kind == LAYOUT_KIND_ROW ? '{' : '[');
    for (const struct layout_cell *k = c->first; k; k = k->next) {
        write_cell(k, out);
        if (k->next)
            outbuf_byte(out, ',');
    }
    outbuf_byte(out, c->kind == LAYOUT_KIND_ROW ? '}' : ']');
}

void layout_write(const struct layout *l, struct outbuf *out)
{
    struct outbuf body = {0};

    if (!l->root)
        return;
    write_cell(l->root, &body);
    outbuf_printf(out, "%04x,", checksum((const char *)body.p, body.len));
    outbuf_put(out, body.p, body.len);
    out->bad = out->bad || body.bad;
    outbuf_clear(&body);
}

/* --- reading -------------------------------------------------------------------------------- */

struct reader {
    const char *at;
    uint32_t leaves;
    unsigned depth;
    enum err error;
};

static struct layout_cell *read_cell(struct reader *r);

/* A number from low to LAYOUT_SIZE_MAX, followed by `then`, which is taken too unless it is 0. */
static uint16_t read_number(struct reader *r, unsigned low, char then)
{
    char *end;
    unsigned long v;

    if (!isdigit((unsigned char)*r->at)) {
        r->error = ERR_MALFORMED;
        return 0;
    }
    v = strtoul(r->at, &end, 10);
    r->at = end;
    if (v < low || v > LAYOUT_SIZE_MAX || (then && *r->at != then))
        r->error = ERR_MALFORMED;
    else if (then)
        r->at++;
    return (uint16_t)v;
}

static void read_children(struct reader *r, struct layout_cell *c, char close)
{
    r->at++;
    do {
        struct layout_cell *k = read_cell(r);

        if (!k)
            return;
        layout_cell_insert(c, c->last, k);
    } while (*r->at == ',' && r->at++);
    if (*r->at != close || c->first == c->last)
        r->error = ERR_MALFORMED;
    else
        r->at++;
}

static void read_inside(struct reader *r, struct layout_cell *c)
{
    switch (*r->at) {
    case '{':
        c->kind = LAYOUT_KIND_ROW;
        read_children(r, c, '}');
        break;
    case '[':
        c->kind = LAYOUT_KIND_COLUMN;
        read_children(r, c, ']');
        break;
    case ',':
        r->at++;
        read_number(r, 0, 0); /* the pane's number where it was written: ours keep their own */
        r->leaves++;
        break;
    default:
        r->error = ERR_MALFORMED;
    }
}

/* Reads one cell with all below it. NULL, with r->error set, when it is none. */
static struct layout_cell *read_cell(struct reader *r)
{
    struct layout_cell *c = layout_cell_create(LAYOUT_KIND_LEAF);

    if (!c || r->depth == DEPTH_MAX || r->leaves >= LAYOUT_PANES_MAX) {
        r->error = c ? ERR_MALFORMED : ERR_MEMORY;
        layout_cell_destroy(c);
        return NULL;
    }
    r->depth++;
    c->size[LAYOUT_ROW] = read_number(r, LAYOUT_MIN, 'x');
    if (r->error == ERR_OK)
        c->size[LAYOUT_COLUMN] = read_number(r, LAYOUT_MIN, ',');
    if (r->error == ERR_OK)
        c->leaf.x = read_number(r, 0, ',');
    if (r->error == ERR_OK)
        c->leaf.y = read_number(r, 0, 0);
    if (r->error == ERR_OK)
        read_inside(r, c);
    r->depth--;
    if (r->error == ERR_OK)
        return c;
    layout_cell_destroy(c);
    return NULL;
}

static enum err read_tree(const char *text, struct layout *out)
{
    struct reader r = {text, 0, 0, ERR_OK};
    unsigned sum;

    for (int i = 0; i < 4; i++) {
        if (!isxdigit((unsigned char)text[i]))
            return ERR_MALFORMED;
    }
    if (text[4] != ',' || sscanf(text, "%4x", &sum) != 1 ||
        checksum(text + 5, strlen(text + 5)) != sum)
        return ERR_MALFORMED;
    r.at = text + 5;
    out->root = read_cell(&r);
    out->count = r.leaves;
    if (!out->root)
        return r.error;
    layout_place(out);
    return *r.at == '\0' && layout_is_sound(out) ? ERR_OK : ERR_MALFORMED;
}

enum err layout_read(struct layout *l, const char *text)
{
    struct layout fresh = {NULL, 0};
    enum err e = read_tree(text, &fresh);
    struct layout_cell *to = NULL, *from = NULL;

    if (e == ERR_OK && fresh.count != l->count)
        e = ERR_RANGE;
    if (e != ERR_OK) {
        layout_cell_destroy(fresh.root);
        return e;
    }
    while ((to = layout_cell_next_leaf(fresh.root, to)) != NULL) {
        from = layout_cell_next_leaf(l->root, from);
        to->leaf.pane = from->leaf.pane;
        to->leaf.id = from->leaf.id;
    }
    layout_resize(&fresh, layout_cols(l), layout_rows(l));
    layout_cell_destroy(l->root);
    l->root = fresh.root;
    return ERR_OK;
}
