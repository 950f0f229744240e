/* Gives freed memory back to the kernel. The allocator by itself does so from the end of the heap
 * only, where something always is; after a thousand panes have ended, their memory would stay with
 * the daemon. Whoever frees much asks for it, and it is done once, a little later. */
#ifndef VITRINE_DAEMON_TRIM_H
#define VITRINE_DAEMON_TRIM_H

struct loop;

#define TRIM_MS 1000 /* after it was first asked for */

/* One loop has it at a time. Before trim_open and after trim_close asking does nothing. */
void trim_open(struct loop *l);
void trim_close(void);
/* Asks for it. */
void trim_soon(void);

#endif
