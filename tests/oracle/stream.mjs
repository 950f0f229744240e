// Recorded streams: what a program wrote to its terminal, and when the terminal changed size.
//
// File format (.vts): "VTS1\n", then blocks. 'S' u16 cols, u16 rows: from here on the terminal has
// that size (the first block is always one). 'D' u32 length, bytes: the program wrote these.
// Big-endian.

import { readdirSync, readFileSync } from 'node:fs';

const MAGIC = 'VTS1\n';
const STREAMS = new URL('../streams/', import.meta.url);

/** Decodes a .vts file into segments of one size each: [{cols, rows, bytes}]. */
export function decode(file) {
  if (file.subarray(0, MAGIC.length).toString() !== MAGIC) throw new Error('not a .vts file');
  const segments = [];
  let at = MAGIC.length;
  while (at < file.length) {
    const kind = String.fromCharCode(file[at]);
    if (kind === 'S') {
      const cols = file.readUInt16BE(at + 1);
      segments.push({ cols, rows: file.readUInt16BE(at + 3), pieces: [] });
      at += 5;
    } else if (kind === 'D') {
      const length = file.readUInt32BE(at + 1);
      segments.at(-1).pieces.push(file.subarray(at + 5, at + 5 + length));
      at += 5 + length;
    } else {
      throw new Error(`unknown block ${kind} at ${at}`);
    }
  }
  return segments.map(({ cols, rows, pieces }) => ({ cols, rows, bytes: Buffer.concat(pieces) }));
}

/** Every recorded stream: [{name, segments}], by name. */
export function recorded() {
  const names = readdirSync(STREAMS).filter((name) => name.endsWith('.vts')).sort();
  return names.map((name) => ({
    name: name.slice(0, -4), segments: decode(readFileSync(new URL(name, STREAMS))),
  }));
}

export function size({ segments }) {
  return segments.reduce((sum, { bytes }) => sum + bytes.length, 0);
}
