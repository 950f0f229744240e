// Bodies of messages (docs/protocol.md §5) to objects and back, by interpreting the table made from
// proto/viewer.def: the page has no codec of its own to get out of step.

import { Field, items, largest, messages } from 'gen/messages';
import { Bytes } from '../crypto/bytes.js';
import { Malformed, Reader, Writer } from './cursor.js';

export type Fields = Record<string, unknown>;

/** Name of a message type ("WELCOME"), or undefined for one this page does not know. */
export function messageName(type: number): string | undefined {
  return messages[type]?.name;
}

/** True for a type that viewers send. */
export function isUp(type: number): boolean {
  return messages[type]?.direction === 'up';
}

/** Reads a whole body; throws Malformed. Byte fields are borrowed from it. */
export function decode<T = Fields>(type: number, body: Uint8Array): T {
  const reader = new Reader(body);
  const fields = readFields(reader, tableOf(type));
  reader.done();
  return fields as T;
}

/** Writes a body; throws RangeError when a value does not fit its field. */
export function encode(type: number, message: object): Bytes {
  const writer = new Writer();
  writeFields(writer, tableOf(type), message as Fields);
  return writer.finish();
}

function tableOf(type: number): readonly Field[] {
  const message = messages[type];
  if (!message) throw new Malformed(`no message of type ${type}`);
  return message.fields;
}

function readFields(reader: Reader, fields: readonly Field[]): Fields {
  const out: Fields = {};
  for (const [kind, name, extra] of fields) out[name] = readField(reader, kind, extra ?? '');
  return out;
}

function readField(reader: Reader, kind: string, extra: string): unknown {
  switch (kind) {
    case 'u8':
      return reader.u8();
    case 'u16':
      return reader.u16();
    case 'u32':
      return reader.u32();
    case 'u64':
      return reader.u64();
    case 'enum':
      return readEnum(reader, extra);
    case 'fixed':
      return reader.take(Number(extra));
    case 'str':
      return reader.str();
    case 'blob':
      return reader.take(reader.u32());
    case 'rest':
      return reader.rest();
    case 'list':
      return readList(reader, extra);
    default:
      throw new TypeError(`field of unknown kind ${kind}`);
  }
}

function readEnum(reader: Reader, name: string): number {
  const value = reader.u8();
  if (value > largest[name]!) throw new Malformed(`${name} out of range`);
  return value;
}

function readList(reader: Reader, item: string): Fields[] {
  const count = reader.u16();
  const list: Fields[] = [];
  for (let i = 0; i < count; i++) list.push(readFields(reader, items[item]!));
  return list;
}

function writeFields(writer: Writer, fields: readonly Field[], message: Fields): void {
  for (const [kind, name, extra] of fields) {
    if (message[name] === undefined) throw new RangeError(`${name} is missing`);
    writeField(writer, kind, extra ?? '', message[name]);
  }
}

function writeField(writer: Writer, kind: string, extra: string, value: unknown): void {
  switch (kind) {
    case 'u8':
    case 'enum':
      return writer.u8(value as number);
    case 'u16':
      return writer.u16(value as number);
    case 'u32':
      return writer.u32(value as number);
    case 'u64':
      return writer.u64(value as number);
    case 'fixed':
      return writeFixed(writer, Number(extra), value as Uint8Array);
    case 'str':
      return writer.str(value as string);
    case 'blob':
      writer.u32((value as Uint8Array).length);
      return writer.put(value as Uint8Array);
    case 'rest':
      return writer.put(value as Uint8Array);
    case 'list':
      return writeList(writer, extra, value as Fields[]);
    default:
      throw new TypeError(`field of unknown kind ${kind}`);
  }
}

function writeFixed(writer: Writer, n: number, value: Uint8Array): void {
  if (value.length !== n) throw new RangeError(`not ${n} bytes`);
  writer.put(value);
}

function writeList(writer: Writer, item: string, list: Fields[]): void {
  writer.u16(list.length);
  for (const one of list) writeFields(writer, items[item]!, one);
}
