#include "proto/compat.h"

#include "bench/usage.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/program.h"

/* The number behind "name:" in kB in a file of /proc, in bytes; -1 when it is not there. */
static int64_t read_field(pid_t pid, const char *file, const char *name)
{
    char path[64], line[256];
    int64_t found = -1;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, file);
    f = fopen(path, "r");
    while (f && found < 0 && fgets(line, sizeof line, f)) {
        if (strncmp(line, name, strlen(name)) == 0)
            found = strtoll(line + strlen(name), NULL, 10) * 1024;
    }
    if (f)
        fclose(f);
    return found;
}

int64_t usage_resident_bytes(pid_t pid)
{
    int64_t n = read_field(pid, "status", "VmRSS:");

    if (n < 0)
        program_fail("process %ld is gone", (long)pid);
    return n;
}

int64_t usage_proportional_bytes(pid_t pid)
{
    return read_field(pid, "smaps_rollup", "Pss:");
}

int64_t usage_cpu_ns(pid_t pid)
{
    char path[64];
    long long ns;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%ld/schedstat", (long)pid);
    f = fopen(path, "r");
    if (!f || fscanf(f, "%lld", &ns) != 1)
        program_fail("cannot read %s", path);
    fclose(f);
    return ns;
}

int64_t usage_descriptors(pid_t pid)
{
    char path[64];
    int64_t n = 0;
    DIR *d;

    snprintf(path, sizeof path, "/proc/%ld/fd", (long)pid);
    d = opendir(path);
    if (!d)
        return -1;
    for (struct dirent *e; (e = readdir(d));)
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

int64_t usage_loaded_bytes(const char *program)
{
    FILE *f = fopen(program, "rb");
    int64_t total = 0;
    Elf64_Phdr part;
    Elf64_Ehdr head;

    if (!f || fread(&head, sizeof head, 1, f) != 1 || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64)
        program_fail("%s is no 64-bit program", program);
    for (int i = 0; i < head.e_phnum; i++) {
        if (fseek(f, (long)(head.e_phoff + (size_t)i * head.e_phentsize), SEEK_SET) != 0 ||
            fread(&part, sizeof part, 1, f) != 1)
            program_fail("cannot read %s: %s", program, strerror(errno));
        total += part.p_type == PT_LOAD ? (int64_t)part.p_filesz : 0;
    }
    fclose(f);
    return total;
}
