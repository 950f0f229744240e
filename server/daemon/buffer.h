/* Paste buffers: named pieces of text, the newest first.
 *
 * A buffer without a name of its own is called buffer0, buffer1, … and goes when
 * BUFFER_AUTOMATIC_MAX newer ones of its kind exist; named ones stay until they are deleted. */
#ifndef VITRINE_DAEMON_BUFFER_H
#define VITRINE_DAEMON_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/err.h"

#define BUFFER_NAME_MAX_BYTES 64
#define BUFFER_MAX_BYTES      (16u << 20)
#define BUFFER_AUTOMATIC_MAX  50

struct buffer {
    char name[BUFFER_NAME_MAX_BYTES + 1];
    bool automatic;
    int64_t created_s;
    uint8_t *text;
    size_t len;
    struct buffer *next;
};

struct buffer_list {
    struct buffer *first;
    uint32_t next_number;
};

/* Makes the newest buffer of a copy of n bytes, in the place of one of that name; NULL picks a
 * name. ERR_MALFORMED for a bad name, ERR_RANGE when it is too large, ERR_MEMORY. *out may be NULL.
 */
enum err buffer_set(struct buffer_list *list, const char *name, const uint8_t *text, size_t n,
                    int64_t now_s, struct buffer **out);
/* The buffer of that name, for NULL the newest automatic one; NULL when there is none. */
struct buffer *buffer_find(const struct buffer_list *list, const char *name);
void buffer_delete(struct buffer_list *list, struct buffer *b);
/* Renames; ERR_MALFORMED. A buffer that has the name goes. */
enum err buffer_rename(struct buffer_list *list, struct buffer *b, const char *name);
void buffer_clear(struct buffer_list *list);

#endif
