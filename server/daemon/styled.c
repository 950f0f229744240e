#include "server/daemon/styled.h"

#include <stdlib.h>
#include <string.h>

#include "server/daemon/paint_frame.h"

enum part { LEFT, CENTRE, RIGHT, ABSOLUTE, LIST, LIST_LEFT, LIST_RIGHT, AFTER, PARTS };

struct section {
    struct cell *cells;
    uint16_t n;
    size_t cap;
};

/* A range while its part is not placed yet: columns of the part. */
struct open_range {
    enum part part;
    bool placed;
    struct styled_range range;
};

enum list_state { LIST_NONE_YET, LIST_OPEN, LIST_OVER };

/* One line being read, then placed. */
struct line {
    struct section parts[PARTS];
    struct style style;
    struct pen base;         /* the line's own */
    struct pen default_pen;  /* what `default` means now */
    enum part at;            /* where text goes */
    enum part after_list[5]; /* by enum style_align: where text goes outside of the list */
    enum list_state list;
    enum style_align list_align;
    int focus_start, focus_end; /* columns of the list, -1 for none */
    bool has_fill;
    cell_color fill;
    struct open_range ranges[STYLED_RANGES_MAX];
    size_t n_ranges;
    bool in_range; /* the last one goes on */
    bool failed;   /* memory ran out */
};

/* --- reading -------------------------------------------------------------------------------- */

/* Adds n bytes of text to the part that is written to. */
static void put_text(struct line *l, const char *text, size_t n)
{
    struct section *s = &l->parts[l->at];
    size_t want = (size_t)s->n + n;
    bool wraps = false;
    struct frame row;

    want = want < STYLED_COLS_MAX ? want : STYLED_COLS_MAX;
    if (want > s->cap) {
        struct cell *more = realloc(s->cells, (want + 64) * sizeof *more);

        if (!more) {
            l->failed = true;
            return;
        }
        s->cells = more;
        s->cap = want + 64;
    }
    row = (struct frame){.cols = (uint16_t)want, .rows = 1, .cells = s->cells, .wraps = &wraps};
    s->n = frame_text(&row, 0, s->n, (uint16_t)want, &l->style.pen, text, n);
}

static void put_hashes(struct line *l, size_t n)
{
    while (n-- > 0)
        put_text(l, "#", 1);
}

static void end_focus(struct line *l)
{
    if (l->focus_start >= 0 && l->focus_end < 0)
        l->focus_end = l->parts[LIST].n;
}

/* The range that is open is none after all. */
static void drop_range(struct line *l)
{
    if (l->in_range)
        l->n_ranges--;
    l->in_range = false;
}

static void enter_marker(struct line *l, enum part part)
{
    if (l->list != LIST_OPEN || l->parts[part].n > 0)
        return;
    drop_range(l);
    if (l->focus_start >= 0 && l->focus_end < 0)
        l->focus_start = -1;
    l->at = part;
}

/* Where text goes after a style. */
static void change_part(struct line *l)
{
    switch (l->style.list) {
    case STYLE_LIST_ON:
        if (l->list != LIST_OPEN) {
            drop_range(l);
            l->list = LIST_OPEN;
            l->list_align = l->style.align;
        }
        end_focus(l);
        l->at = LIST;
        break;
    case STYLE_LIST_FOCUS:
        if (l->list == LIST_OPEN && l->focus_start < 0)
            l->focus_start = l->parts[LIST].n;
        break;
    case STYLE_LIST_LEFT_MARKER:
        enter_marker(l, LIST_LEFT);
        break;
    case STYLE_LIST_RIGHT_MARKER:
        enter_marker(l, LIST_RIGHT);
        break;
    case STYLE_LIST_OFF:
        if (l->list == LIST_OPEN) {
            drop_range(l);
            end_focus(l);
            l->after_list[l->list_align] = AFTER;
            if (l->list_align == STYLE_ALIGN_LEFT)
                l->after_list[STYLE_ALIGN_DEFAULT] = AFTER;
            l->list = LIST_OVER;
        }
        l->at = l->after_list[l->style.align];
        break;
    }
}

static void change_range(struct line *l)
{
    struct open_range *r = l->n_ranges > 0 ? &l->ranges[l->n_ranges - 1] : NULL;

    if (l->in_range &&
        (r->range.kind != l->style.range || r->range.argument != l->style.argument)) {
        r->range.end = l->parts[l->at].n;
        if (r->part != l->at || r->range.end == r->range.start)
            l->n_ranges--;
        l->in_range = false;
    }
    if (l->in_range || l->style.range == STATUS_RANGE_NONE || l->n_ranges == STYLED_RANGES_MAX)
        return;
    l->ranges[l->n_ranges++] = (struct open_range){
        l->at, false, {l->style.range, l->style.argument, l->parts[l->at].n, 0}};
    l->in_range = true;
}

