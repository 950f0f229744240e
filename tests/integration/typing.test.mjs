// What is typed and pasted reaches the program, whole and in order, whatever the program does.

import test, { describe } from 'node:test';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { lib } from '../web/setup.mjs';
import { DEADLINE_MS, createHost, residentBytes, until } from './host.mjs';
import { Peer, inputOf } from './peer.mjs';

const T = lib.MessageType;
const MEGABYTE = 1 << 20;
const KEPT_BYTES = 64 << 10;

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** Every byte value, no two neighbours of a run alike. */
function bytesOf(length, seed) {
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++) bytes[i] = (i * 31 + (i >> 8) * 7 + seed) & 0xff;
  return bytes;
}

/** A program that reads so many raw bytes and prints their hash. */
const hasher = (length) => ['bash', '--norc', '-c', `stty raw -echo; echo ready; head -c ${length} | sha256sum; stty sane; echo over; exec cat`];

/** A program that does not read; ISIG as given. It says when it was interrupted. */
const deaf = (isig) => ['bash', '--norc', '-c',
  `trap 'stty sane; echo interrupted; exec cat' INT; stty -icanon -echo ${isig ? 'isig' : '-isig'}; echo ready; sleep 1000 & wait`];

/** Waits until a number that fits does not change any more. */
async function stable(read, fits) {
  let before = -1;
  let same = 0;
  await until(async () => {
    const now = await read();
    same = now === before && fits(now) ? same + 1 : 0;
    before = now;
    return same >= 3;
  }, 'a number to settle', DEADLINE_MS);
}

