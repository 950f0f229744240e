/* cells TARGET: what a pane shows, as text with marks: [b]old, [i]talic, colours, links. */
#include <stdio.h>
#include <string.h>
#include <vitrine.h>

static void print_pen(const struct vitrine_screen *s, const struct vitrine_cell *c)
{
    printf("[%s%s", c->attributes & VITRINE_BOLD ? "b" : "",
           c->attributes & VITRINE_ITALIC ? "i" : "");
    if (c->underline != VITRINE_UNDERLINE_NONE)
        printf("u%u", c->underline);
    if (VITRINE_COLOR_KIND(c->fg) != VITRINE_COLOR_DEFAULT)
        printf(" fg%u:%x", VITRINE_COLOR_KIND(c->fg), VITRINE_COLOR_VALUE(c->fg));
    if (VITRINE_COLOR_KIND(c->bg) != VITRINE_COLOR_DEFAULT)
        printf(" bg%u:%x", VITRINE_COLOR_KIND(c->bg), VITRINE_COLOR_VALUE(c->bg));
    if (c->link != 0)
        printf(" %s", vitrine_screen_link(s, c->link));
    printf("]");
}

static int same_pen(const struct vitrine_cell *a, const struct vitrine_cell *b)
{
    return a->attributes == b->attributes && a->underline == b->underline && a->fg == b->fg &&
           a->bg == b->bg && a->link == b->link;
}

static void print_line(const struct vitrine_screen *s, const struct vitrine_line *line)
{
    static const struct vitrine_cell plain;
    const struct vitrine_cell *before = &plain;

    for (uint16_t i = 0; i < line->n; i++) {
        const struct vitrine_cell *c = &line->cells[i];

        if (!same_pen(before, c))
            print_pen(s, c);
        if (c->width > 0)
            fputs(c->text[0] ? c->text : " ", stdout);
        before = c;
    }
    fputs(line->wrapped ? "\\\n" : "\n", stdout);
}

static int print_cells(struct vitrine *v, const char *target)
{
    struct vitrine_screen *s;
    struct vitrine_place at;
    int status = vitrine_find(v, target, &at);

    if (status == VITRINE_OK)
        status = vitrine_capture_cells(v, at.pane, 0, &s);
    if (status != VITRINE_OK)
        return status;
    printf("%ux%u, cursor %u,%u%s, title \"%s\"\n", s->cols, s->rows, s->cursor_x, s->cursor_y,
           s->cursor_visible ? "" : " (hidden)", s->title);
    for (size_t i = 0; i < s->n_lines; i++)
        print_line(s, &s->lines[i]);
    vitrine_free(s);
    return VITRINE_OK;
}

int main(int argc, char **argv)
{
    struct vitrine_options options = VITRINE_OPTIONS_INIT;
    struct vitrine *v;
    int status = vitrine_open(&v, &options);

    if (status == VITRINE_OK)
        status = print_cells(v, argc > 1 ? argv[1] : NULL);
    if (status != VITRINE_OK)
        fprintf(stderr, "cells: %s\n", vitrine_error(v));
    vitrine_close(v);
    return status != VITRINE_OK;
}
