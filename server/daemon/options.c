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

static void put_value(struct place *p, struct value *made)
{
    struct value **at = &p->values;

    while (*at && (*at)->id < made->id)
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

/* --- life ----------------------------------------------------------------------------------- */

static const char *initial(const struct options *o, enum option_id id)
{
    return o->initial[id] ? o->initial[id] : table[id].initial;
}

struct options *options_create(const char *shell)
{
    struct options *o = calloc(1, sizeof *o);

    if (o)
        o->initial[OPTION_default_shell] = strdup(shell);
    if (o && o->initial[OPTION_default_shell])
        return o;
    free(o);
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

/* What is set for an option of those scopes at a place or, from there, inherited. */
static const struct value *inherit(const struct options *o, struct options_place at,
                                   unsigned scopes, enum option_id id, const char *name)
{
    const struct options_owner owners[] = {
        {OPTION_PANE, at.pane},           {OPTION_WINDOW, at.window},
        {OPTION_WINDOW, OPTIONS_GLOBAL},  {OPTION_SESSION, at.session},
        {OPTION_SESSION, OPTIONS_GLOBAL}, {OPTION_SERVER, OPTIONS_GLOBAL}};

    for (size_t i = 0; i < sizeof owners / sizeof owners[0]; i++) {
        const struct value *v;

        if ((owners[i].scope & scopes) == 0)
            continue;
        v = find_value(find_place(o, owners[i]), id, name);
        if (v)
            return v;
    }
    return NULL;
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
    size_t len = strlen(name);
    int n = 0;

    *ambiguous = false;
    for (enum option_id id = 0; id < OPTIONS; id++) {
        if (strcmp(table[id].name, name) == 0)
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
        if (id != OPTIONS && (table[id].kind == OPTION_STYLE || id == OPTION_update_environment))
            between = *before ? (table[id].kind == OPTION_STYLE ? "," : " ") : "";
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

enum err options_set(struct options *o, struct options_owner at, const char *name,
                     const char *value, unsigned how, char *why, size_t why_len)
{
    enum option_id id;
    enum err e = resolve(name, &id, why, why_len);
    struct value *old;
    long number = 0;
    char *text;

    if (e != ERR_OK)
        return e;
    old = find_value(find_place(o, at), id, name);
    if ((how & OPTIONS_ONLY_NEW) && (old || (id != OPTIONS && at.id == OPTIONS_GLOBAL)))
        return say(ERR_STATE, why, why_len, "already set", id == OPTIONS ? name : table[id].name);
    if (how & OPTIONS_UNSET) {
        if (old)
            remove_value(find_place(o, at), old);
    } else {
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
        if (e != ERR_OK)
            return say(e, why, why_len, err_text(e), name);
    }
    if (o->changed)
        o->changed(o->ctx, id);
    return ERR_OK;
}

/* --- listing -------------------------------------------------------------------------------- */

const char *options_own(const struct options *o, struct options_owner at, const char *name)
{
    bool ambiguous;
    enum option_id id = name[0] == '@' ? OPTIONS : options_find(name, &ambiguous);
    const struct value *v;

    if (name[0] != '@' && id == OPTIONS)
        return NULL;
    v = find_value(find_place(o, at), id, name);
    if (v)
        return v->text;
    return id != OPTIONS && at.id == OPTIONS_GLOBAL && (table[id].scopes & at.scope)
               ? initial(o, id)
               : NULL;
}

void options_each(const struct options *o, struct options_owner at,
                  void (*fn)(void *ctx, const char *name, const char *value), void *ctx)
{
    const struct place *p = find_place(o, at);

    for (enum option_id id = 0; id < OPTIONS; id++) {
        const char *text = options_own(o, at, table[id].name);

        if (text)
            fn(ctx, table[id].name, text);
    }
    for (const struct value *v = p ? p->values : NULL; v; v = v->next) {
        if (v->id == OPTIONS)
            fn(ctx, v->name, v->text);
    }
}
