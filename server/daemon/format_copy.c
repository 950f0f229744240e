#include "server/daemon/format_copy.h"

#include <stdlib.h>
#include <string.h>

#include "server/daemon/copy_mode.h"
#include "server/daemon/pane.h"

/* Copy mode as it is asked for one variable. */
struct asked {
    struct copy *copy;
    struct copy_view look;
    const char *separators;
};

struct variable {
    const char *name;
    bool selecting; /* there only while something is selected */
    void (*put)(const struct asked *a, struct outbuf *out);
};

#define NUMBER(name, value)                                           \
    static void put_##name(const struct asked *a, struct outbuf *out) \
    {                                                                 \
        outbuf_uint(out, (uint32_t)(value));                          \
    }

NUMBER(cursor_x, a->look.x)
NUMBER(cursor_y, a->look.y)
NUMBER(rectangle, a->look.rectangle)
NUMBER(position, a->look.scroll)
NUMBER(searching, a->look.searching)
NUMBER(active, a->look.selecting && a->look.follows)
NUMBER(selecting, a->look.selecting)
NUMBER(from_x, a->look.from_x)
NUMBER(from_y, a->look.from_y)
NUMBER(to_x, a->look.to_x)
NUMBER(to_y, a->look.to_y)

static void put_mode(const struct asked *a, struct outbuf *out)
{
    (void)a;
    outbuf_text(out, COPY_MODE_NAME);
}

static void put_word(const struct asked *a, struct outbuf *out)
{
    copy_word_at_cursor(a->copy, a->separators, out);
}

static void put_line(const struct asked *a, struct outbuf *out)
{
    copy_line_at_cursor(a->copy, out);
}

static void put_match(const struct asked *a, struct outbuf *out)
{
    copy_match_text(a->copy, out);
}

static const struct variable variables[] = {
    {"copy_cursor_line", false, put_line},
    {"copy_cursor_word", false, put_word},
    {"copy_cursor_x", false, put_cursor_x},
    {"copy_cursor_y", false, put_cursor_y},
    {"pane_mode", false, put_mode},
    {"rectangle_toggle", false, put_rectangle},
    {"scroll_position", false, put_position},
    {"search_match", false, put_match},
    {"search_present", false, put_searching},
    {"selection_active", false, put_active},
    {"selection_end_x", true, put_to_x},
    {"selection_end_y", true, put_to_y},
    {"selection_present", false, put_selecting},
    {"selection_start_x", true, put_from_x},
    {"selection_start_y", true, put_from_y},
};

static const struct variable *find(const char *name)
{
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        if (strcmp(variables[i].name, name) == 0)
            return &variables[i];
    return NULL;
}

bool format_copy_put(const struct pane *p, const struct options *o, struct options_place at,
                     const char *name, struct outbuf *out)
{
    struct copy_mode *m = copy_mode_of(p);
    const struct variable *v;
    struct asked a;
    bool regex;

    if (strcmp(name, "pane_in_mode") == 0) {
        outbuf_byte(out, m ? '1' : '0');
        return true;
    }
    if (strcmp(name, "pane_search_string") == 0) {
        outbuf_text(out, pane_search(p, &regex));
        return true;
    }
    v = m ? find(name) : NULL;
    if (!v)
        return false;
    a.copy = copy_mode_state(m);
    a.look = copy_look(a.copy);
    a.separators = copy_mode_options(o, at).separators;
    if (v->selecting && !a.look.selecting)
        return false;
    v->put(&a, out);
    return true;
}
