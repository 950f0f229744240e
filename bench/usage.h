/* What a process uses, as the kernel counts it, and how large a program is. */
#ifndef VITRINE_BENCH_USAGE_H
#define VITRINE_BENCH_USAGE_H

#include <stdint.h>
#include <sys/types.h>

/* Resident memory in bytes. */
int64_t usage_resident_bytes(pid_t pid);
/* Resident memory with shared pages shared out, in bytes; -1 where the kernel does not tell us. */
int64_t usage_proportional_bytes(pid_t pid);
/* Processor time of all its threads in nanoseconds. */
int64_t usage_cpu_ns(pid_t pid);
/* Open descriptors. */
int64_t usage_descriptors(pid_t pid);
/* Bytes of a 64-bit ELF file that are mapped to run it: no symbols, no debug information. */
int64_t usage_loaded_bytes(const char *program);

#endif
