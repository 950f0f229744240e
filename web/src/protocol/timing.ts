// Time as the connection sees it: a clock that tests replace, the delay before the next attempt to
// connect, and how long silence may last (docs/protocol.md §5, Liveness).

/** Milliseconds and timers; the real one is systemClock. */
export interface Clock {
  now(): number;
  set(action: () => void, ms: number): unknown;
  clear(handle: unknown): void;
  /** A number in [0, 1), for spreading attempts. */
  random(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  set: (action, ms) => setTimeout(action, ms),
  clear: (handle) => clearTimeout(handle as ReturnType<typeof setTimeout>),
  random: () => Math.random(),
};

export const AWAY_AFTER_MS = 9_000;
export const DEAD_AFTER_MS = 40_000;
export const CONNECT_TIMEOUT_MS = 10_000;

const FIRST_DELAY_MS = 250;
const LARGEST_DELAY_MS = 8_000;

/** Delays double from 250 ms to 8 s; each is spread over half of itself. */
export class Backoff {
  private attempts = 0;

  constructor(private readonly clock: Clock) {}

  get count(): number {
    return this.attempts;
  }

  next(): number {
    const full = Math.min(FIRST_DELAY_MS * 2 ** Math.min(this.attempts, 16), LARGEST_DELAY_MS);
    this.attempts++;
    return full / 2 + this.clock.random() * (full / 2);
  }

  reset(): void {
    this.attempts = 0;
  }
}

export type Silence = 'none' | 'away' | 'dead';

/** What a silence of so many milliseconds means. */
export function judgeSilence(ms: number): Silence {
  if (ms >= DEAD_AFTER_MS) return 'dead';
  return ms >= AWAY_AFTER_MS ? 'away' : 'none';
}
