/* Looks for byte strings in the memory of another process: `scan_memory PID < needles`.
 *
 * Standard input has one needle per line, in hexadecimal, so that what is looked for stands neither in
 * a command line nor in an environment. For each needle one line is printed: how often it was found.
 * Every readable mapping is read through /proc/PID/mem, which root may do even where the process is
 * not dumpable; guarded memory is found too unless it is protected from reading at that moment. Of a
 * sanitized process the sanitizer's shadow, terabytes of address space, is left out.
 * Exit status 3: not permitted. */
#include "proto/compat.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NEEDLES_MAX   64
#define NEEDLE_MAX    512
#define CHUNK_BYTES   ((size_t)4 << 20)
#define RANGE_MAX     ((uintmax_t)4 << 30) /* larger mappings are shadow, not memory */
#define EXIT_REFUSED  3
#define LINE_MAX_SIZE (2 * NEEDLE_MAX + 2)

struct needle {
    unsigned char bytes[NEEDLE_MAX];
    size_t len;
    unsigned long found;
};

static struct needle needles[NEEDLES_MAX];
static size_t n_needles;

static int read_needle(const char *hex, struct needle *out)
{
    unsigned v;

    for (out->len = 0; sscanf(hex, "%2x", &v) == 1 && out->len < NEEDLE_MAX; hex += 2)
        out->bytes[out->len++] = (unsigned char)v;
    return out->len > 0;
}

static void read_needles(void)
{
    char line[LINE_MAX_SIZE];

    while (n_needles < NEEDLES_MAX && fgets(line, sizeof line, stdin)) {
        if (read_needle(line, &needles[n_needles]))
            n_needles++;
    }
}

/* Counts needles that begin in the first n - keep bytes of p. */
static void count(const unsigned char *p, size_t n, size_t keep)
{
    for (size_t i = 0; i < n_needles; i++) {
        const unsigned char *at = p;
        const unsigned char *end = p + n - keep;

        while (at < end &&
               (at = memmem(at, (size_t)(p + n - at), needles[i].bytes, needles[i].len)) != NULL) {
            if (at >= end)
                break;
            needles[i].found++;
            at++;
        }
    }
}

/* Reads [from, to) in chunks that overlap by the longest needle. */
static void scan_range(int mem, uintmax_t from, uintmax_t to, unsigned char *chunk)
{
    while (from < to) {
        size_t want = to - from < CHUNK_BYTES ? (size_t)(to - from) : CHUNK_BYTES;
        ssize_t n = pread(mem, chunk, want, (off_t)from);
        size_t keep;

        if (n <= 0) { /* a page that may not be read: go on behind it */
            from += 4096;
            continue;
        }
        keep = (uintmax_t)n == to - from || n <= NEEDLE_MAX ? 0 : NEEDLE_MAX;
        count(chunk, (size_t)n, keep);
        from += (uintmax_t)n - keep;
    }
}

static int scan(const char *pid)
{
    char path[64], line[512];
    unsigned char *chunk = malloc(CHUNK_BYTES);
    FILE *maps;
    int mem;

    snprintf(path, sizeof path, "/proc/%.20s/maps", pid);
    maps = fopen(path, "r");
    snprintf(path, sizeof path, "/proc/%.20s/mem", pid);
    mem = open(path, O_RDONLY | O_CLOEXEC);
    if (!maps || mem < 0 || !chunk) {
        fprintf(stderr, "scan_memory: %s: %s\n", path, strerror(errno));
        return EXIT_REFUSED;
    }
    while (fgets(line, sizeof line, maps)) {
        uintmax_t from, to;

        if (sscanf(line, "%" SCNxMAX "-%" SCNxMAX, &from, &to) == 2 && to - from <= RANGE_MAX &&
            !strstr(line, "[vvar") && !strstr(line, "[vsyscall") && !strstr(line, "---p"))
            scan_range(mem, from, to, chunk);
    }
    fclose(maps);
    close(mem);
    free(chunk);
    return 0;
}

int main(int argc, char **argv)
{
    int status;

    if (argc != 2) {
        fputs("usage: scan_memory PID < needles in hexadecimal, one a line\n", stderr);
        return 2;
    }
    read_needles();
    status = scan(argv[1]);
    for (size_t i = 0; status == 0 && i < n_needles; i++)
        printf("%lu\n", needles[i].found);
    return status;
}
