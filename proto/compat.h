/* The one place that asks the C library for more than POSIX. Include it first, before any system
 * header, in the files that need Linux or BSD extensions (peer credentials, memfd, pipe2, …). */
#ifndef VITRINE_PROTO_COMPAT_H
#define VITRINE_PROTO_COMPAT_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#endif