describe('typing', { concurrency: 4 }, () => {
  test('a megabyte into a raw-mode reader, byte for byte; still connected', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(hasher(MEGABYTE));
    const viewer = await host.join(shared.write);
    await viewer.sees(/ready/);
    const paste = bytesOf(MEGABYTE, 1);
    viewer.type(shared.pane, paste);
    await viewer.sees(new RegExp(sha256(paste)));
    await viewer.until(() => viewer.viewer.input.waiting === 0, 'everything taken');
    assert.equal(viewer.welcomes.length, 1);
    await viewer.sees(/over/); // the terminal is its usual self again
    viewer.type(shared.pane, 'still here\r');
    await viewer.sees(/still here\r?\nstill here/);
  });

  test('the same in bracketed-paste mode: the markers stand around it, once', async (t) => {
    const host = await createHost(t);
    const paste = Buffer.from(`\x1b[200~${'line of text\r'.repeat(MEGABYTE / 13 | 0)}\x1b[201~`);
    const shared = await host.share(['bash', '--norc', '-c', `stty raw -echo; printf 'ready\\033[?2004h'; head -c ${paste.length} | sha256sum; exec cat`]);
    const viewer = await host.join(shared.write);
    await viewer.sees(/ready/);
    assert.ok(viewer.screen.term.modes.bracketedPasteMode, 'the viewer knows the mode');
    viewer.type(shared.pane, paste);
    await viewer.sees(new RegExp(sha256(paste)));
  });

  test('keys typed one by one arrive in order, from two operators whole', async (t) => {
    const host = await createHost(t);
    const script = 'stty raw -echo; echo ready; head -c 4000 >got; stty sane; tr -d b <got | sha256sum; tr -d a <got | sha256sum; exec cat';
    const shared = await host.share(['bash', '--norc', '-c', script], { options: ['-c', host.home] });
    const [one, two] = [await host.join(shared.write), await host.join(shared.write)];
    await one.sees(/ready/);
    for (let i = 0; i < 1000; i++) {
      one.type(shared.pane, 'a');
      two.type(shared.pane, 'b');
      one.type(shared.pane, 'a');
      two.type(shared.pane, 'b');
    }
    await one.sees(new RegExp(sha256('a'.repeat(2000))));
    await one.sees(new RegExp(sha256('b'.repeat(2000))));
  });

  test('typed bytes are TAKEN; seq goes on; what is repeated is ignored', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['cat']);
    const peer = await Peer.join(t, shared.write);
    await peer.send(T.INPUT, inputOf(shared.pane, 0, 'abc'));
    assert.equal((await peer.got(T.TAKEN)).inputNext, 3);
    await peer.send(T.INPUT, inputOf(shared.pane, 0, 'abcdef'));
    await peer.send(T.INPUT, inputOf(shared.pane, 2, 'cde'));
    await peer.send(T.INPUT, inputOf(shared.pane, 6, '\r'));
    await peer.got(T.TAKEN, ({ inputNext }) => inputNext === 7);
    await host.sees(shared.pane, /^abcdef\nabcdef$/);
    await peer.send(T.INPUT, inputOf(shared.pane, 8, 'gap'));
    assert.equal((await peer.closed).code, 4002);
    assert.equal(await host.screen(shared.pane), 'abcdef\nabcdef');
  });

  test('a program that does not read: nothing grows beyond 64 KiB per viewer, more is malformed', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(deaf(false));
    const peer = await Peer.join(t, shared.write);
    await host.sees(shared.pane, /ready/);
    const seq = await peer.type(shared.pane, bytesOf(6 * KEPT_BYTES, 3), { untilFull: true });
    assert.equal(peer.wire.end, undefined, 'an honest viewer is not cut off');
    await peer.send(T.INPUT, inputOf(shared.pane, seq, bytesOf(16 << 10, 4)));
    assert.equal((await peer.closed).code, 4002);
  });

  for (const isig of [true, false]) {
    test(`Ctrl-C when the program does not read and its queue is full, ISIG ${isig ? 'set: it is interrupted' : 'unset: it is a byte like others'}`, async (t) => {
      const host = await createHost(t);
      const shared = await host.share(deaf(isig));
      const viewer = await host.join(shared.write);
      await viewer.sees(/ready/);
      viewer.type(shared.pane, bytesOf(4 * KEPT_BYTES, 5).map((byte) => 97 + (byte % 26)));
      await stable(async () => {
        await host.json('viewers', '--json'); // a round trip through the daemon
        return viewer.viewer.input.waiting;
      }, (waiting) => waiting > 0 && waiting < 4 * KEPT_BYTES);
      // the page would queue it behind the paste; another operator's key comes alone
      const other = await host.join(shared.write);
      other.type(shared.pane, '\x03');
      if (isig) {
        await other.sees(/interrupted/);
        await viewer.until(() => viewer.viewer.input.waiting === 0, 'the queue to move');
      } else {
        await Promise.all([1, 2, 3].map(() => host.json('viewers', '--json')));
        assert.doesNotMatch(other.text(), /interrupted/);
      }
    });
  }

  for (const typed of [5000, 20_000, 500_000]) {
    test(`a lone interrupt goes past what the same viewer typed before it, ${typed} bytes or what fits, which are discarded`, async (t) => {
      const host = await createHost(t);
      const shared = await host.share(deaf(true));
      const peer = await Peer.join(t, shared.write);
      await host.sees(shared.pane, /ready/);
      const seq = await peer.type(shared.pane, new Uint8Array(typed).fill(0x78), { untilFull: true });
      await peer.send(T.INPUT, inputOf(shared.pane, seq, '\x03'));
      await peer.got(T.TAKEN, ({ inputNext }) => inputNext === seq + 1);
      await host.sees(shared.pane, /interrupted/);
      await peer.send(T.INPUT, inputOf(shared.pane, seq + 1, 'fresh\r'));
      const { screen } = await host.sees(shared.pane, /fresh\n+fresh/);
      assert.doesNotMatch(screen, /x/);
    });
  }

  test('input for a pane that is not there is taken and answered with a notice, not cut off', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['cat']);
    const peer = await Peer.join(t, shared.write);
    await peer.send(T.INPUT, inputOf(4711, 0, 'lost'));
    assert.equal((await peer.got(T.NOTICE)).code, lib.NoticeCode.NOT_DELIVERED);
    assert.equal((await peer.got(T.TAKEN)).inputNext, 4);
    await peer.answers();
  });

  test('send-keys to a program that does not read says how much was not delivered', async (t) => {
    const host = await createHost(t);
    await host.vitrine('new', '-d', '-s', 'deaf', deaf(false)[3]);
    await host.sees('deaf', /ready/);
    let failed;
    for (let i = 0; i < 20 && !failed; i++) {
      const result = await host.run(['send-keys', '-t', 'deaf', '-l', 'k'.repeat(20_000)]);
      if (result.code !== 0) failed = result;
    }
    assert.equal(failed?.code, 1);
    assert.match(failed.stderr, /does not read: \d+ of 20000 bytes were not delivered/);
  });

  test('much typed by many operators at a program that does not read: memory stays bounded', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(deaf(false));
    const { pid } = await host.info();
    const before = residentBytes(pid);
    const viewers = await Promise.all(Array.from({ length: 8 }, () => host.join(shared.write)));
    for (const viewer of viewers) viewer.type(shared.pane, bytesOf(MEGABYTE, 9));
    await stable(async () => {
      await host.json('viewers', '--json'); // a round trip through the daemon
      return viewers.reduce((sum, { viewer }) => sum + viewer.input.waiting, 0);
    }, (waiting) => waiting < 8 * MEGABYTE);
    assert.ok(residentBytes(pid) - before < 24 * MEGABYTE, `${residentBytes(pid) - before} bytes more`);
    await host.vitrine('kill-session', '-t', shared.pane);
    for (const viewer of viewers) await viewer.bye();
  });

  test('a viewer that stops reading while it owes input, when the program ends: only itself is hurt', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(deaf(false));
    const [{ pid }] = await host.json('list-panes', '--json', '-t', shared.pane);
    const peer = await Peer.join(t, shared.write);
    await host.sees(shared.pane, /ready/);
    await peer.type(shared.pane, bytesOf(6 * KEPT_BYTES, 3), { untilFull: true });
    peer.wire.socket.pause();
    const ping = lib.encode(T.VIEWER_PING, { value: 7 });
    const isAway = async () => (await host.json('viewers', '--json'))[0].away;
    await until(async () => { // how many answers fit between here and the daemon is the kernel's choice
      for (let i = 0; i < 10_000; i++) await peer.sendBody(T.VIEWER_PING, ping);
      return isAway();
    }, 'the daemon to cut it off', 6 * DEADLINE_MS);
    process.kill(pid, 'SIGKILL');
    await until(async () => (await host.json('shares', '--json'))[0]?.ended !== false, 'the end', DEADLINE_MS);
    assert.ok((await host.info()).pid > 0);
  });
});
