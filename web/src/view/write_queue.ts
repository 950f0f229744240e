// What goes into one terminal, in order: bytes, and steps that must wait until every byte before them
// is parsed (a resize). The terminal never holds more than 256 KiB that it has not parsed; xterm.js
// gives up at 50 MB, and gets slow long before.

import { unfinishedBytes } from './terminal_repair.js';

export const UNPARSED_MAX_BYTES = 256 << 10;

/** The terminal: calls back when the bytes are parsed. */
export type Sink = (data: Uint8Array, parsed: () => void) => void;

type Step =
  | { readonly data: Uint8Array; readonly done: (() => void) | undefined }
  | { readonly run: () => void };

export class WriteQueue {
  private steps: Step[] = [];
  private unparsed = 0;
  private running = false;
  private waiting: (() => void)[] = [];

  constructor(private readonly sink: Sink) {}

  /** Bytes; done is called when the last of them is parsed. */
  write(data: Uint8Array, done?: () => void): void {
    let rest = data;
    while (rest.length > UNPARSED_MAX_BYTES) {
      const piece = rest.subarray(0, UNPARSED_MAX_BYTES);
      const whole = piece.length - unfinishedBytes(piece); // never inside a character
      this.steps.push({ data: rest.subarray(0, whole), done: undefined });
      rest = rest.subarray(whole);
    }
    this.steps.push({ data: rest, done });
    this.pump();
  }

  /** A step that runs when everything before it is parsed, and before anything after it. */
  run(step: () => void): void {
    this.steps.push({ run: step });
    this.pump();
  }

  /** Resolves when everything so far is parsed. */
  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.pump();
    });
  }

  private pump(): void {
    if (this.running) return;
    this.running = true;
    while (this.steps.length > 0 && this.take(this.steps[0]!)) this.steps.shift();
    this.running = false;
    if (this.steps.length === 0 && this.unparsed === 0) {
      for (const resolve of this.waiting.splice(0)) resolve();
    }
  }

  /** Starts a step; false when it has to wait. */
  private take(step: Step): boolean {
    if ('run' in step) {
      if (this.unparsed > 0) return false;
      step.run();
      return true;
    }
    const { data, done } = step;
    if (this.unparsed > 0 && this.unparsed + data.length > UNPARSED_MAX_BYTES) return false;
    // An empty write counts as one byte, so that steps behind it wait for it too.
    const weight = Math.max(1, data.length);
    this.unparsed += weight;
    this.sink(data, () => {
      this.unparsed -= weight;
      done?.();
      this.pump();
    });
    return true;
  }
}
