// The page in real Chromium and real Firefox, against the small daemon of tests/web: what can be
// proven without a real shell. tests/e2e/share.test.mjs does the same with the real programs.

import test, { after, before, describe } from 'node:test';
import assert from 'node:assert/strict';
import { lib, readText, until } from '../web/setup.mjs';
import { FakeDaemon } from '../web/fake_daemon.mjs';
import { FILES } from '../web/known_answers.mjs';
import { barText, BROWSERS, hasFocus, launch, open, paste, screenText } from './browser.mjs';

const T = lib.MessageType;
const OWNER = { foreground: 0xd0d0d0, background: 0x101010, cursor: 0xffcc00, palette: [{ index: 1, rgb: 0xaa1122 }, { index: 2, rgb: 0x33cc44 }], font: '' };

for (const name of BROWSERS) {
  describe(name, () => {
    let running;
    before(async () => (running = await launch(name)));
    after(() => running?.close());
    suite(() => running, name);
  });
}

/** A daemon and a page on it, both ended with the test. */
async function visit(t, running, { daemon: daemonOptions, view, url = (daemon) => daemon.url } = {}) {
  const daemon = await FakeDaemon.start(daemonOptions);
  const page = await open(running(), url(daemon), view);
  t.after(async () => {
    await page.close();
    await daemon.down();
  });
  return { daemon, page };
}

async function visitLive(t, running, options) {
  const all = await visit(t, running, options);
  await shows(all.page, 'Live');
  await until(() => all.daemon.peer.last(T.ACK), 'the first ACK');
  await until(() => hasFocus(all.page), 'the terminal');
  return all;
}

const shows = (page, text) => until(async () => (await barText(page)).startsWith(text), `"${text}" in the bar`);
const screenHas = (page, text) => until(async () => (await screenText(page)).includes(text), `"${text}" on the screen`);
const bodyText = (page) => page.evaluate(() => document.body.innerText);
const inputs = (daemon) => daemon.peers.flatMap((peer) => peer.messages).filter(({ type }) => type === T.INPUT);
/** Waits until the page has rendered all the daemon sent so far, then a little output more. */
async function settled(daemon) {
  await daemon.output('\x1b[0m');
  const end = daemon.base + daemon.stream.length;
  const acked = () => daemon.peer.messages.some(({ type, fields }) => type === T.ACK && fields.panes.some(({ offset }) => offset === end));
  await until(acked, 'the ACK of everything');
}