/* Takes what stands in #[…]; a malformed one changes nothing. */
static void take_style(struct line *l, const char *text, size_t n)
{
    struct pen before = l->style.pen;

    if (!style_parse(&l->style, &l->default_pen, text, n))
        return;
    if (l->style.has_fill) {
        l->has_fill = true;
        l->fill = l->style.fill;
    }
    if (l->style.push == STYLE_PUSH)
        l->default_pen = before;
    else if (l->style.push == STYLE_POP)
        l->default_pen = l->base;
    change_part(l);
    change_range(l);
}

/* Takes a run of hashes; returns how many bytes. Two are one, and before [ they keep it text. */
static size_t take_hashes(struct line *l, const char *text)
{
    size_t n = strspn(text, "#");
    const char *end;

    if (text[n] != '[') {
        put_hashes(l, n / 2 + n % 2);
        return n;
    }
    if (n > 1) {
        put_hashes(l, n / 2);
        if (n % 2 == 1)
            return n - 1;
        put_text(l, "[", 1);
        return n + 1;
    }
    if (l->style.ignore && strncmp(text, "#[noignore]", 11) != 0) {
        put_text(l, "#[", 2);
        return 2;
    }
    end = strchr(text, ']');
    if (!end)
        return strlen(text);
    take_style(l, text + 2, (size_t)(end - text - 2));
    return (size_t)(end - text + 1);
}

static void read_line(struct line *l, const char *text)
{
    while (*text && !l->failed) {
        size_t n = strcspn(text, "#");

        if (n > 0)
            put_text(l, text, n);
        else
            n = take_hashes(l, text);
        text += n;
    }
    drop_range(l);
    end_focus(l);
}

/* --- placing -------------------------------------------------------------------------------- */

/* Where a line is drawn to. */
struct place {
    struct frame *f;
    uint16_t row;
    uint16_t col;
    uint16_t cols;
};

/* A wide character of which only half is inside becomes a blank. */
static void mend_edges(const struct place *p, int x, int width)
{
    struct cell *row = frame_row(p->f, p->row) + p->col + x;

    if (row[0].width == 0)
        frame_fill(p->f, p->row, (uint16_t)(p->col + x), 1, &row[0].pen);
    if (row[width - 1].width == 2)
        frame_fill(p->f, p->row, (uint16_t)(p->col + x + width - 1), 1, &row[width - 1].pen);
}

/* Puts width columns of a part, from its column `from` on, at column x of the line. */
static void put_part(struct line *l, const struct place *p, enum part part, int x, int from,
                     int width)
{
    if (width <= 0 || x < 0 || x >= p->cols)
        return;
    if (x + width > p->cols)
        width = p->cols - x;
    frame_put(p->f, p->row, (uint16_t)(p->col + x), l->parts[part].cells + from, (uint16_t)width);
    mend_edges(p, x, width);
    for (size_t i = 0; i < l->n_ranges; i++) {
        struct open_range *r = &l->ranges[i];
        int start = r->range.start > from ? r->range.start : from;
        int end = r->range.end < from + width ? r->range.end : from + width;

        if (r->part != part || r->placed || start >= end)
            continue;
        r->placed = true;
        r->range.start = (uint16_t)(p->col + x + start - from);
        r->range.end = (uint16_t)(p->col + x + end - from);
    }
}

/* Puts what of the list fits, around its focus, with markers where it goes on. */
static void put_list(struct line *l, const struct place *p, int x, int width, int focus)
{
    const struct section *list = &l->parts[LIST];
    int left = l->parts[LIST_LEFT].n, right = l->parts[LIST_RIGHT].n, from;

    if (width >= list->n) {
        put_part(l, p, LIST, x, 0, list->n);
        return;
    }
    if (l->focus_start >= 0 && l->focus_end >= 0)
        focus = l->focus_start + (l->focus_end - l->focus_start) / 2;
    from = focus < width / 2 ? 0 : focus - width / 2;
    if (from + width > list->n)
        from = list->n - width;
    if (from != 0 && width > left) {
        put_part(l, p, LIST_LEFT, x, 0, left);
        x += left;
        from += left;
        width -= left;
    }
    if (from + width < list->n && width > right) {
        put_part(l, p, LIST_RIGHT, x + width - right, 0, right);
        width -= right;
    }
    put_part(l, p, LIST, x, from, width);
}

