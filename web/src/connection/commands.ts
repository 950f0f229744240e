// COMMANDs and their answers: each request gets a number, and DONE names it. A connection that ends
// takes the open ones with it; whether those were carried out nobody knows then.

import { Command, CommandOp, Done, DoneResult } from 'gen/messages';

export const PENDING_MAX = 32;

/** What became of a command. `lost`: the connection ended before the answer. */
export interface Outcome {
  readonly kind: 'done' | 'refused' | 'lost' | 'busy';
  /** The host's words; often empty. */
  readonly text: string;
}

/** Direction of a resize: which way the border goes. */
export const Direction = { LEFT: 0, RIGHT: 1, UP: 2, DOWN: 3 } as const;

/** Arguments of CommandOp.RESIZE. */
export function resizeArguments(direction: number, cells: number): Uint8Array {
  const most = Math.min(cells, 0xffff);
  return Uint8Array.of(direction, most >> 8, most & 0xff);
}

export class Commands {
  private next = 1;
  private readonly open = new Map<number, (outcome: Outcome) => void>();

  /** @param send sends a COMMAND; false where there is no connection to send it on */
  constructor(private readonly send: (command: Command) => boolean) {}

  /** Sends one; the promise is kept with the answer, and never fails. */
  run(op: number, target: number, args: Uint8Array = new Uint8Array(0)): Promise<Outcome> {
    if (this.open.size >= PENDING_MAX) return Promise.resolve({ kind: 'busy', text: '' });
    const request = this.next++;
    if (!this.send({ request, op, target, arguments: args })) return Promise.resolve({ kind: 'lost', text: '' });
    return new Promise((resolve) => this.open.set(request, resolve));
  }

  /** Moves the border after a pane. */
  resize(pane: number, direction: number, cells: number): Promise<Outcome> {
    return this.run(CommandOp.RESIZE, pane, resizeArguments(direction, cells));
  }

  /** DONE; an answer to nothing is ignored. */
  answered({ request, result, text }: Done): void {
    const resolve = this.open.get(request);
    this.open.delete(request);
    resolve?.({ kind: result === DoneResult.OK ? 'done' : 'refused', text });
  }

  /** The connection is gone. */
  lost(): void {
    const open = [...this.open.values()];
    this.open.clear();
    for (const resolve of open) resolve({ kind: 'lost', text: '' });
  }
}
