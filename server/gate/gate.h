/* The gate: what it is to the daemon that starts it, and its limits.
 *
 * Start. The daemon makes socketpair(AF_UNIX, SOCK_STREAM), starts `vitrine-gate` without arguments
 * with its end as descriptor MUX_DAEMON_FD, stdin and stdout on /dev/null and stderr on its log.
 * Nothing secret stands in argv or environment; the gate reads neither (`--version` apart).
 *
 *     daemon                                  gate
 *     CONFIG (+ kept listeners) ------------> within GATE_CONFIG_WAIT_S, else exit GATE_EXIT_USAGE
 *            <------------------------------- STATE LISTENING (+ the listener's descriptor), one
 * each
 *            <------------------------------- STATE READY: sandboxed, accepting
 *     or     <------------------------------- STATE PORT_TAKEN | BIND_FAILED, exit GATE_EXIT_BIND
 *
 * CONFIG and its descriptors (SCM_RIGHTS) are one sendmsg. A STATE LISTENING frame is one sendmsg
 * of the gate: the descriptor comes with the frame's first byte. From fork to READY takes about 20
 * ms (60 ms under sanitizers). Listeners that the daemon keeps go into the next gate's CONFIG; bind
 * and port are then not looked at, and STATE LISTENING comes without a descriptor. Whoever bound a
 * unix socket path removes it: the daemon, when it stops sharing.
 *
 * Life. OPEN and the 69 bytes of message 1 (as DATA) begin a channel; ids count up from 1 and are
 * never used twice. Either side's CLOSE ends a channel for its sender at once and is not answered:
 * what was already under way the other way is dropped by the receiver. The gate sends DATA of a
 * viewer that left, and only then its CLOSE; a daemon's CLOSE goes out behind the DATA before it,
 * and a viewer that has not taken them after GATE_CLOSE_WAIT_S is cut off.
 * Both sides give CREDIT back in steps of at most MUX_CREDIT_STEP_BYTES, so that a whole frame
 * always fits again. Empty DATA, DATA beyond credit, frames for a channel that was never opened, or
 * frames only a gate may send end the gate with GATE_EXIT_LINK and a line on stderr. When the
 * daemon's end closes, viewers get close code 4004 and the gate exits 0; likewise at SIGTERM. */
#ifndef VITRINE_SERVER_GATE_GATE_H
#define VITRINE_SERVER_GATE_GATE_H

#define GATE_EXIT_OK    0 /* the daemon's end closed, or SIGTERM */
#define GATE_EXIT_FAIL  1 /* out of memory, no sandbox, the loop failed: stderr says what */
#define GATE_EXIT_USAGE 2 /* no socketpair on descriptor 3, no or bad CONFIG */
#define GATE_EXIT_BIND  3 /* nothing to listen on; a STATE report said why */
#define GATE_EXIT_LINK  4 /* the daemon broke the mux protocol */

#define GATE_CONFIG_WAIT_S 10
#define GATE_PORT_DEFAULT  8722
#define GATE_PORT_TRIES    100  /* ports above the wanted one that are tried when it is taken */
#define GATE_UNPROVEN_MAX  1024 /* connections before message 1, when CONFIG says 0 */
#define GATE_PER_ADDRESS_MAX \
    64 /* of those per address (IPv6: per /64), not for loopback and unix */
#define GATE_FIRST_MESSAGE_BYTES 69 /* protocol.md 3, suite 0x01 */
#define GATE_MESSAGE_MAX_BYTES   65535
#define GATE_SUBPROTOCOL         "vitrine.v1"
#define GATE_HEAD_MAX_BYTES      16384 /* request line and header fields; more is answered 431 */
#define GATE_HEAD_WAIT_S         10    /* from accept, or from the first byte of a later request */
#define GATE_IDLE_S              30    /* an HTTP connection between two requests */
#define GATE_SEND_WAIT_S         60    /* a page asset in all */
#define GATE_FIRST_MESSAGE_S     10    /* from the WebSocket's opening to message 1 */
#define GATE_CLOSE_WAIT_S        5     /* for the rest of the data and the peer's close */

/* Close codes of protocol.md 7 and RFC 6455 7.4.1. */
#define GATE_CLOSE_NORMAL      1000
#define GATE_CLOSE_PROTOCOL    1002
#define GATE_CLOSE_NOT_BINARY  1003
#define GATE_CLOSE_NO_STATUS   1005 /* never sent to a peer */
#define GATE_CLOSE_ABNORMAL    1006 /* never sent to a peer */
#define GATE_CLOSE_TOO_BIG     1009
#define GATE_CLOSE_MALFORMED   4002
#define GATE_CLOSE_DAEMON_GONE 4004

#endif
