// The whole way: a real shell under the real daemon and gate, seen and used in real browsers.

import test, { after, before, describe } from 'node:test';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { lib, require, until } from '../web/setup.mjs';
import { barText, BROWSERS, chord, hasFocus, launch, open, paste, screenText } from './browser.mjs';
import { createHost, killHard } from '../integration/host.mjs';

const WebSocket = require('ws');
const openSocket = (url, protocol) => new WebSocket(url, protocol, { perMessageDeflate: false });
const T = lib.MessageType;
const SLOW_MS = 60_000;

for (const name of BROWSERS) {
  describe(name, () => {
    let running;
    before(async () => (running = await launch(name)));
    after(() => running?.close());
    suite(() => running, name);
  });
}

/** A host with one shared program (a shell where none is named), ended with the test. */
async function hosted(t, command, ...options) {
  const host = await createHost(t);
  const shared = await (command ? host.share(command, { options }) : host.shell({ options }));
  return { host, shared };
}

/** A page on a link that is live, closed with the test. */
async function visit(t, running, url, view) {
  const page = await open(running(), url, view);
  t.after(() => page.close());
  await shows(page, 'Live');
  await until(() => hasFocus(page), 'the terminal');
  return page;
}

const shows = (page, text) => until(async () => (await barText(page)).startsWith(text), `"${text}" in the bar`, SLOW_MS);
const screenHas = (page, pattern) => until(async () => pattern.test(await screenText(page)), `${pattern} on the screen`, SLOW_MS);
const bodyHas = (page, text) => until(() => page.evaluate((wanted) => document.body.innerText.includes(wanted), text), `"${text}" on the page`, SLOW_MS);

async function enter(page, line) {
  await page.keyboard.type(line);
  await page.keyboard.press('Enter');
}

