/* The links of a share as people are shown them. */
#ifndef VITRINE_DAEMON_CMD_LINKS_H
#define VITRINE_DAEMON_CMD_LINKS_H

struct daemon;
struct outbuf;
struct share;

/* Appends one line per link: what it lets do, and its URL. A secret: the caller wipes what it was
 * written to. */
void cmd_links_text(struct daemon *d, const struct share *s, struct outbuf *out);

#endif
