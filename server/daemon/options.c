#include "server/daemon/options.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/daemon/options_value.h"
#include "server/daemon/outbuf.h"

#define SERVER  OPTION_SERVER
#define SESSION OPTION_SESSION
#define WINDOW  OPTION_WINDOW
#define PANE    OPTION_PANE
#define OPTION(id, name, scopes, kind, initial, low, high, choices) \
    {name, scopes, OPTION_##kind, initial, low, high, choices},
static const struct option_spec table[OPTIONS] = {
#include "server/daemon/options.def"
};
#undef OPTION

/* One option set at a place. */
struct value {
    enum option_id id; /* OPTIONS for a @name */
    long index;        /* in an array, else 0 */
    char *name;        /* of a @name, owned */
    char *text;        /* owned */
    long number;
    struct value *next;
};

/* What is set at one place. */
struct place {
    struct options_owner owner;
    struct value *values; /* by id, @names last */
    struct place *next;
};

struct options {
    struct place *places;
    char *initial[OPTIONS]; /* defaults of this daemon, owned; NULL for the table's */
    void (*changed)(void *ctx, enum option_id id);
    void *ctx;
};

static const struct options_place nowhere = {OPTIONS_GLOBAL, OPTIONS_GLOBAL, OPTIONS_GLOBAL};

/* --- places --------------------------------------------------------------------------------- */

static struct place *find_place(const struct options *o, struct options_owner at)
{
    struct place *p = o->places;

    while (p && (p->owner.scope != at.scope || p->owner.id != at.id))
        p = p->next;
    return p;
}

static struct place *make_place(struct options *o, struct options_owner at)
{
    struct place *p = find_place(o, at);

    if (p)
        return p;
    p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->owner = at;
    p->next = o->places;
    o->places = p;
    return p;
}

static void free_value(struct value *v)
{
    free(v->name);
    free(v->text);
    free(v);
}

static void free_place(struct place *p)
{
    for (struct value *v = p->values, *next; v; v = next) {
        next = v->next;
        free_value(v);
    }
    free(p);
}

/* `status-format[1]` taken apart: the length of the name, and the number, -1 for none, -2 for one
 * that is none. */
static size_t split_name(const char *name, long *index)
{
    const char *bracket = name[0] == '@' ? NULL : strchr(name, '[');
    char *end;

    *index = -1;
    if (!bracket)
        return strlen(name);
    *index = strtol(bracket + 1, &end, 10);
    if (end == bracket + 1 || strcmp(end, "]") != 0 || *index < 0 || *index > OPTIONS_ITEM_MAX)
        *index = -2;
    return (size_t)(bracket - name);
}

static bool is_value(const struct value *v, enum option_id id, const char *name)
{
    return v->id == id && (id != OPTIONS || strcmp(v->name, name) == 0);
}

static struct value *find_value(const struct place *p, enum option_id id, const char *name)
{
    struct value *v = p ? p->values : NULL;

    while (v && !is_value(v, id, name))
        v = v->next;
    return v;
}

/* The first item of an array from a number on. */
static struct value *find_item(const struct place *p, enum option_id id, long from)
{
    struct value *v = p ? p->values : NULL;

    while (v && (v->id != id || v->index < from))
        v = v->next;
    return v;
}

static void put_value(struct place *p, struct value *made)
{
    struct value **at = &p->values;

    while (*at && ((*at)->id < made->id || ((*at)->id == made->id && (*at)->index < made->index)))
        at = &(*at)->next;
    while (*at && made->id == OPTIONS && strcmp((*at)->name, made->name) < 0)
        at = &(*at)->next;
    made->next = *at;
    *at = made;
}

static void remove_value(struct place *p, const struct value *gone)
{
    for (struct value **at = &p->values; *at; at = &(*at)->next) {
        if (*at != gone)
            continue;
        *at = gone->next;
        free_value((struct value *)gone);
        return;
    }
}

/* --- arrays --------------------------------------------------------------------------------- */

/* Sets an item, or appends to its text. */
static enum err set_item(struct place *p, enum option_id id, long index, const char *text, size_t n,
                         bool append)
{
    struct value *v = find_item(p, id, index), *old = v && v->index == index ? v : NULL;
    struct outbuf out = {0};

    if (append && old)
        outbuf_text(&out, old->text);
    outbuf_put(&out, text, n);
    outbuf_byte(&out, '\0');
    v = old || out.bad ? old : calloc(1, sizeof *v);
    if (!v || out.bad) {
        outbuf_clear(&out);
        return ERR_MEMORY;
    }
    free(v->text);
    v->text = (char *)out.p;
    if (old)
        return ERR_OK;
    v->id = id;
    v->index = index;
    put_value(p, v);
    return ERR_OK;
}

/* Adds what stands between separators, each at the lowest free number. */
static enum err add_items(struct place *p, enum option_id id, const char *text,
                          const char *separators)
{
    enum err e = ERR_OK;
    long index = 0;

    while (e == ERR_OK && *text) {
        size_t n = strcspn(text, separators);
        const struct value *v;

        while ((v = find_item(p, id, index)) != NULL && v->index == index)
            index++;
        if (index > OPTIONS_ITEM_MAX)
            return ERR_EXHAUSTED;
        if (n > 0)
            e = set_item(p, id, index, text, n, false);
        text += n + (text[n] != '\0');
    }
    return e;
}

static void clear_items(struct place *p, enum option_id id)
{
    const struct value *v;

    while (p && (v = find_value(p, id, NULL)) != NULL)
        remove_value(p, v);
}

/* The defaults of arrays are set like any value, so that items can be changed one by one. */
static enum err fill_array(struct options *o, enum option_id id)
{
    const struct options_owner at = {table[id].scopes & OPTION_SERVER    ? OPTION_SERVER
                                     : table[id].scopes & OPTION_SESSION ? OPTION_SESSION
                                                                         : OPTION_WINDOW,
                                     OPTIONS_GLOBAL};
    struct place *p = make_place(o, at);

    return p ? add_items(p, id, table[id].initial, "\n") : ERR_MEMORY;
}

static enum err set_array(struct options *o, struct options_owner at, enum option_id id, long index,
                          const char *value, unsigned how)
{
    struct place *p = make_place(o, at);
    const struct value *v = find_item(p, id, index);

    if (!p)
        return ERR_MEMORY;
    if ((how & OPTIONS_UNSET) && index >= 0) {
        if (v && v->index == index)
            remove_value(p, v);
        return ERR_OK;
    }
    if (how & OPTIONS_UNSET) {
        clear_items(p, id);
        return at.id == OPTIONS_GLOBAL ? fill_array(o, id) : ERR_OK;
    }
    if (index >= 0)
        return set_item(p, id, index, value, strlen(value), how & OPTIONS_APPEND);
    if (!(how & OPTIONS_APPEND))
        clear_items(p, id);
    return add_items(p, id, value, table[id].choices);
}

/* --- life ----------------------------------------------------------------------------------- */

static const char *initial(const struct options *o, enum option_id id)
{
    return o->initial[id] ? o->initial[id] : table[id].initial;
}

struct options *options_create(const char *shell)
{
    struct options *o = calloc(1, sizeof *o);

    enum err e = ERR_OK;

    if (o)
        o->initial[OPTION_default_shell] = strdup(shell);
    for (enum option_id id = 0; o && id < OPTIONS && e == ERR_OK; id++)
        if (table[id].kind == OPTION_ARRAY)
            e = fill_array(o, id);
    if (o && o->initial[OPTION_default_shell] && e == ERR_OK)
        return o;
    options_destroy(o);
    return NULL;
}

void options_destroy(struct options *o)
{
    if (!o)
        return;
    for (struct place *p = o->places, *next; p; p = next) {
        next = p->next;
        free_place(p);
    }
    for (size_t i = 0; i < OPTIONS; i++)
        free(o->initial[i]);
    free(o);
}

void options_set_hook(struct options *o, void (*fn)(void *ctx, enum option_id id), void *ctx)
{
    o->changed = fn;
    o->ctx = ctx;
}

void options_forget(struct options *o, enum option_scope scope, int64_t id)
{
    for (struct place **at = &o->places; *at; at = &(*at)->next) {
        struct place *p = *at;

        if (p->owner.scope != scope || p->owner.id != id || id == OPTIONS_GLOBAL)
            continue;
        *at = p->next;
        free_place(p);
        return;
    }
}

void options_prune(struct options *o, enum option_scope scope, bool (*lives)(void *ctx, int64_t id),
                   void *ctx)
{
    for (struct place *p = o->places, *next; p; p = next) {
        next = p->next;
        if (p->owner.scope == scope && p->owner.id != OPTIONS_GLOBAL && !lives(ctx, p->owner.id))
            options_forget(o, scope, p->owner.id);
    }
}

/* --- reading -------------------------------------------------------------------------------- */

/* The place whose value for an option of those scopes holds at a place: itself or one above. */
static const struct place *inherit_place(const struct options *o, struct options_place at,
                                         unsigned scopes, enum option_id id, const char *name)
{
    const struct options_owner owners[] = {
        {OPTION_PANE, at.pane},           {OPTION_WINDOW, at.window},
        {OPTION_WINDOW, OPTIONS_GLOBAL},  {OPTION_SESSION, at.session},
        {OPTION_SESSION, OPTIONS_GLOBAL}, {OPTION_SERVER, OPTIONS_GLOBAL}};

    for (size_t i = 0; i < sizeof owners / sizeof owners[0]; i++) {
        const struct place *p;

        if ((owners[i].scope & scopes) == 0)
            continue;
        p = find_place(o, owners[i]);
        if (find_value(p, id, name))
            return p;
    }
    return NULL;
}

/* What is set for an option of those scopes at a place or, from there, inherited. */
static const struct value *inherit(const struct options *o, struct options_place at,
                                   unsigned scopes, enum option_id id, const char *name)
{
    return find_value(inherit_place(o, at, scopes, id, name), id, name);
}

const char *options_next_item(const struct options *o, struct options_place at, enum option_id id,
                              long *index)
{
    const struct value *v =
        find_item(inherit_place(o, at, table[id].scopes, id, NULL), id, *index + 1);

    if (!v)
        return NULL;
    *index = v->index;
    return v->text;
}

const char *options_item(const struct options *o, struct options_place at, enum option_id id,
                         long index)
{
    long found = index - 1;
    const char *text = options_next_item(o, at, id, &found);

    return found == index ? text : NULL;
}

const char *options_text(const struct options *o, struct options_place at, enum option_id id)
{
    const struct value *v = inherit(o, at, table[id].scopes, id, NULL);

    return v ? v->text : initial(o, id);
}

long options_number(const struct options *o, struct options_place at, enum option_id id)
{
    const struct value *v = inherit(o, at, table[id].scopes, id, NULL);
    char why[256];
    long number = 0;

    if (v)
        return v->number;
    options_check(&table[id], table[id].initial, &number, why, sizeof why);
    return number;
}

bool options_flag(const struct options *o, struct options_place at, enum option_id id)
{
    return options_number(o, at, id) != 0;
}

bool options_is_set(const struct options *o, struct options_place at, enum option_id id)
{
    return inherit(o, at, table[id].scopes, id, NULL) != NULL;
}

bool options_is_used(const struct options *o, enum option_id id)
{
    for (const struct place *p = o->places; p; p = p->next)
        if (find_value(p, id, NULL))
            return true;
    return false;
}

const char *options_user(const struct options *o, struct options_place at, const char *name)
{
    const struct value *v = inherit(o, at, SERVER | SESSION | WINDOW | PANE, OPTIONS, name);

    return v ? v->text : NULL;
}

const struct option_spec *options_spec(enum option_id id)
{
    return &table[id];
}

enum option_id options_find(const char *name, bool *ambiguous)
{
    enum option_id found = OPTIONS;
    long index;
    size_t len = split_name(name, &index);
    int n = 0;

    *ambiguous = false;
    for (enum option_id id = 0; id < OPTIONS; id++) {
        if (index != -1 && table[id].kind != OPTION_ARRAY)
            continue;
        if (strncmp(table[id].name, name, len) == 0 && table[id].name[len] == '\0')
            return id;
        if (len == 0 || strncmp(table[id].name, name, len) != 0)
            continue;
        found = id;
        n++;
    }
    *ambiguous = n > 1;
    return n == 1 ? found : OPTIONS;
}

/* --- setting -------------------------------------------------------------------------------- */

static enum err say(enum err e, char *why, size_t why_len, const char *what, const char *name)
{
    snprintf(why, why_len, "%s: %.200s", what, name);
    return e;
}

/* The text that is set in the end: value, appended where that is asked for, or a flag's other one.
 * Owned; NULL with a line in why. */
static char *choose_text(const struct options *o, struct options_owner at, enum option_id id,
                         const struct value *old, const char *value, unsigned how, char *why,
                         size_t why_len)
{
    bool texts = id == OPTIONS || table[id].kind == OPTION_TEXT || table[id].kind == OPTION_STYLE;
    const char *before, *between = "";
    struct options_place place = nowhere;
    struct outbuf out = {0};

    if (at.scope == OPTION_SESSION)
        place.session = at.id;
    else if (at.scope == OPTION_WINDOW)
        place.window = at.id;
    if (!value && id != OPTIONS && table[id].kind == OPTION_FLAG)
        value = (old ? old->number != 0 : options_flag(o, place, id)) ? "off" : "on";
    if (!value) {
        snprintf(why, why_len, "empty value");
        return NULL;
    }
    if ((how & OPTIONS_APPEND) && texts) {
        before = old ? old->text : id == OPTIONS ? "" : options_text(o, place, id);
        if (id != OPTIONS && table[id].kind == OPTION_STYLE && *before)
            between = ",";
        outbuf_text(&out, before);
        outbuf_text(&out, between);
    }
    outbuf_text(&out, value);
    outbuf_byte(&out, '\0');
    if (!out.bad)
        return (char *)out.p;
    outbuf_clear(&out);
    snprintf(why, why_len, "out of memory");
    return NULL;
}

/* A flag's and a choice's text is always the same word. */
static char *normal_text(const struct option_spec *spec, char *text, long number)
{
    char word[32];

    if (spec->kind == OPTION_FLAG)
        snprintf(word, sizeof word, "%s", number ? "on" : "off");
    else if (spec->kind == OPTION_NUMBER)
        snprintf(word, sizeof word, "%ld", number);
    else
        return text;
    free(text);
    return strdup(word);
}

static size_t count_user(const struct place *p)
{
    size_t n = 0;

    for (const struct value *v = p ? p->values : NULL; v; v = v->next)
        n += v->id == OPTIONS;
    return n;
}

/* Puts an owned text in a value of the place, a new one where there is none. */
static enum err store(struct options *o, struct options_owner at, enum option_id id,
                      const char *name, char *text, long number)
{
    struct place *p = text ? make_place(o, at) : NULL;
    struct value *v = find_value(p, id, name);

    if (!p || (!v && id == OPTIONS && count_user(p) >= OPTIONS_USER_MAX)) {
        free(text);
        return p ? ERR_EXHAUSTED : ERR_MEMORY;
    }
    if (v) {
        free(v->text);
        v->text = text;
        v->number = number;
        return ERR_OK;
    }
    v = calloc(1, sizeof *v);
    if (v && id == OPTIONS)
        v->name = strdup(name);
    if (!v || (id == OPTIONS && !v->name)) {
        free(v);
        free(text);
        return ERR_MEMORY;
    }
    v->id = id;
    v->text = text;
    v->number = number;
    put_value(p, v);
    return ERR_OK;
}

/* Finds the option that a name means. */
static enum err resolve(const char *name, enum option_id *id, char *why, size_t why_len)
{
    bool ambiguous;

    *id = OPTIONS;
    if (name[0] == '@' && name[1])
        return strlen(name) <= 200 ? ERR_OK : say(ERR_RANGE, why, why_len, "name too long", name);
    *id = options_find(name, &ambiguous);
    if (*id != OPTIONS)
        return ERR_OK;
    return say(ERR_NOT_FOUND, why, why_len, ambiguous ? "ambiguous option" : "invalid option",
               name);
}

/* Sets an option that is no array, or a @name. */
static enum err set_value(struct options *o, struct options_owner at, enum option_id id,
                          const char *name, const char *value, unsigned how, char *why,
                          size_t why_len)
{
    struct value *old = find_value(find_place(o, at), id, name);
    long number = 0;
    char *text;
    enum err e;

    if (how & OPTIONS_UNSET) {
        if (old)
            remove_value(find_place(o, at), old);
        return ERR_OK;
    }
    text = choose_text(o, at, id, old, value, how, why, why_len);
    if (!text)
        return ERR_MALFORMED;
    e = id == OPTIONS ? (strlen(text) > OPTIONS_TEXT_MAX ? ERR_RANGE : ERR_OK)
                      : options_check(&table[id], text, &number, why, why_len);
    if (e != ERR_OK) {
        if (id == OPTIONS)
            snprintf(why, why_len, "value is too long: at most %u bytes", OPTIONS_TEXT_MAX);
        free(text);
        return e;
    }
    if (id != OPTIONS)
        text = normal_text(&table[id], text, number);
    e = store(o, at, id, name, text, number);
    return e == ERR_OK ? ERR_OK : say(e, why, why_len, err_text(e), name);
}

/* Sets an array or an item of it. */
static enum err set_items(struct options *o, struct options_owner at, enum option_id id, long index,
                          const char *value, unsigned how, char *why, size_t why_len)
{
    enum err e;

    if (!value && !(how & OPTIONS_UNSET)) {
        snprintf(why, why_len, "empty value");
        return ERR_MALFORMED;
    }
    if (value && strlen(value) > OPTIONS_TEXT_MAX) {
        snprintf(why, why_len, "value is too long: at most %u bytes", OPTIONS_TEXT_MAX);
        return ERR_RANGE;
    }
    e = set_array(o, at, id, index, value, how);
    return e == ERR_OK ? ERR_OK : say(e, why, why_len, err_text(e), table[id].name);
}

enum err options_set(struct options *o, struct options_owner at, const char *name,
                     const char *value, unsigned how, char *why, size_t why_len)
{
    enum option_id id;
    enum err e = resolve(name, &id, why, why_len);
    const struct place *p = find_place(o, at);
    const struct value *old;
    long index;

    if (e != ERR_OK)
        return e;
    split_name(name, &index);
    if (index == -2)
        return say(ERR_MALFORMED, why, why_len, "bad array index", name);
    old = index >= 0 ? find_item(p, id, index) : find_value(p, id, name);
    if ((how & OPTIONS_ONLY_NEW) && index < 0 && (old || (id != OPTIONS && at.id == OPTIONS_GLOBAL)))
        return say(ERR_STATE, why, why_len, "already set", id == OPTIONS ? name : table[id].name);
    if ((how & OPTIONS_ONLY_NEW) && index >= 0 && old && old->index == index)
        return say(ERR_STATE, why, why_len, "already set", name);
    e = id != OPTIONS && table[id].kind == OPTION_ARRAY
            ? set_items(o, at, id, index, value, how, why, why_len)
            : set_value(o, at, id, name, value, how, why, why_len);
    if (e == ERR_OK && o->changed)
        o->changed(o->ctx, id);
    return e;
}

/* --- listing -------------------------------------------------------------------------------- */

const char *options_own(const struct options *o, struct options_owner at, const char *name)
{
    bool ambiguous;
    enum option_id id = name[0] == '@' ? OPTIONS : options_find(name, &ambiguous);
    const struct value *v;

    if (name[0] != '@' && id == OPTIONS)
        return NULL;
    if (id != OPTIONS && table[id].kind == OPTION_ARRAY) {
        long index;

        split_name(name, &index);
        v = index >= 0 ? find_item(find_place(o, at), id, index) : NULL;
        return v && v->index == index ? v->text : NULL;
    }
    v = find_value(find_place(o, at), id, name);
    if (v)
        return v->text;
    return id != OPTIONS && at.id == OPTIONS_GLOBAL && (table[id].scopes & at.scope)
               ? initial(o, id)
               : NULL;
}

void options_each_item(const struct options *o, struct options_owner at, enum option_id id,
                       void (*fn)(void *ctx, const char *name, const char *value), void *ctx)
{
    const struct value *v = find_value(find_place(o, at), id, NULL);
    char name[128];

    if (!v && at.id == OPTIONS_GLOBAL && (table[id].scopes & at.scope))
        fn(ctx, table[id].name, "");
    for (; v && v->id == id; v = v->next) {
        snprintf(name, sizeof name, "%s[%ld]", table[id].name, v->index);
        fn(ctx, name, v->text);
    }
}

void options_each(const struct options *o, struct options_owner at,
                  void (*fn)(void *ctx, const char *name, const char *value), void *ctx)
{
    const struct place *p = find_place(o, at);

    for (enum option_id id = 0; id < OPTIONS; id++) {
        const char *text = options_own(o, at, table[id].name);

        if (table[id].kind == OPTION_ARRAY)
            options_each_item(o, at, id, fn, ctx);
        else if (text)
            fn(ctx, table[id].name, text);
    }
    for (const struct value *v = p ? p->values : NULL; v; v = v->next) {
        if (v->id == OPTIONS)
            fn(ctx, v->name, v->text);
    }
}