/* Cuts parts, the first of `order` first, until they fit into cols. */
static void cut(int width[PARTS], const enum part *order, size_t n, int cols)
{
    int sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += width[order[i]];
    for (size_t i = 0; i < n && sum > cols; i++) {
        int less = sum - cols < width[order[i]] ? sum - cols : width[order[i]];

        width[order[i]] -= less;
        sum -= less;
    }
}

static void put_absolute(struct line *l, const struct place *p)
{
    int n = l->parts[ABSOLUTE].n < p->cols ? l->parts[ABSOLUTE].n : p->cols;

    put_part(l, p, ABSOLUTE, (p->cols - n) / 2, 0, n);
}

/* Halfway between two columns. */
static int centre_between(int from, int to, int width)
{
    return from + (to - from) / 2 - width / 2;
}

static void place_without_list(struct line *l, const struct place *p, int width[PARTS])
{
    static const enum part order[] = {CENTRE, RIGHT, LEFT};
    const struct section *parts = l->parts;

    cut(width, order, 3, p->cols);
    put_part(l, p, LEFT, 0, 0, width[LEFT]);
    put_part(l, p, RIGHT, p->cols - width[RIGHT], parts[RIGHT].n - width[RIGHT], width[RIGHT]);
    put_part(l, p, CENTRE, centre_between(width[LEFT], p->cols - width[RIGHT], width[CENTRE]),
             parts[CENTRE].n / 2 - width[CENTRE] / 2, width[CENTRE]);
    put_absolute(l, p);
}

/* No room for the list: what follows it is behind the part that it stood in. */
static void place_list_gone(struct line *l, const struct place *p, enum part host, int width[PARTS])
{
    struct section *to = &l->parts[host];
    size_t n = (size_t)to->n + (size_t)width[AFTER];
    struct cell *more = realloc(to->cells, (n + 1) * sizeof *more);

    if (more && width[AFTER] > 0)
        memcpy(more + to->n, l->parts[AFTER].cells, (size_t)width[AFTER] * sizeof *more);
    if (more) {
        to->cells = more;
        to->n = (uint16_t)n;
    }
    for (enum part i = LEFT; i <= RIGHT; i++)
        width[i] = l->parts[i].n;
    place_without_list(l, p, width);
}

static void place_list_left(struct line *l, const struct place *p, int width[PARTS])
{
    static const enum part order[] = {CENTRE, LIST, RIGHT, AFTER, LEFT};
    const struct section *parts = l->parts;
    int end;

    cut(width, order, 5, p->cols);
    if (width[LIST] == 0) {
        place_list_gone(l, p, LEFT, width);
        return;
    }
    end = width[LEFT] + width[LIST] + width[AFTER];
    put_part(l, p, LEFT, 0, 0, width[LEFT]);
    put_part(l, p, RIGHT, p->cols - width[RIGHT], parts[RIGHT].n - width[RIGHT], width[RIGHT]);
    put_part(l, p, AFTER, width[LEFT] + width[LIST], 0, width[AFTER]);
    put_part(l, p, CENTRE, centre_between(end, p->cols - width[RIGHT], width[CENTRE]),
             parts[CENTRE].n / 2 - width[CENTRE] / 2, width[CENTRE]);
    put_list(l, p, width[LEFT], width[LIST], 0);
    put_absolute(l, p);
}

static void place_list_centre(struct line *l, const struct place *p, int width[PARTS])
{
    static const enum part order[] = {LIST, AFTER, CENTRE, RIGHT, LEFT};
    const struct section *parts = l->parts;
    int start;

    cut(width, order, 5, p->cols);
    if (width[LIST] == 0) {
        place_list_gone(l, p, CENTRE, width);
        return;
    }
    put_part(l, p, LEFT, 0, 0, width[LEFT]);
    put_part(l, p, RIGHT, p->cols - width[RIGHT], parts[RIGHT].n - width[RIGHT], width[RIGHT]);
    start = centre_between(width[LEFT], p->cols - width[RIGHT], width[LIST]);
    put_part(l, p, CENTRE, start - width[CENTRE], 0, width[CENTRE]);
    put_part(l, p, AFTER, start + width[LIST], 0, width[AFTER]);
    put_list(l, p, start, width[LIST], parts[LIST].n / 2);
    put_absolute(l, p);
}

