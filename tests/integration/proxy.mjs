// A TCP proxy that behaves like a bad network: slow, late, stuck, cut. It runs in the test's own
// process, between a viewer and the gate.
//
//   viewer ──► up ──► gate
//   viewer ◄── down ◄── gate     bytesPerSecond and delayMs hold for `down`; stall() for both

import { connect, createServer } from 'node:net';

const TICK_MS = 5;

export async function createProxy(t, targetPort, options) {
  const proxy = new Proxy(targetPort, options);
  await proxy.listen();
  t.after(() => proxy.close());
  return proxy;
}

class Proxy {
  constructor(targetPort, { bytesPerSecond = 0, delayMs = 0 } = {}) {
    Object.assign(this, { targetPort, bytesPerSecond, delayMs });
    this.stalled = false;
    this.refusing = false;
    this.downBytes = 0;
    this.pairs = new Set();
    this.server = createServer((client) => this.#accept(client));
    this.timer = setInterval(() => this.#tick(), TICK_MS);
  }

  listen() {
    return new Promise((resolve) => {
      this.server.listen(0, '127.0.0.1', () => {
        this.port = this.server.address().port;
        resolve();
      });
    });
  }

  #accept(client) {
    if (this.refusing) return client.destroy();
    const gate = connect(this.targetPort, '127.0.0.1');
    const pair = { client, gate, queue: [], queued: 0, allowance: 0, ended: false };
    this.pairs.add(pair);
    for (const socket of [client, gate]) {
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => this.#drop(pair));
    }
    client.on('data', (chunk) => gate.write(chunk));
    gate.on('data', (chunk) => this.#queue(pair, chunk));
    gate.on('end', () => (pair.ended = true));
    if (this.stalled) this.#pause(pair, true);
  }

  #queue(pair, chunk) {
    pair.queue.push({ chunk, due: Date.now() + this.delayMs });
    pair.queued += chunk.length;
    if (!this.bytesPerSecond && !this.delayMs) return this.#flush(pair);
    if (pair.queued > 16384) pair.gate.pause(); // what waits belongs into the kernel's buffers
  }

  #tick() {
    for (const pair of this.pairs) {
      pair.allowance += (this.bytesPerSecond * TICK_MS) / 1000;
      if (!this.stalled) this.#flush(pair);
    }
  }

  #flush(pair) {
    while (pair.queue.length > 0 && pair.queue[0].due <= Date.now()) {
      const { chunk } = pair.queue[0];
      if (this.bytesPerSecond && pair.allowance < 1) return;
      const n = this.bytesPerSecond ? Math.min(chunk.length, Math.floor(pair.allowance)) : chunk.length;
      pair.allowance -= this.bytesPerSecond ? n : 0;
      pair.client.write(chunk.subarray(0, n));
      this.downBytes += n;
      pair.queued -= n;
      if (n < chunk.length) pair.queue[0].chunk = chunk.subarray(n);
      else pair.queue.shift();
    }
    if (pair.queue.length === 0) pair.allowance = 0;
    if (pair.queued <= 16384 && !this.stalled) pair.gate.resume();
    if (pair.ended && pair.queue.length === 0) pair.client.end();
  }

  #pause(pair, stalled) {
    const how = stalled ? 'pause' : 'resume';
    pair.client[how]();
    pair.gate[how]();
  }

  #drop(pair) {
    if (!this.pairs.delete(pair)) return;
    if (pair.queue.length > 0 && !pair.client.destroyed) pair.client.end(Buffer.concat(pair.queue.map((q) => q.chunk)));
    else pair.client.destroy();
    pair.gate.destroy();
  }

  /** Nothing moves in either direction, and nobody is told. */
  stall(stalled = true) {
    this.stalled = stalled;
    for (const pair of this.pairs) this.#pause(pair, stalled);
  }

  /** Every connection breaks. With `refusing`, new ones break too until it is unset. */
  cut({ refusing = false } = {}) {
    this.refusing = refusing;
    for (const pair of [...this.pairs]) {
      this.pairs.delete(pair);
      pair.client.resetAndDestroy?.() ?? pair.client.destroy();
      pair.gate.destroy();
    }
  }

  close() {
    clearInterval(this.timer);
    this.cut({ refusing: true });
    return new Promise((resolve) => this.server.close(resolve));
  }
}