function suite(running, name) {
  test('known answers of the cryptography', async (t) => {
    const daemon = await FakeDaemon.start();
    t.after(() => daemon.down());
    daemon.pages = { '/known.html': '<!doctype html><title>.</title><script type="module" src="/known.mjs"></script>', '/known.mjs': KNOWN_PAGE };
    for (const file of FILES) daemon.pages[`/vectors/${file}`] = readText(`tests/vectors/${file}.txt`);
    const page = await open(running(), `http://127.0.0.1:${daemon.port}/known.html`);
    const result = await until(() => page.evaluate(() => globalThis.knownAnswers), 'the answers');
    assert.deepEqual(result.wrong, []);
    assert.ok(result.checked > 150, `${result.checked} checks`);
    await page.close();
  });

  test('strict policy: colours, truecolor and font are right without WebGL', async (t) => {
    const keyframe = lib.utf8('\x1b[31mred\x1b[0m \x1b[42mgreen\x1b[0m \x1b[38;2;255;100;0mtrue\x1b[0m \x1b[48;2;1;2;3mback\x1b[0m iiiiMMMM');
    const { daemon, page } = await visitLive(t, running, { daemon: { keyframe } });
    await daemon.broadcast(T.THEME, OWNER);
    const colour = (text, property) =>
      page.evaluate((wanted, name) => {
        const spans = [...document.querySelectorAll('.xterm-rows span')];
        const span = spans.find((one) => one.textContent.includes(wanted));
        return span && getComputedStyle(span)[name];
      }, text, property);
    await until(async () => (await colour('red', 'color')) === 'rgb(170, 17, 34)', 'the owner’s red');
    assert.equal(await colour('green', 'backgroundColor'), 'rgb(51, 204, 68)');
    assert.equal(await colour('true', 'color'), 'rgb(255, 100, 0)');
    assert.equal(await colour('back', 'backgroundColor'), 'rgb(1, 2, 3)');
    assert.match(await colour('red', 'fontFamily'), /DejaVu Sans Mono/);
    assert.equal(await page.evaluate(() => document.querySelectorAll('.xterm canvas').length), 0);
    assert.equal(await widths(page), true);
    assert.deepEqual(page.complaints, []);
  });

  test('the link leaves the address bar; a reload resumes', async (t) => {
    const { daemon, page } = await visitLive(t, running);
    await daemon.output('before ');
    await screenHas(page, 'before');
    assert.ok(!page.url().includes('#'));
    await page.reload();
    await shows(page, 'Live');
    await screenHas(page, 'before');
    assert.equal(daemon.peer.viewer.id, 1);
    assert.ok(daemon.peer.last(T.JOIN).resumeToken.some((byte) => byte !== 0));
    const kept = await page.evaluate(() => JSON.stringify([Object.values(localStorage), Object.values(sessionStorage), document.cookie]));
    assert.equal(kept, '[[],[],""]');
  });

  test('types, and pastes a megabyte byte for byte', async (t) => {
    const { daemon, page } = await visitLive(t, running, { daemon: { echo: false } });
    await page.keyboard.type('echo é');
    await page.keyboard.press('Enter');
    await until(() => daemon.typedText === 'echo é\r', 'typed text');
    daemon.typed = [];
    const text = Array.from({ length: 1 << 20 }, (_, i) => 'abcdefghijklmnopqrstuvwxyz0123456789 é'[(i * 7) % 38]).join('');
    await paste(page, text);
    await until(() => daemon.typedText.length >= text.length, 'the paste', 60_000);
    assert.ok(daemon.typedText === text);
    daemon.typed = [];
    await daemon.output('\x1b[?2004h');
    await settled(daemon);
    await paste(page, 'one\ntwo');
    await until(() => daemon.typedText.endsWith('\x1b[201~'), 'bracketed paste');
    assert.equal(daemon.typedText, '\x1b[200~one\rtwo\x1b[201~');
    assert.deepEqual(page.complaints, []);
  });

  test('Ctrl-C copies a selection once, then interrupts', async (t) => {
    const { daemon, page } = await visitLive(t, running, { daemon: { echo: false, keyframe: lib.utf8('copythis') } });
    await screenHas(page, 'copythis');
    const box = await page.evaluate(() => document.querySelector('.xterm-screen').getBoundingClientRect().toJSON());
    await page.mouse.click(box.x + 20, box.y + 8, { count: 2 });
    await page.keyboard.down('Control');
    await page.keyboard.press('c');
    await until(async () => (await bodyText(page)).includes('Copied.'), 'the note');
    assert.equal(daemon.typedText, '');
    await page.keyboard.press('c');
    await page.keyboard.up('Control');
    await until(() => daemon.typedText === '\x03', 'the interrupt');
  });

  test('read-only: a mark, a hint when typing, and nothing is sent', async (t) => {
    const { daemon, page } = await visitLive(t, running, { daemon: { role: lib.Role.SPECTATOR } });
    assert.match(await bodyText(page), /Read-only/);
    await page.keyboard.type('x');
    await until(async () => (await bodyText(page)).includes('lets you watch'), 'the hint');
    await paste(page, 'y');
    await settled(daemon);
    assert.deepEqual(inputs(daemon), []);
    daemon.role = lib.Role.OPERATOR;
    await daemon.broadcast(T.ROLE, { role: 1, capabilities: 31, reason: 0 });
    await until(async () => (await bodyText(page)).includes('You may type now'), 'the grant');
    await page.keyboard.type('z');
    await until(() => daemon.typedText === 'z', 'the key');
  });

  test('queries are not answered, at a replay neither', async (t) => {
    const { daemon, page } = await visitLive(t, running, { daemon: { keyframe: lib.utf8(`\x1b[?1004h${QUERIES}`) } });
    await page.focus('.xterm-helper-textarea');
    await daemon.output(QUERIES);
    await settled(daemon);
    await page.keyboard.type('x');
    await until(() => daemon.typedText.includes('x'), 'the key');
    assert.equal(daemon.typedText, 'x');
  });

  test('focus and mouse reports are input, of operators only', async (t) => {
    const { daemon, page } = await visitLive(t, running, { daemon: { echo: false, keyframe: lib.utf8('\x1b[?1000h\x1b[?1006h\x1b[?1004h') } });
    const box = await page.evaluate(() => document.querySelector('.xterm-screen').getBoundingClientRect().toJSON());
    await page.mouse.click(box.x + 30, box.y + 30);
    await until(() => /\x1b\[<0;\d+;\d+M\x1b\[<0;\d+;\d+m$/.test(daemon.typedText), 'mouse reports');
    daemon.typed = [];
    await page.evaluate(() => document.activeElement.blur());
    await until(() => daemon.typedText === '\x1b[O', 'the focus report');
    daemon.typed = [];
    await daemon.broadcast(T.ROLE, { role: 0, capabilities: 24, reason: 0 });
    await settled(daemon);
    await page.mouse.click(box.x + 30, box.y + 30);
    await settled(daemon);
    assert.equal(daemon.typedText, '');
  });

  test('an outage while typing loses and doubles nothing', async (t) => {
    const { daemon, page } = await visitLive(t, running, { daemon: { echo: false } });
    await page.keyboard.type('abc');
    await until(() => daemon.typedText === 'abc', 'first keys');
    const { port } = daemon;
    await daemon.down();
    await shows(page, 'Reconnecting');
    await page.keyboard.type('def');
    await daemon.listen(port);
    await shows(page, 'Live');
    await page.keyboard.type('ghi');
    await until(() => daemon.typedText.length >= 9, 'last keys');
    assert.equal(daemon.typedText, 'abcdefghi');
  });

  test('a pane larger than the window is drawn smaller, whole, and that is said', async (t) => {
    const rows = Array.from({ length: 50 }, (_, i) => `line ${i + 1}`).join('\r\n');
    const { page } = await visitLive(t, running, { daemon: { cols: 200, rows: 50, keyframe: lib.utf8(`${rows}\x1b[200G#`) }, view: { width: 900, height: 600 } });
    await until(async () => (await bodyText(page)).includes('%'), 'the scale');
    const { screen, stage, overflows } = await geometry(page);
    assert.equal(overflows, false);
    assert.ok(screen.left >= stage.left && screen.right <= stage.right + 0.5, JSON.stringify({ screen, stage }));
    assert.ok(screen.top >= stage.top && screen.bottom <= stage.bottom + 0.5, JSON.stringify({ screen, stage }));
    await page.setViewport({ width: 420, height: 380 });
    await until(async () => (await geometry(page)).overflows, 'scrolling');
    assert.match(await bodyText(page), /^Scroll$/m);
  });

  test('a first visit with a large font shows the bottom line', async (t) => {
    const daemon = await FakeDaemon.start({ keyframe: lib.utf8('\x1b[24;1Hbottom line') });
    t.after(() => daemon.down());
    const page = await open(running(), `http://127.0.0.1:${daemon.port}/`);
    t.after(() => page.close());
    await page.evaluate(() => localStorage.setItem('vitrine.look', JSON.stringify({ fontPx: 32 })));
    await page.goto(daemon.url.replace('/#', '/?#'));
    await screenHas(page, 'bottom line');
    await until(async () => (await bodyText(page)).includes('%'), 'the scale');
    const { screen, stage, overflows } = await geometry(page);
    assert.equal(overflows, false);
    assert.ok(screen.bottom <= stage.bottom && screen.height > stage.height * 0.8, JSON.stringify({ screen, stage }));
  });

  test('panes side by side stand where the layout says; keys go to the one with the focus', async (t) => {
    const { daemon, page } = await visitLive(t, running, { daemon: { echo: false, cols: 40 } });
    const pane = (id, x, flags) => ({ id, x, y: 0, cols: 40, rows: 24, flags, title: `pane ${id}` });
    await daemon.broadcast(T.LAYOUT, { windows: [{ id: 1, flags: 9, name: 'one' }, { id: 2, flags: 0, name: 'two' }], cols: 81, rows: 24, panes: [pane(1, 0, 1), pane(2, 41, 0)] });
    await daemon.broadcast(T.KEYFRAME, { ...daemon.keyframeFields(0), pane: 2, vt: lib.utf8('second pane') });
    await screenHas(page, 'second pane');
    const boxes = () => page.evaluate(() => [...document.querySelectorAll('.xterm-screen')].map((one) => one.getBoundingClientRect().toJSON()));
    const [left, right] = await until(async () => ((await boxes())[1]?.left > (await boxes())[0].right ? boxes() : undefined), 'two panes');
    assert.ok(Math.abs(right.left - left.right - left.width / 40) < 1, JSON.stringify([left, right]));
    await page.mouse.click(right.x + 20, right.y + 20);
    await page.keyboard.type('x');
    await until(() => daemon.typedText === 'x', 'the key');
    assert.equal(inputs(daemon).at(-1).fields.pane, 2);
    await page.evaluate(() => [...document.querySelectorAll('.tab')].find((tab) => tab.textContent === 'two').click());
    await until(() => daemon.peer.last(T.VIEW)?.window === 2, 'VIEW');
    await daemon.broadcast(T.LAYOUT, { windows: [], cols: 40, rows: 24, panes: [pane(2, 0, 1)] });
    await until(async () => (await boxes()).length === 1, 'one pane');
  });

  test('the size changes only with a keyframe; SIZE says what the window could show', async (t) => {
    const { daemon, page } = await visitLive(t, running);
    await until(() => daemon.peer.last(T.SIZE), 'SIZE');
    const { cols, rows } = daemon.peer.last(T.SIZE);
    assert.ok(cols > 80 && cols < 160 && rows > 24 && rows < 60, `${cols}x${rows}`);
    daemon.cols = 100;
    daemon.rows = 30;
    await daemon.output('old text');
    await daemon.redraw('\x1b[30;100Hx\x1b[1;1Hnew text');
    await screenHas(page, 'new text');
    const rowsShown = await page.evaluate(() => document.querySelectorAll('.xterm-rows > div').length);
    assert.equal(rowsShown, 30);
    assert.ok(!(await screenText(page)).includes('old text'));
  });

  test('the place in the scrollback survives a keyframe', async (t) => {
    const lines = (from, to) => Array.from({ length: to - from }, (_, i) => `line ${from + i}`).join('\r\n');
    const { daemon, page } = await visitLive(t, running, { daemon: { keyframe: lib.utf8(lines(0, 200)) } });
    await screenHas(page, 'line 199');
    await page.focus('.xterm-helper-textarea');
    await page.keyboard.down('Shift');
    for (let i = 0; i < 3; i++) await page.keyboard.press('PageUp');
    await page.keyboard.up('Shift');
    const top = 'line 107'; // three pages of 23 lines above line 176
    await until(async () => (await screenText(page)).split('\n')[0] === top, 'scrolling up');
    await daemon.redraw(lines(20, 230), lib.KeyframeReason.HEAL, { firstLine: 20, historyLines: 186 });
    await settled(daemon);
    await until(async () => (await screenText(page)).split('\n')[0] === top, `"${top}" on top again`);
  });

  test('a long keyframe changes the picture once, nothing rushes by', async (t) => {
    const lines = (from, to) => Array.from({ length: to - from }, (_, i) => `\x1b[3${i % 8}mline ${from + i}\x1b[0m ${'x'.repeat(60)}`).join('\r\n');
    const { daemon, page } = await visitLive(t, running, { daemon: { keyframe: lib.utf8(lines(9900, 10000)) } });
    await screenHas(page, 'line 9999');
    await page.evaluate(() => {
      globalThis.pictures = new Set();
      const look = () => {
        const curtain = document.querySelector('.curtain');
        const rows = curtain ?? document.querySelector('.xterm-rows');
        pictures.add(rows.firstElementChild.textContent + (curtain ? getComputedStyle(curtain.querySelector('span')).color : ''));
        requestAnimationFrame(look);
      };
      look();
    });
    await daemon.redraw(`${lines(0, 10000)}\r\nthe end`, lib.KeyframeReason.HEAL, { historyLines: 9977 });
    await screenHas(page, 'the end');
    await until(() => page.evaluate(() => !document.querySelector('.curtain') && pictures.size > 2), 'the curtain to go');
    const seen = await page.evaluate(() => [...pictures].map((one) => one.replace(/ x+/, ' ').trim()));
    assert.deepEqual(seen.map((one) => one.split(' ')[1]), ['9976', '9976', '9977'], JSON.stringify(seen));
    assert.match(seen[1], /rgb\((?!0, 0, 0)/);
    assert.deepEqual(page.complaints, []);
  });

  test('key bar: sticky Ctrl then c is 0x03; arrows follow the cursor mode', async (t) => {
    const { daemon, page } = await visitLive(t, running, { daemon: { echo: false, keyframe: lib.utf8('\x1b[?1h') } });
    await page.click('.menu-button');
    await page.evaluate(() => [...document.querySelectorAll('dialog label')].find((one) => one.textContent === 'On-screen keys').querySelector('input').click());
    await page.keyboard.press('Escape');
    const press = (label) => page.click(`.keys button[aria-label="${label}"]`);
    await press('Ctrl, sticky');
    await page.keyboard.type('c');
    await press('Up arrow');
    await press('Escape');
    await press('Alt, sticky');
    await page.keyboard.type('x');
    await press('Ctrl, sticky');
    await press('Right arrow');
    await page.keyboard.type('w');
    const wanted = '\x03\x1bOA\x1b\x1bx\x1b[1;5Cw';
    await until(() => daemon.typedText.length >= wanted.length, 'keys');
    assert.equal(daemon.typedText, wanted);
  });

  test('a PIN is asked for; a wrong one is said to be wrong', async (t) => {
    const { daemon, page } = await visit(t, running, { daemon: { pin: '4711' } });
    await page.waitForSelector('input[aria-label="PIN"]');
    await page.type('input[aria-label="PIN"]', '1');
    await page.keyboard.press('Enter');
    await until(async () => (await bodyText(page)).includes('That was not it'), 'the answer');
    await page.type('input[aria-label="PIN"]', '4711');
    await page.keyboard.press('Enter');
    await shows(page, 'Live');
    assert.equal(daemon.peers.length, 1);
  });

  test('the end: exit status, last screen stays, nothing reconnects', async (t) => {
    const { daemon, page } = await visitLive(t, running);
    await daemon.output('last words');
    await daemon.broadcast(T.EXIT, { pane: 1, how: 0, status: 0 });
    await shows(page, 'Ended, exited 0');
    await daemon.broadcast(T.BYE, { reason: lib.ByeReason.ENDED, text: '' });
    await until(() => daemon.peer.state === 'closed', 'the close');
    assert.equal(await barText(page), 'Ended, exited 0');
    await screenHas(page, 'last words'); // drawn anew when the bar below takes its room
    assert.equal(daemon.peers.length, 1);
  });

  test('kicked: says so, offers no way back by itself', async (t) => {
    const { daemon, page } = await visitLive(t, running);
    await daemon.broadcast(T.BYE, { reason: lib.ByeReason.KICKED, text: '' });
    await shows(page, 'Removed');
    assert.equal(await page.evaluate(() => document.querySelector('.retry').hidden), true);
  });

  test('refused, damaged and missing links are told apart', async (t) => {
    const { page, daemon } = await visit(t, running, { daemon: { refuse: true } });
    await shows(page, 'Link does not work');
    const origin = `http://127.0.0.1:${daemon.port}`;
    for (const [hash, words] of [['#abc', 'This link is damaged'], ['', 'No link']]) {
      const other = await open(running(), `${origin}/${hash}`);
      await until(async () => (await bodyText(other)).includes(words), words);
      await other.close();
    }
  });

  test('a composed character arrives exactly once', { skip: name !== 'chrome' && 'only Chromium can be told to compose' }, async (t) => {
    const { daemon, page } = await visitLive(t, running, { daemon: { echo: false } });
    const devtools = await page.createCDPSession();
    const compose = (text) => devtools.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
    for (const text of ['n', 'ni', 'ni h', 'ni hao']) await compose(text);
    await devtools.send('Input.insertText', { text: '你好' });
    await until(() => daemon.typedText.length > 0, 'the characters');
    await devtools.send('Input.insertText', { text: '，' });
    await page.keyboard.type('x');
    await until(() => daemon.typedText.endsWith('x'), 'the next key');
    assert.equal(daemon.typedText, '你好，x');
  });

  test('find, menu and trust panel', async (t) => {
    const { page } = await visitLive(t, running, { daemon: { keyframe: lib.utf8('alpha beta\r\nAlpha gamma') } });
    await page.focus('.xterm-helper-textarea');
    await page.keyboard.down('Control');
    await page.keyboard.down('Shift');
    await page.keyboard.press('F');
    await page.keyboard.up('Shift');
    await page.keyboard.up('Control');
    await page.waitForSelector('.find:not([hidden])');
    await page.keyboard.type('alpha');
    await until(async () => (await bodyText(page)).includes('2 of 2'), 'hits');
    await page.keyboard.press('Escape');
    await page.focus('.xterm-helper-textarea'); // from the terminal, which takes Tab itself
    await page.keyboard.down('Control');
    await page.keyboard.down('Shift');
    await page.keyboard.press(' ');
    await page.keyboard.up('Shift');
    await page.keyboard.up('Control');
    await until(async () => /Host key\s+([0-9a-f]{4} ){7}[0-9a-f]{4}/.test(await bodyText(page)), 'the fingerprint');
    const nameless = await page.evaluate(() => [...document.querySelectorAll('button')].filter((one) => !(one.getAttribute('aria-label') || one.textContent)).length);
    assert.equal(nameless, 0);
    assert.deepEqual(page.complaints, []);
  });
}

test('the find bar fits a phone', async (t) => {
  const daemon = await FakeDaemon.start();
  const running = await launch('chrome');
  t.after(async () => {
    await running.close();
    await daemon.down();
  });
  const page = await open(running, daemon.url, { width: 390, height: 700 });
  await shows(page, 'Live');
  await page.evaluate(() => document.querySelector('.find').removeAttribute('hidden'));
  const { left, right } = await page.evaluate(() => document.querySelector('.find').getBoundingClientRect().toJSON());
  assert.ok(left >= 0 && right <= 390, `from ${left} to ${right}`);
});

test('plain http from another machine: says why, and the two ways out', async (t) => {
  const daemon = await FakeDaemon.start();
  const running = await launch('chrome', { args: ['--host-resolver-rules=MAP host.example 127.0.0.1'] });
  t.after(async () => {
    await running.close();
    await daemon.down();
  });
  const page = await open(running, daemon.url.replace('127.0.0.1', 'host.example'));
  await until(async () => /needs a secure connection/.test(await bodyText(page)), 'the reason');
  assert.match(await bodyText(page), /https in front of it[^]*tunnel/);
  assert.equal(daemon.peers.length, 0);
  assert.ok(!page.url().includes('#'));
});

const widths = (page) =>
  page.evaluate(() => {
    const row = [...document.querySelectorAll('.xterm-rows > div')].find((one) => one.textContent.includes('iiiiMMMM'));
    const node = [...row.querySelectorAll('span')].find((one) => one.textContent.includes('iiiiMMMM')).firstChild;
    const at = node.textContent.indexOf('iiii');
    const width = (from) => {
      const range = document.createRange();
      range.setStart(node, from);
      range.setEnd(node, from + 4);
      return range.getBoundingClientRect().width;
    };
    return Math.abs(width(at) - width(at + 4)) < 0.5;
  });

const geometry = (page) =>
  page.evaluate(() => {
    const box = (selector) => document.querySelector(selector).getBoundingClientRect().toJSON();
    const overflows = document.querySelector('.stage').classList.contains('overflows');
    return { screen: box('.xterm-screen'), stage: box('.stage'), overflows };
  });

const QUERIES =
  '\x1b[c\x1b[>c\x1b[=c\x1b[5n\x1b[6n\x1b[?6n\x1b[?25$p\x1b[4$p\x1bP$qm\x1b\\\x1bP+q544e\x1b\\' +
  '\x1b]4;1;?\x07\x1b]4;1;?;2;rgb:00/00/00\x07\x1b]10;?\x07\x1b]11;?\x07\x1b]12;?\x07\x1b]52;c;?\x07' +
  '\x1b[14t\x1b[16t\x1b[18t\x1b[21t\x1b[>q\x1b[?u\x1b[x\x1b[?1004h\x1b[?2026$p';

const KNOWN_PAGE = `
import * as lib from '/lib/crypto.mjs';
import { FILES, runKnownAnswers } from '/tests/known_answers.mjs';
const texts = {};
for (const name of FILES) texts[name] = await (await fetch('/vectors/' + name)).text();
runKnownAnswers(lib, texts).then((result) => (globalThis.knownAnswers = result), (error) => (globalThis.knownAnswers = { checked: 0, wrong: [String(error)] }));
`;