static void place_list_right(struct line *l, const struct place *p, int width[PARTS])
{
    static const enum part order[] = {CENTRE, LIST, RIGHT, AFTER, LEFT};
    const struct section *parts = l->parts;
    int right;

    cut(width, order, 5, p->cols);
    if (width[LIST] == 0) {
        place_list_gone(l, p, RIGHT, width);
        return;
    }
    right = p->cols - width[RIGHT] - width[LIST] - width[AFTER];
    put_part(l, p, LEFT, 0, 0, width[LEFT]);
    put_part(l, p, AFTER, p->cols - width[AFTER], parts[AFTER].n - width[AFTER], width[AFTER]);
    put_part(l, p, RIGHT, right, 0, width[RIGHT]);
    put_part(l, p, CENTRE, centre_between(width[LEFT], right, width[CENTRE]),
             parts[CENTRE].n / 2 - width[CENTRE] / 2, width[CENTRE]);
    put_list(l, p, p->cols - width[LIST] - width[AFTER], width[LIST], 0);
    put_absolute(l, p);
}

/* In the middle of the whole line, over what is there. */
static void place_list_absolute(struct line *l, const struct place *p, int width[PARTS])
{
    static const enum part around[] = {CENTRE, RIGHT, LEFT}, over[] = {LIST, AFTER, ABSOLUTE};
    const struct section *parts = l->parts;
    int start;

    cut(width, around, 3, p->cols);
    cut(width, over, 3, p->cols);
    put_part(l, p, LEFT, 0, 0, width[LEFT]);
    put_part(l, p, RIGHT, p->cols - width[RIGHT], parts[RIGHT].n - width[RIGHT], width[RIGHT]);
    put_part(l, p, CENTRE, width[LEFT] + (p->cols - width[RIGHT] - width[LEFT]) / 2 - width[CENTRE],
             0, width[CENTRE]);
    start = (p->cols - width[LIST] - width[ABSOLUTE]) / 2;
    put_part(l, p, ABSOLUTE, start, 0, width[ABSOLUTE]);
    start += width[ABSOLUTE];
    put_part(l, p, AFTER, start + width[LIST], 0, width[AFTER]);
    put_list(l, p, start, width[LIST], parts[LIST].n / 2);
}

static void place_all(struct line *l, const struct place *p)
{
    int width[PARTS];

    for (int i = 0; i < PARTS; i++)
        width[i] = l->parts[i].n;
    if (l->list == LIST_NONE_YET) {
        place_without_list(l, p, width);
        return;
    }
    switch (l->list_align) {
    case STYLE_ALIGN_DEFAULT:
    case STYLE_ALIGN_LEFT:
        place_list_left(l, p, width);
        break;
    case STYLE_ALIGN_CENTRE:
        place_list_centre(l, p, width);
        break;
    case STYLE_ALIGN_RIGHT:
        place_list_right(l, p, width);
        break;
    case STYLE_ALIGN_ABSOLUTE:
        place_list_absolute(l, p, width);
        break;
    }
}

/* --- the way in ------------------------------------------------------------------------------ */

static void give_ranges(const struct line *l, struct styled_ranges *out)
{
    for (size_t i = 0; out && i < l->n_ranges && out->n < STYLED_RANGES_MAX; i++)
        if (l->ranges[i].placed)
            out->at[out->n++] = l->ranges[i].range;
}

bool styled_draw(const char *text, const struct pen *base, struct frame *f, uint16_t row,
                 uint16_t col, uint16_t cols, struct styled_ranges *ranges)
{
    const struct place p = {f, row, col, cols};
    struct line *l = calloc(1, sizeof *l);
    bool done;

    if (!l)
        return false;
    l->style.pen = l->base = l->default_pen = *base;
    l->focus_start = l->focus_end = -1;
    l->after_list[STYLE_ALIGN_CENTRE] = CENTRE;
    l->after_list[STYLE_ALIGN_RIGHT] = RIGHT;
    l->after_list[STYLE_ALIGN_ABSOLUTE] = ABSOLUTE;
    read_line(l, text);
    done = !l->failed;
    if (done && l->has_fill) {
        const struct pen pen = {.bg = l->fill};

        frame_fill(f, row, col, cols, &pen);
    }
    if (done)
        place_all(l, &p);
    if (done)
        give_ranges(l, ranges);
    for (int i = 0; i < PARTS; i++)
        free(l->parts[i].cells);
    free(l);
    return done;
}
