/* Reading JSON (RFC 8259) as the daemon's commands print it: a cursor that is asked for what is
 * expected and becomes bad, for good, when something else is there. */
#ifndef VITRINE_CLIENT_JSON_READ_H
#define VITRINE_CLIENT_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JSON_DEPTH_MAX 32
#define JSON_NAME_MAX  32 /* of a member that is looked for; longer names are cut */

struct json_read {
    const char *p;
    const char *end;
    bool bad;
};

/* Reads n bytes at text, which stay the caller's. */
void json_read_init(struct json_read *r, const char *text, size_t n);
/* Enters an object or array: open is `{` or `[`. */
void json_read_enter(struct json_read *r, char open);
/* True when another element or member follows; false at the closing bracket, which it takes, and
 * when bad. *n counts them: 0 before the first call. */
bool json_read_more(struct json_read *r, char close, size_t *n);
/* A member's name and the colon. */
void json_read_name(struct json_read *r, char name[static JSON_NAME_MAX]);
/* A string, NUL-terminated, to be wiped and freed by the caller; NULL when bad or without memory.
 * U+0000 makes it bad. */
char *json_read_string(struct json_read *r);
/* A whole number from 0 to UINT32_MAX. */
uint32_t json_read_number(struct json_read *r);
/* Passes over any value. */
void json_read_skip(struct json_read *r);

#endif
