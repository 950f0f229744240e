// The join rule: for any stream and any cut, a keyframe made at the cut plus the stream from the
// keyframe's offset brings a terminal to the state of one that saw the whole stream. It is checked
// twice for every cut, at the cut itself (the stream so far is a stream too) and where the segment
// ends, with all of the scrollback and with none.
//
// Where the size changes, the reference is a viewer present from the start: it gets the keyframe
// every viewer gets. So a stream is compared segment by segment.
//
// The joining terminal is used again for every cut, like a page's, so that a keyframe that relies
// on a clean terminal is found out.
//
// In rare states xterm.js itself depends on how its input is cut into writes (a wide character that
// does not fit and is not wrapped). So a joiner that differs from the reference is compared with a
// terminal fed in just the two pieces the joiner saw, before it counts as different.

import { random } from './generate.mjs';
import { diff, equal } from './state.mjs';
import { size } from './stream.mjs';
import { Viewer } from './xterm.mjs';

export const HISTORY_LINES = 10000;
const SMALL_STREAM_BYTES = 4096;
const LARGE_CUTS = Number(process.env.ORACLE_CUTS ?? 1000);
const PIPELINE_CUTS = 64;
const EVERY_BYTE = process.env.VITRINE_SHORT ? 9 : 1; // the smoke run takes one cut in nine

/** The offsets to cut each stream at: all of them for small ones, seeded random for the others. */
export function planCuts(streams) {
  const large = streams.filter((stream) => size(stream) > SMALL_STREAM_BYTES);
  const each = Math.ceil(LARGE_CUTS / Math.max(large.length, 1));
  return streams.map((stream, index) => {
    const bytes = size(stream);
    if (bytes <= SMALL_STREAM_BYTES) {
      return Array.from({ length: Math.floor(bytes / EVERY_BYTE) + 1 }, (_, i) => i * EVERY_BYTE);
    }
    const r = random(index + 1);
    return Array.from({ length: each }, () => r.below(bytes + 1)).sort((a, b) => a - b);
  });
}

/** One stream being cut: the terminals, the driver, and what was found. */
class Run {
  constructor(driver, stream, cuts) {
    Object.assign(this, { driver, stream, cuts });
    this.bytes = Buffer.concat(stream.segments.map((segment) => segment.bytes));
    const [{ cols, rows }] = stream.segments;
    this.scrollback = stream.scrollback ?? HISTORY_LINES;
    this.reference = new Viewer(cols, rows, this.scrollback);
    this.whole = new Viewer(cols, rows, this.scrollback);
    this.joiner = new Viewer(cols, rows, this.scrollback);
    this.fed = 0;
    this.start = { at: 0, keyframe: { cols, rows, offset: 0, vt: Buffer.alloc(0) } };
    this.result = { name: stream.name, tried: 0, equal: 0, differences: [], keyframeBytes: 0 };
    driver.create(cols, rows, this.scrollback);
  }

  /** Brings a terminal from a keyframe to the state at `at`. */
  join(viewer, keyframe, at) {
    if (keyframe.offset > at) throw new Error(`keyframe at ${keyframe.offset}, past the cut at ${at}`);
    viewer.applyKeyframe(keyframe);
    viewer.write(this.bytes.subarray(keyframe.offset, at));
  }

  async resize({ cols, rows }, at) {
    this.driver.resize(cols, rows);
    const keyframe = await this.driver.keyframe(HISTORY_LINES);
    this.start = { at, keyframe };
    this.join(this.reference, keyframe, at);
    this.join(this.whole, keyframe, at);
  }

  #fail(at, history, where, lines) {
    this.result.differences.push({ at, history, where, lines });
    return false;
  }

  /** A terminal that saw this segment up to `at` in one piece, and up to `end` in another. */
  #inPieces(at, end) {
    const { cols, rows } = this.start.keyframe;
    const viewer = new Viewer(cols, rows, this.scrollback);
    this.join(viewer, this.start.keyframe, this.start.at);
    viewer.write(this.bytes.subarray(this.start.at, at));
    viewer.write(this.bytes.subarray(at, end));
    return viewer;
  }

  /** Compares the joiner with a reference, or with one fed in the same pieces. */
  #compareAt(reference, at, end, history, where) {
    if (equal(reference, this.joiner, history)) return true;
    if (equal(this.#inPieces(at, end), this.joiner, history)) return true;
    return this.#fail(at, history, where, diff(reference, this.joiner, history));
  }

  /** Compares one keyframe at its cut and at the segment's end. */
  #compare(keyframe, at, end, history) {
    this.result.keyframeBytes += keyframe.vt.length;
    try {
      this.join(this.joiner, keyframe, at);
      if (!this.#compareAt(this.reference, at, at, history, 'at the cut')) return false;
      this.joiner.write(this.bytes.subarray(at, end));
      if (!this.#compareAt(this.whole, at, end, history, 'at the end')) return false;
    } catch (error) {
      this.joiner = new Viewer(keyframe.cols, keyframe.rows, this.scrollback);
      return this.#fail(at, history, 'thrown', [error.stack]);
    }
    return true;
  }

  /** Feeds up to each of a few cuts and asks for both keyframes, without waiting for answers. */
  #request(cuts) {
    return cuts.map((at) => {
      if (at > this.fed) this.driver.feed(this.bytes.subarray(this.fed, at));
      this.fed = Math.max(this.fed, at);
      return { at, full: this.driver.keyframe(HISTORY_LINES), bare: this.driver.keyframe(0) };
    });
  }

  async segment(start, end, cuts) {
    this.whole.write(this.bytes.subarray(start, end));
    let at = start;
    for (let first = 0; first < cuts.length; first += PIPELINE_CUTS) {
      for (const cut of this.#request(cuts.slice(first, first + PIPELINE_CUTS))) {
        const [full, bare] = [await cut.full, await cut.bare];
        this.reference.write(this.bytes.subarray(at, cut.at));
        at = cut.at;
        this.result.tried += 2;
        this.result.equal += this.#compare(full, at, end, true) + this.#compare(bare, at, end, false);
      }
    }
    this.reference.write(this.bytes.subarray(at, end));
    if (end > this.fed) this.driver.feed(this.bytes.subarray(this.fed, end));
    this.fed = end;
    if (!equal(this.reference, this.whole, true)) {
      throw new Error(`${this.stream.name}: xterm.js itself depends on how its input is cut:\n` +
        diff(this.reference, this.whole, true).join('\n'));
    }
  }
}

/** Cuts one stream at `cuts`; returns {name, tried, equal, differences, keyframeBytes}. */
export async function joinStream(driver, stream, cuts) {
  const run = new Run(driver, stream, cuts);
  let start = 0;
  for (const [index, segment] of stream.segments.entries()) {
    const end = start + segment.bytes.length;
    const last = index === stream.segments.length - 1;
    if (index) await run.resize(segment, start);
    await run.segment(start, end, cuts.filter((at) => at >= start && (last ? at <= end : at < end)));
    start = end;
  }
  return run.result;
}
