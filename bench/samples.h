/* What was measured: for every operation and peer its numbers in the order they were taken, written
 * as JSON at the end. What they mean is bench/stats.mjs' business. */
#ifndef VITRINE_BENCH_SAMPLES_H
#define VITRINE_BENCH_SAMPLES_H

#include <stdint.h>

/* Adds a number to the series of this operation, peer and unit ("ns", "bytes", "ppm"); a new series
 * begins with the first. The strings are borrowed until samples_write. */
void samples_add(const char *operation, const char *peer, const char *unit, int64_t value);
/* Writes all series of a scenario to the file at path, and forgets them. */
void samples_write(const char *path, const char *scenario);

#endif
