// Whoever comes late sees what those see who were there all the time, and the program notices nothing.

import test, { describe } from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { lib } from '../web/setup.mjs';
import { DEADLINE_MS, createHost, until } from '../integration/host.mjs';
import { Peer, joinOf } from '../integration/peer.mjs';

const T = lib.MessageType;
const RING_BYTES = 256 << 10;

const shell = (script) => ['bash', '--norc', '-c', script];

/** Two screens are alike in what a person and a program would notice. */
function assertAlike(late, early) {
  const state = ({ screen, viewer }) => {
    const { term } = screen;
    const { active } = term.buffer;
    return { type: active.type, cursor: [active.cursorX, active.cursorY], size: [term.cols, term.rows], modes: { ...term.modes },
      lines: Array.from({ length: term.rows }, (_, y) => active.getLine(active.baseY + y)?.translateToString(true)) };
  };
  assert.deepEqual(state(late), state(early));
}

describe('joining late', { concurrency: 4 }, () => {
  test('an idle shell shows its screen at once, to a reader too; no key is needed and no SIGWINCH sent', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(shell("trap 'echo WINCHED' WINCH; PS1='$ '; echo 'all quiet'; while :; do read -t 1000 x; done"));
    await host.sees(shared.pane, /all quiet/);
    for (const link of [shared.view, shared.write, shared.view]) {
      const viewer = await host.join(link, { size: { cols: 20, rows: 5 } });
      await viewer.sees(/all quiet/);
    }
    await host.type(shared.pane, 'x', 'Enter');
    await host.sees(shared.pane, /^all quiet\nx$/); // and nothing that a signal would have added
  });

  test('modes set before more output than is kept are there: alternate screen, mouse, bracketed paste, cursor keys', async (t) => {
    const host = await createHost(t);
    const line = 'x'.repeat(70);
    const shared = await host.share(shell(
      `printf '\\033[?1049h\\033[?1003h\\033[?1006h\\033[?2004h\\033[?1h\\033='; yes ${line} | head -c ${3 * RING_BYTES}; printf 'the end'; exec cat`));
    await host.sees(shared.pane, /the end/);
    const late = await host.join(shared.view);
    await late.sees(/the end/);
    const { term } = late.screen;
    assert.equal(term.buffer.active.type, 'alternate');
    assert.deepEqual([term.modes.bracketedPasteMode, term.modes.mouseTrackingMode, term.modes.applicationCursorKeysMode, term.modes.applicationKeypadMode], [true, 'any', true, true]);
    assert.equal(late.screen.core.coreMouseService.activeEncoding, 'SGR');
  });

  test('a full-screen program is left: what was there before appears, scrollback included', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(shell("seq 100; echo before; printf '\\033[?1049h\\033[H\\033[2Jfull screen'; read x; printf '\\033[?1049l'; echo after; exec cat"));
    await host.sees(shared.pane, /full screen/);
    const viewer = await host.join(shared.write);
    await viewer.sees(/full screen/);
    assert.doesNotMatch(viewer.text(), /before/);
    viewer.type(shared.pane, '\r');
    await viewer.sees(/before\n+after/);
    assert.match(viewer.text(), /^1\n2\n3\n/);
    assert.equal(viewer.text(), await host.screen(shared.pane, '-S', '-'));
  });

  test('somebody who comes in the middle of a flood ends with the same screen as one there from the start', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(shell("read x; for i in $(seq 3000); do printf '\\033[3%dmline %d\\033[0m of many\\n' $((i % 8)) $i; done; echo over; exec cat"));
    const early = await host.join(shared.write);
    early.type(shared.pane, '\r');
    const late = [];
    for (let i = 0; i < 5; i++) late.push(await host.join(shared.view));
    for (const viewer of [early, ...late]) await viewer.sees(/^over$/m);
    for (const viewer of late) assertAlike(viewer, early);
  });

  test('three viewers, and a program that asks its terminal: exactly one answer to each question', async (t) => {
    const host = await createHost(t);
    const out = path.join(host.dir, 'answers');
    // The last question's answer comes behind every answer there was to the others.
    const ask = "stty raw -echo; read -r -n1 x; printf '\\033[6n\\033[c\\033[>c\\033]11;?\\033\\\\\\033[?2004$p'; IFS= read -r -d y one; " +
      "printf '\\033[5n'; IFS= read -r -d n two";
    const shared = await host.share(shell(`${ask}; printf '%sy%sn' "$one" "$two" >${out}.new; mv ${out}.new ${out}; exec cat`));
    const viewers = [await host.join(shared.write), await host.join(shared.write), await host.join(shared.view)];
    viewers[0].type(shared.pane, 'g');
    await until(() => existsSync(out), 'the answers', DEADLINE_MS);
    const answers = readFileSync(out, 'latin1');
    const count = (pattern) => [...answers.matchAll(pattern)].length;
    const rows = { cursor: /\x1b\[\d+;\d+R/g, da1: /\x1b\[\?[\d;]+c/g, da2: /\x1b\[>[\d;]+c/g, background: /\x1b\]11;rgb:[^\x1b\x07]+(\x1b\\|\x07)/g, mode: /\x1b\[\?2004;\d\$y/g, last: /\x1b\[0n/g };
    for (const [name, pattern] of Object.entries(rows)) assert.equal(count(pattern), 1, `${name}: ${JSON.stringify(answers)}`);
    // Nobody's terminal answers when it is shown the questions again.
    const late = await host.join(shared.write);
    await late.until(() => late.stream.length > 0, 'the keyframe');
    for (const viewer of [...viewers, late]) assert.equal(viewer.viewer.input.waiting, 0);
    assert.deepEqual((await host.json('viewers', '--json')).map((one) => one.input_bytes).sort(), [0, 0, 0, 1]);
  });

  test('a program asks with no viewer connected, and before anything was shared: it is answered', async (t) => {
    const host = await createHost(t);
    const ask = "stty raw -echo; printf '\\033[c'; IFS= read -r -d c answer; stty sane; printf 'got %q\\n' \"$answer\"; exec cat";
    await host.vitrine('new', '-d', '-s', 'plain', 'bash', '--norc', '-c', ask);
    await host.sees('plain', /got .*\[\\?\?/);
    const shared = await host.share(shell(ask));
    await host.sees(shared.pane, /got .*\[\\?\?/);
  });
});

describe('sizes', { concurrency: 4 }, () => {
  test('a read-only viewer with a small window, and an operator too: the program’s size is untouched', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(shell('stty size; exec cat'), { options: ['-x', '100', '-y', '30'] });
    for (const link of [shared.view, shared.write]) {
      const viewer = await host.join(link, { size: { cols: 20, rows: 5 } });
      viewer.send(T.SIZE, { cols: 10, rows: 4 });
      await viewer.sees(/30 100/);
      const peer = await Peer.open(t, link);
      await peer.send(T.JOIN, joinOf({ cols: 1, rows: 1 }));
      await peer.send(T.SIZE, { cols: 65535, rows: 65535 });
      await peer.answers();
      assert.deepEqual([viewer.screen.term.cols, viewer.screen.term.rows], [100, 30]);
    }
    const [pane] = await host.json('list-panes', '--json', '-t', shared.pane);
    assert.deepEqual([pane.cols, pane.rows], [100, 30]);
  });
});
