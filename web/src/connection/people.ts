// Who else is there, kept from PRESENCE (docs/protocol.md §5): the number of viewers, and those that
// the daemon names. A connection's first PRESENCE names everybody anew.

import { Presence, PresenceKind, Role } from 'gen/messages';
import { plainText } from '../protocol/plain_text.js';

const PEOPLE_MAX = 1024; // as many viewers as a share may have

export interface Person {
  readonly name: string; // may be empty
  readonly mayType: boolean;
}

export class People {
  /** All viewers, this one included. */
  count = 0;
  private readonly known = new Map<number, Person>();

  /** A new connection: nobody is known. */
  clear(): void {
    this.count = 0;
    this.known.clear();
  }

  /** PRESENCE */
  apply({ viewers, changes }: Presence): void {
    this.count = viewers;
    for (const { viewerId, kind, role, name } of changes) {
      if (kind === PresenceKind.LEFT) this.known.delete(viewerId);
      else if (this.known.size < PEOPLE_MAX || this.known.has(viewerId)) {
        this.known.set(viewerId, { name: plainText(name), mayType: role === Role.OPERATOR });
      }
    }
  }

  /** Those that are known, the ones who may type first. */
  get list(): Person[] {
    return [...this.known.values()].sort((a, b) => Number(b.mayType) - Number(a.mayType));
  }
}
