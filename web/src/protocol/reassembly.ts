// Records to whole messages (docs/protocol.md §4): KEYFRAME, HISTORY and LAYOUT may go on in the
// next record of their own type, with messages of other types in between. A whole message is at
// most 4 MiB, its parts are not empty. Types this page does not know are skipped.

import { MessageType } from 'gen/messages';
import { concat } from '../crypto/bytes.js';
import { Plain } from '../crypto/record.js';
import { messageName } from './codec.js';
import { Malformed } from './cursor.js';

export const MESSAGE_MAX_BYTES = 4 << 20;
const CONTINUES: readonly number[] = [MessageType.KEYFRAME, MessageType.HISTORY, MessageType.LAYOUT];

export interface Whole {
  readonly type: number;
  readonly body: Uint8Array;
}

interface Partial {
  parts: Uint8Array[];
  bytes: number;
}

export class Reassembly {
  private readonly open = new Map<number, Partial>();

  /** Takes the next record; the message it completes, or undefined. Throws Malformed. */
  accept(plain: Plain): Whole | undefined {
    if (messageName(plain.type) === undefined) return undefined;
    const partial = this.open.get(plain.type);
    if (!plain.more && !partial) return { type: plain.type, body: plain.body };
    if (!CONTINUES.includes(plain.type)) throw new Malformed('type that does not continue');
    return this.append(plain, partial ?? { parts: [], bytes: 0 });
  }

  private append(plain: Plain, partial: Partial): Whole | undefined {
    if (plain.body.length === 0) throw new Malformed('empty part');
    partial.bytes += plain.body.length;
    if (partial.bytes > MESSAGE_MAX_BYTES) throw new Malformed('message too large');
    partial.parts.push(plain.body);
    if (plain.more) {
      this.open.set(plain.type, partial);
      return undefined;
    }
    this.open.delete(plain.type);
    return { type: plain.type, body: concat(...partial.parts) };
  }
}
