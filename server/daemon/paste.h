/* Paste buffers: named pieces of text, the newest first.
 *
 * A buffer without a name of its own is called buffer0, buffer1, … and goes when
 * PASTE_AUTOMATIC_MAX newer ones of its kind exist; named ones stay until they are deleted. */
#ifndef VITRINE_DAEMON_PASTE_H
#define VITRINE_DAEMON_PASTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/err.h"

#define PASTE_NAME_MAX_BYTES 64
#define PASTE_MAX_BYTES      (16u << 20)
#define PASTE_AUTOMATIC_MAX  50

struct paste {
    char name[PASTE_NAME_MAX_BYTES + 1];
    bool automatic;
    int64_t created_s;
    uint8_t *text;
    size_t len;
    struct paste *next;
};

struct paste_list {
    struct paste *first;
    uint32_t next_number;
    size_t limit; /* automatic buffers kept; 0 for PASTE_AUTOMATIC_MAX */
};

/* Makes the newest buffer of a copy of n bytes, in the place of one of that name; NULL picks a
 * name. ERR_MALFORMED for a bad name, ERR_RANGE when it is too large, ERR_MEMORY. *out may be NULL.
 */
enum err paste_set(struct paste_list *list, const char *name, const uint8_t *text, size_t n,
                    int64_t now_s, struct paste **out);
/* The same for a new automatic buffer whose name begins so, a number behind it; NULL for "buffer". */
enum err paste_add(struct paste_list *list, const char *prefix, const uint8_t *text, size_t n,
                   int64_t now_s, struct paste **out);
/* The buffer of that name, for NULL the newest automatic one; NULL when there is none. */
struct paste *paste_find(const struct paste_list *list, const char *name);
void paste_delete(struct paste_list *list, struct paste *b);
/* Renames; ERR_MALFORMED. A buffer that has the name goes. */
enum err paste_rename(struct paste_list *list, struct paste *b, const char *name);
void paste_clear(struct paste_list *list);

#endif
