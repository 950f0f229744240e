/* What the daemon may know of the terminal and locale that this process runs in. */
#ifndef VITRINE_CLIENT_CLIENT_FLAGS_H
#define VITRINE_CLIENT_CLIENT_FLAGS_H

/* A set of enum ipc_client_flag. */
unsigned client_flags(void);

#endif
