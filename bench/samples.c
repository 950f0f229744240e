#include "proto/compat.h"

#include "bench/samples.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/program.h"

#define SERIES_MAX 256

struct series {
    const char *operation, *peer, *unit;
    int64_t *values;
    size_t n, cap;
};

static struct series all[SERIES_MAX];
static size_t n_all;

static struct series *find(const char *operation, const char *peer, const char *unit)
{
    for (size_t i = 0; i < n_all; i++) {
        if (strcmp(all[i].operation, operation) == 0 && strcmp(all[i].peer, peer) == 0)
            return &all[i];
    }
    if (n_all == SERIES_MAX)
        program_fail("too many series");
    all[n_all] = (struct series){operation, peer, unit, NULL, 0, 0};
    return &all[n_all++];
}

void samples_add(const char *operation, const char *peer, const char *unit, int64_t value)
{
    struct series *s = find(operation, peer, unit);

    if (s->n == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 64;
        s->values = realloc(s->values, s->cap * sizeof *s->values);
        if (!s->values)
            program_fail("out of memory");
    }
    s->values[s->n++] = value;
}

static void write_series(FILE *f, const struct series *s)
{
    fprintf(f, "    {\"operation\": \"%s\", \"peer\": \"%s\", \"unit\": \"%s\", \"values\": [",
            s->operation, s->peer, s->unit);
    for (size_t i = 0; i < s->n; i++)
        fprintf(f, "%s%lld", i ? ", " : "", (long long)s->values[i]);
    fputs("]}", f);
}

void samples_write(const char *path, const char *scenario)
{
    FILE *f = fopen(path, "w");

    if (!f)
        program_fail("cannot write %s: %s", path, strerror(errno));
    fprintf(f, "{\n  \"scenario\": \"%s\",\n  \"series\": [\n", scenario);
    for (size_t i = 0; i < n_all; i++) {
        write_series(f, &all[i]);
        fputs(i + 1 < n_all ? ",\n" : "\n", f);
        free(all[i].values);
    }
    fputs("  ]\n}\n", f);
    n_all = 0;
    if (fclose(f) != 0)
        program_fail("cannot write %s: %s", path, strerror(errno));
}
