#include "server/daemon/config_place.h"

#include <stdlib.h>
#include <string.h>

#include "server/daemon/environment.h"
#include "server/daemon/format.h"

static const char *find_variable(void *ctx, const char *name)
{
    const struct format_place *place = ctx;
    const struct session *s = place->at.session;
    const struct environment_entry *k = s ? environment_find(&s->own, name) : NULL;
    size_t len = strlen(name);

    if (!k && place->world->environment)
        k = environment_find(place->world->environment, name);
    if (k)
        return k->value;
    for (char **e = s ? s->env : NULL; e && *e; e++) {
        if (strncmp(*e, name, len) == 0 && (*e)[len] == '=')
            return *e + len + 1;
    }
    return getenv(name);
}

static void assign(void *ctx, const char *name, const char *value, bool hidden)
{
    const struct format_place *place = ctx;

    if (place->world->environment)
        environment_set(place->world->environment, name, value, hidden);
}

static bool holds(void *ctx, const char *format)
{
    const struct format_place *place = ctx;
    char *value = format_vars_text(place, format, false);
    bool yes = format_true(value);

    free(value);
    return yes;
}

void config_place_parse(const struct format_place *place, const char *text, size_t len,
                        const char *file, struct config_list *list)
{
    struct config_context context = {find_variable, assign, holds, (void *)place};

    config_parse(text, len, file, &context, list);
}
