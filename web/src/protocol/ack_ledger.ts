// What was received, and what of it the terminal has rendered (docs/protocol.md §6, Flow control).
// One ledger per connection. ACK goes out when everything received is rendered, and at least every
// 4 KiB in between; it carries each pane's rendered offset when that changed.

import { Ack, PaneOffset } from 'gen/messages';

export const ACK_EVERY_BYTES = 4096;

export class AckLedger {
  private received = 0;
  private rendered = 0;
  private acknowledged = 0;
  private readonly offsets = new Map<number, number>();

  /** @param send called with each ACK that is due */
  constructor(private readonly send: (ack: Ack) => void) {}

  /** A KEYFRAME, OUTPUT or HISTORY body of so many bytes arrived. */
  receive(bytes: number): void {
    this.received += bytes;
  }

  /** It was rendered; `at` is the pane's offset after it, where it has one. */
  render(bytes: number, at?: PaneOffset): void {
    this.rendered += bytes;
    if (at) this.offsets.set(at.pane, at.offset);
    const idle = this.rendered >= this.received;
    if (idle || this.rendered - this.acknowledged >= ACK_EVERY_BYTES) this.acknowledge();
  }

  private acknowledge(): void {
    this.acknowledged = this.rendered;
    const panes = Array.from(this.offsets, ([pane, offset]) => ({ pane, offset }));
    this.offsets.clear();
    this.send({ total: this.rendered, panes });
  }
}
