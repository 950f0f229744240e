// Client of tests/tools/screen_driver.c: the daemon's scanner, screen and keyframe writer behind a
// pipe. A request is u8 op, u32 length, payload; the answer u32 length, payload; answers come in
// order, so any number of requests may be in flight. All integers are big-endian.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The driver's path: SCREEN_DRIVER, or screen_driver in TOOLS, or in tools of BUILD. */
export function driverPath() {
  const { SCREEN_DRIVER, TOOLS, BUILD, VARIANT } = process.env;
  if (SCREEN_DRIVER) return SCREEN_DRIVER;
  const folder = TOOLS ?? join(BUILD ?? `build/${VARIANT ?? 'release'}`, 'tools');
  const path = resolve(ROOT, folder, 'screen_driver');
  if (!existsSync(path)) throw new Error(`no screen driver at ${path}: make tools, or set BUILD`);
  return path;
}

function words(...pairs) {
  const out = Buffer.alloc(pairs.reduce((sum, [bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [bytes, value] of pairs) {
    if (bytes === 8) out.writeBigUInt64BE(BigInt(value), at);
    else out.writeUIntBE(value, at, bytes);
    at += bytes;
  }
  return out;
}

class Driver {
  #waiting = [];
  #pieces = [];
  #have = 0;
  #failure = null;

  constructor(path = driverPath()) {
    this.child = spawn(path, [], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.child.stdout.on('data', (piece) => this.#take(piece));
    this.child.stdin.on('error', () => {});
    this.child.on('error', (error) => this.#fail(error));
    this.child.on('close', (code, signal) =>
      this.#fail(new Error(`the screen driver ended: ${signal ?? `exit ${code}`}`)));
  }

  #fail(error) {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  #take(piece) {
    this.#pieces.push(piece);
    this.#have += piece.length;
    if (this.#have < 4) return;
    let bytes = this.#pieces.length === 1 ? piece : Buffer.concat(this.#pieces);
    while (bytes.length >= 4 && bytes.length >= 4 + bytes.readUInt32BE(0)) {
      const end = 4 + bytes.readUInt32BE(0);
      this.#waiting.shift().resolve(bytes.subarray(4, end));
      bytes = bytes.subarray(end);
    }
    this.#pieces = [bytes];
    this.#have = bytes.length;
  }

  #request(op, payload = Buffer.alloc(0)) {
    if (this.#failure) return Promise.reject(this.#failure);
    const answer = new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
    answer.catch(() => {}); // a pipelined request may fail before anybody waits for it
    this.child.stdin.write(Buffer.concat([Buffer.from(op), words([4, payload.length]), payload]));
    return answer;
  }

  /** Starts over with a blank screen. */
  create(cols, rows, historyLimit) {
    return this.#request('N', words([2, cols], [2, rows], [4, historyLimit]));
  }

  /** Feeds program output; answers what the terminal replied to the program. */
  feed(bytes) {
    return this.#request('F', Buffer.from(bytes));
  }

  resize(cols, rows) {
    return this.#request('R', words([2, cols], [2, rows]));
  }

  async keyframe(historyLines) {
    const answer = await this.#request('K', words([4, historyLines]));
    return {
      offset: Number(answer.readBigUInt64BE(0)), firstLine: Number(answer.readBigUInt64BE(8)),
      cols: answer.readUInt16BE(16), rows: answer.readUInt16BE(18),
      historyLines: answer.readUInt32BE(20), vt: answer.subarray(24),
    };
  }

  async history(beforeLine, count) {
    const answer = await this.#request('H', words([8, beforeLine], [4, count]));
    return {
      firstLine: Number(answer.readBigUInt64BE(0)), count: answer.readUInt32BE(8),
      vt: answer.subarray(12),
    };
  }

  /** Captured text; flags bit 0 with attributes, bit 1 joined lines, bit 2 whole history. */
  async capture(flags) {
    return (await this.#request('C', words([1, flags]))).toString();
  }

  async probe() {
    return JSON.parse((await this.#request('P')).toString());
  }

  /** Ends the driver; resolves with its exit status. */
  close() {
    return new Promise((resolve) => {
      if (this.child.exitCode !== null) return resolve(this.child.exitCode);
      this.child.once('exit', (code, signal) => resolve(code ?? signal));
      this.child.stdin.end();
    });
  }

  kill() {
    this.child.kill('SIGKILL');
  }
}

/** Runs a test's body with a driver, which must then end well: a sanitizer's report fails it. */
export async function withDriver(body) {
  const driver = new Driver();
  try {
    await body(driver);
    assert.equal(await driver.close(), 0, 'the screen driver ended with an error');
  } finally {
    driver.kill();
  }
}
