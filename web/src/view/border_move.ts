// A border on its way: where it is wanted, and what has been asked of the daemon so far. One request
// is under way at a time, and they keep their distance: however fast a pointer moves, the daemon is
// asked for the newest place only.

import { Clock } from '../protocol/timing.js';

const APART_MS = 120; // the daemon refuses more than ten commands in a second

/** Asks for so many cells (right or down when positive); false: refused. */
export type AskMove = (cells: number) => Promise<boolean>;

export class BorderMove {
  private wanted: number;
  private busy = false; // asking, or keeping the distance
  private asking = false;

  /** @param asked where the border stands now, in cells */
  constructor(
    private asked: number,
    private readonly ask: AskMove,
    private readonly clock: Clock,
  ) {
    this.wanted = asked;
  }

  /** Nothing is under way, and the border is where it was wanted or as near as it can be. */
  get isIdle(): boolean {
    return !this.busy;
  }

  /** The border should be there. */
  want(at: number): void {
    this.wanted = at;
    if (!this.busy) void this.go();
  }

  /** The border stands there in the layout of the moment; that of a request under way may be older. */
  stands(at: number): void {
    if (this.asking) return;
    if (this.wanted === this.asked) this.wanted = at;
    this.asked = at;
  }

  private async go(): Promise<void> {
    this.busy = true;
    while (this.wanted !== this.asked) {
      const cells = this.wanted - this.asked;
      this.asked = this.wanted;
      this.asking = true;
      const done = await this.ask(cells);
      this.asking = false;
      if (!done) this.wanted = this.asked;
      await new Promise<void>((resolve) => void this.clock.set(resolve, APART_MS));
    }
    this.busy = false;
  }
}
