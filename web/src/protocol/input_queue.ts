// What this viewer types, from keyboard to daemon (docs/protocol.md §5, Input).
//
//   push ──► backlog (any size: the rest of a paste) ──► kept (sent, not TAKEN; at most 64 KiB) ──► gone
//
// Every byte has a sequence number that goes on across resumes. What is kept is sent again after a
// resume from the number WELCOME names, so nothing is lost, doubled or reordered. When the daemon no
// longer knows this viewer, everything is discarded, and the count is given so that it can be said.
//
// A lone Ctrl-C while all that may be sent was sent and nothing is taken (the program does not read)
// ends the paste: the backlog goes, and the key is sent beyond the limit, so that the daemon sees it.

import { Bytes, concat } from '../crypto/bytes.js';

export const KEPT_MAX_BYTES = 64 << 10;
/** Beyond that, for lone interrupt characters. */
export const INTERRUPTS_MAX_BYTES = 1 << 10;
/** Bytes of one INPUT: well under the 32 KiB a viewer's message may have. */
export const CHUNK_MAX_BYTES = 16 << 10;

const INTERRUPT = 0x03;

export interface InputChunk {
  readonly seq: number;
  readonly pane: number;
  readonly data: Bytes;
}

interface Run {
  pane: number;
  data: Bytes;
}

export class InputQueue {
  private next = 0; // sequence number of the next byte to send
  private kept: InputChunk[] = [];
  private keptBytes = 0;
  private backlog: Run[] = [];
  private backlogBytes = 0;

  /** @param send called with each chunk, in order, when it may go out */
  constructor(private readonly send: (chunk: InputChunk) => void) {}

  /** Bytes that the daemon has not taken, sent or not. */
  get waiting(): number {
    return this.keptBytes + this.backlogBytes;
  }

  /** Adds bytes typed at a pane; they go out by flush(). */
  push(pane: number, data: Uint8Array): void {
    if (data.length === 0) return;
    if (data.length === 1 && data[0] === INTERRUPT && this.isStuck()) return this.interrupt(pane);
    this.backlog.push({ pane, data: data.slice() as Bytes });
    this.backlogBytes += data.length;
  }

  private isStuck(): boolean {
    return this.keptBytes >= KEPT_MAX_BYTES;
  }

  private interrupt(pane: number): void {
    this.backlog = [];
    this.backlogBytes = 0;
    if (this.keptBytes >= KEPT_MAX_BYTES + INTERRUPTS_MAX_BYTES) return;
    const chunk = { seq: this.next++, pane, data: Uint8Array.of(INTERRUPT) };
    this.kept.push(chunk);
    this.keptBytes++;
    this.send(chunk);
  }

  /** Sends what may be sent. Call it only while connected and welcomed. */
  flush(): void {
    while (this.backlog.length > 0 && this.keptBytes < KEPT_MAX_BYTES) {
      const chunk = this.cut(KEPT_MAX_BYTES - this.keptBytes);
      this.kept.push(chunk);
      this.keptBytes += chunk.data.length;
      this.send(chunk);
    }
  }

  /** TAKEN(next input byte wanted). False when the daemon claims what was never sent. */
  taken(inputNext: number): boolean {
    if (inputNext > this.next || inputNext < this.next - this.keptBytes) return false;
    this.forget(inputNext);
    return true;
  }

  /** After a resume: drops what arrived, sends the rest of what was kept again. False: out of range. */
  resume(inputNext: number): boolean {
    if (!this.taken(inputNext)) return false;
    for (const chunk of this.kept) this.send(chunk);
    return true;
  }

  /** After a plain join: everything not taken is gone; gives its size. */
  restart(inputNext: number): number {
    const lost = this.waiting;
    this.next = inputNext;
    this.kept = [];
    this.backlog = [];
    this.keptBytes = 0;
    this.backlogBytes = 0;
    return lost;
  }

  /** Takes the next chunk off the backlog: neighbours for the same pane together. */
  private cut(room: number): InputChunk {
    const most = Math.min(room, CHUNK_MAX_BYTES);
    const pane = this.backlog[0]!.pane;
    const parts: Bytes[] = [];
    let bytes = 0;
    while (bytes < most && this.backlog[0]?.pane === pane) {
      const run = this.backlog[0];
      const part = run.data.subarray(0, most - bytes);
      parts.push(part);
      bytes += part.length;
      run.data = run.data.subarray(part.length);
      if (run.data.length === 0) this.backlog.shift();
    }
    const chunk = { seq: this.next, pane, data: concat(...parts) };
    this.next += bytes;
    this.backlogBytes -= bytes;
    return chunk;
  }

  private forget(inputNext: number): void {
    while (this.kept.length > 0) {
      const chunk = this.kept[0]!;
      const gone = Math.min(inputNext - chunk.seq, chunk.data.length);
      if (gone <= 0) return;
      this.keptBytes -= gone;
      if (gone === chunk.data.length) {
        this.kept.shift();
        continue;
      }
      const { pane, seq, data } = chunk;
      this.kept[0] = { pane, seq: seq + gone, data: data.slice(gone) };
    }
  }
}