function suite(running, name) {
  test('opens the link, sees the prompt, types, sees the answer', async (t) => {
    const { shared } = await hosted(t);
    const page = await visit(t, running, shared.write);
    await screenHas(page, /\$ *$/);
    await enter(page, 'echo $((6 * 7)) "$TERM" "$COLORTERM"');
    await screenHas(page, /^42 xterm-256color truecolor$/m);
    assert.deepEqual(page.complaints, []);
  });

  test('an idle shell shows its screen to a reader at once; no key, no SIGWINCH', async (t) => {
    const { host, shared } = await hosted(t);
    await host.vitrine('send-keys', '-t', shared.pane, 'trap "echo WINCHED" WINCH; echo re""ady', 'Enter');
    await until(async () => /^ready$/m.test(await host.screen(shared.pane)), 'the shell');
    const before = await host.screen(shared.pane);
    const page = await visit(t, running, shared.view, { width: 500, height: 400 });
    await screenHas(page, /^ready$/m);
    await bodyHas(page, 'Read-only');
    await page.keyboard.type('x');
    await bodyHas(page, 'lets you watch');
    await host.vitrine('send-keys', '-t', shared.pane, 'echo do""ne', 'Enter');
    await screenHas(page, /^done$/m);
    const screen = await host.screen(shared.pane);
    assert.ok(screen.startsWith(before) && !/^WINCHED/m.test(screen), screen);
  });

  test('pastes a megabyte into a raw-mode reader, byte for byte', async (t) => {
    const { shared } = await hosted(t);
    const page = await visit(t, running, shared.write);
    const text = Array.from({ length: 1 << 20 }, (_, i) => String.fromCharCode(33 + ((i * 31 + (i >> 8)) % 94))).join('');
    await enter(page, 'stty raw -echo; echo re""ady; head -c 1048576 | sha256sum; stty sane');
    await screenHas(page, /^ready$/m);
    await paste(page, text);
    await screenHas(page, new RegExp(createHash('sha256').update(text).digest('hex')));
    await enter(page, 'echo still he""re');
    await screenHas(page, /still here/);
    assert.deepEqual(page.complaints, []);
  });

  test('bracketed paste where the program asked for it', async (t) => {
    const { shared } = await hosted(t);
    const page = await visit(t, running, shared.write);
    await enter(page, 'stty -echo -icanon; printf "\\e[?2004hre""ady\\n"; head -c 15 | od -An -c; stty sane');
    await screenHas(page, /^ready$/m);
    await paste(page, 'abc');
    await screenHas(page, /033 *\[ *2 *0 *0 *~ *a *b *c *033 *\[ *2 *0 *1 *~/);
  });

  test('a reload in the middle of a build shows everything so far, as the same viewer', async (t) => {
    const { host, shared } = await hosted(t);
    const page = await visit(t, running, shared.write);
    await enter(page, 'for i in $(seq 1 200); do echo step $i; done');
    await screenHas(page, /^step 200$/m);
    const [{ id }] = await host.json('viewers', '--json');
    await page.reload();
    await shows(page, 'Live');
    await screenHas(page, /^step 200$/m);
    const viewers = await host.json('viewers', '--json');
    assert.deepEqual(viewers.map((viewer) => viewer.id), [id]);
    await page.focus('.xterm-helper-textarea');
    for (let i = 0; i < 12; i++) await chord(page, ['Shift', 'PageUp']);
    await screenHas(page, /^step 1$/m);
  });

  test('the gate dies while somebody types: same port, same link, no key lost or doubled', async (t) => {
    const { host, shared } = await hosted(t);
    const page = await visit(t, running, shared.write);
    await screenHas(page, /\$ *$/);
    await page.keyboard.type('echo abc');
    await screenHas(page, /echo abc/);
    const { pid: old } = await host.gate();
    await killHard(old);
    await page.keyboard.type('def');
    await until(async () => ![0, old].includes((await host.gate()).pid), 'a new gate', SLOW_MS);
    await page.keyboard.type('ghi');
    await page.keyboard.press('Enter');
    await screenHas(page, /^abcdefghi$/m);
    await shows(page, 'Live');
    const other = await visit(t, running, shared.view);
    await screenHas(other, /^abcdefghi$/m);
  });

  test('a host that stops answering is said to be away within 10 s, and is back when it is', { skip: name !== 'chrome' && 'once is enough' }, async (t) => {
    const { host, shared } = await hosted(t);
    const page = await visit(t, running, shared.write);
    const { pid } = await host.info();
    process.kill(pid, 'SIGSTOP');
    try {
      await until(async () => (await barText(page)).startsWith('Host away'), 'the state', 12_000);
      await page.keyboard.type('echo la""ter');
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await shows(page, 'Live');
    await page.keyboard.press('Enter');
    await screenHas(page, /^later$/m);
  });

  test('two watch, one types: both see; the count is right and falls again', async (t) => {
    const { shared } = await hosted(t);
    const writer = await visit(t, running, shared.write);
    const reader = await open(running(), shared.view);
    await shows(reader, 'Live');
    await bodyHas(reader, '2 viewers');
    await writer.bringToFront();
    await enter(writer, 'echo bo""th');
    await screenHas(writer, /^both$/m);
    await reader.bringToFront(); // browsers draw only what is in front
    await screenHas(reader, /^both$/m);
    await reader.close();
    await bodyHas(writer, '1 viewer');
  });

  test('leaving a full-screen program shows what was there before', async (t) => {
    const { host, shared } = await hosted(t);
    await host.vitrine('send-keys', '-t', shared.pane, 'echo be""fore; printf "\\e[?1049h\\e[H\\e[7mfull screen\\e[0m"; read -rsn1; printf "\\e[?1049l"; echo after', 'Enter');
    await until(async () => (await host.screen(shared.pane)).includes('full screen'), 'the alternate screen', SLOW_MS);
    const page = await visit(t, running, shared.write);
    await screenHas(page, /full screen/);
    assert.doesNotMatch(await screenText(page), /before/);
    await page.keyboard.press('x');
    await screenHas(page, /^before$[^]*^after$/m);
  });

  test('exit: the last screen stays, "exited 0", nothing reconnects', async (t) => {
    const { shared } = await hosted(t);
    const page = await visit(t, running, shared.write);
    await enter(page, 'echo last wo""rds; exit');
    await shows(page, 'Ended, exited 0');
    await screenHas(page, /^last words$/m);
  });

  test('an exit status and a signal are told', async (t) => {
    const { shared } = await hosted(t, ['sh', '-c', 'read line; exit 3']);
    const page = await visit(t, running, shared.write);
    await page.keyboard.press('Enter');
    await shows(page, 'Ended, exited 3');
    const killed = await hosted(t, ['sh', '-c', 'read line; kill -9 $$']);
    const other = await visit(t, running, killed.shared.write);
    await other.keyboard.press('Enter');
    await shows(other, 'Ended, killed by SIGKILL');
  });

  test('kicked and unshared viewers are told, and do not come back by themselves', async (t) => {
    const { host, shared } = await hosted(t);
    const page = await visit(t, running, shared.view);
    const other = await visit(t, running, shared.write);
    const viewers = await host.json('viewers', '--json');
    await host.vitrine('kick', String(viewers.find(({ role }) => role === 'spectator').id));
    await shows(page, 'Removed');
    await host.vitrine('unshare', '-t', shared.pane);
    await until(async () => !['Live', 'Connecting…'].includes(await barText(other)), 'the end', SLOW_MS);
    assert.match(await barText(other), /^(Link revoked|Ended)/);
    const again = await open(running(), shared.view);
    await until(async () => /^(Link revoked|Ended|Link does not work)/.test(await barText(again)), 'refusal', SLOW_MS);
    await again.close();
  });

  test('a pane larger than the window is scaled; its size is untouched', async (t) => {
    const { host, shared } = await hosted(t, undefined, '-x', '150', '-y', '45');
    const page = await visit(t, running, shared.write, { width: 800, height: 500 });
    await bodyHas(page, '%');
    await enter(page, 'stty size');
    await screenHas(page, /^45 150$/m);
    assert.match(await host.screen(shared.pane), /^45 150$/m);
  });
}

test('a reader that sends INPUT is cut off by the daemon, and nothing is typed', async (t) => {
  const { host, shared } = await hosted(t);
  const viewer = new lib.Viewer({ link: shared.view, openSocket });
  t.after(() => viewer.stop());
  viewer.start();
  await until(() => viewer.state.kind === 'live', 'live', SLOW_MS);
  const before = await host.screen(shared.pane);
  const cut = new Promise((resolve) => {
    const socket = viewer.connection.socket;
    const { onclose } = socket;
    socket.onclose = (event) => (resolve(event.code), onclose(event));
  });
  viewer.send(T.INPUT, { seq: 0, pane: Number(shared.pane.slice(1)), data: lib.utf8('echo evil\r') });
  assert.equal(await cut, 4002);
  await host.vitrine('send-keys', '-t', shared.pane, 'echo fi""ne', 'Enter');
  await until(async () => /^fine$/m.test(await host.screen(shared.pane)), 'the shell', SLOW_MS);
  assert.doesNotMatch(await host.screen(shared.pane), /evil/);
  assert.ok((await host.screen(shared.pane)).startsWith(before));
});
