/* QR codes of links, for terminals: half blocks, two modules per character cell.
 *
 * A code is as secret as the link in it: whoever holds a struct qr or what was drawn from it wipes
 * it (secret_wipe). */
#ifndef VITRINE_DAEMON_QR_H
#define VITRINE_DAEMON_QR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/err.h"

struct outbuf;

#define QR_SIZE_MAX   177 /* modules a side, version 40 */
#define QR_QUIET      4   /* modules of white around a code, ISO/IEC 18004 6.3.8 */
#define QR_QUIET_MIN  2   /* what scanners still accept, where room is short */
#define QR_HALF_UPPER "\xe2\x96\x80"
#define QR_HALF_LOWER "\xe2\x96\x84"
#define QR_FULL       "\xe2\x96\x88"

struct qr {
    uint16_t size;                           /* modules a side, without the quiet zone */
    uint8_t dark[QR_SIZE_MAX * QR_SIZE_MAX]; /* 0 or 1, row by row, size to a row */
};

/* Encodes n bytes at the lowest error correction that the smallest version allows. ERR_RANGE when
 * there are none or they are too many for a code, ERR_MEMORY. */
enum err qr_encode(struct qr *q, const char *text, size_t n);
/* True when the module at column x and row y is dark; everything outside is white. */
bool qr_dark(const struct qr *q, int x, int y);
/* Columns and rows of character cells that q takes with a quiet zone of `quiet` modules. */
uint16_t qr_cols(const struct qr *q, uint16_t quiet);
uint16_t qr_rows(const struct qr *q, uint16_t quiet);
/* The half block for the cell at col, row: which character shows it in black on white. Never NULL;
 * " " is white. */
const char *qr_cell(const struct qr *q, uint16_t quiet, uint16_t col, uint16_t row);
/* Appends the code of the NUL-terminated url as lines for a UTF-8 terminal, black on white whatever
 * its colours, each ended by LF. Errors as qr_encode. */
enum err qr_text(const char *url, struct outbuf *out);

#endif
