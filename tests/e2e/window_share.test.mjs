// Shares of windows and sessions the whole way: real shells under the real daemon and gate, several
// panes on the page, in real browsers.

import test, { after, before, describe } from 'node:test';
import assert from 'node:assert/strict';
import { until } from '../web/setup.mjs';
import { BROWSERS, barText, chord, hasFocus, launch, open } from './browser.mjs';
import { createHost, linkOf } from '../integration/host.mjs';
import { bodyText, boxOf, dragBy, menuItem, paneText, shownPanes, tabNames, tick } from './panes.mjs';

const SLOW_MS = 60_000;
const SHELL = ['bash', '--norc', '--noprofile'];

for (const name of BROWSERS) {
  describe(name, () => {
    let running;
    before(async () => (running = await launch(name)));
    after(() => running?.close());
    suite(() => running, name);
  });
}

/** A host with a session `work` of one shell. */
async function withSession(t, cols = 120, rows = 30) {
  const host = await createHost(t);
  await host.vitrine('new-session', '-d', '-s', 'work', '-n', 'one', '-x', String(cols), '-y', String(rows), '--', ...SHELL);
  return host;
}

async function share(host, ...options) {
  const shared = await host.json('share', '--json', '-d', '--write', '-t', 'work', ...options);
  return { view: linkOf(shared, 'spectator'), write: linkOf(shared, 'operator') };
}

/** A live page; what the console says, and any request to another place, fails the test. */
async function visit(t, running, url, view) {
  const page = await open(running(), url, view);
  const foreign = [];
  page.on('request', (request) => new URL(request.url()).origin === new URL(url).origin || foreign.push(request.url()));
  t.after(async () => {
    const { complaints } = page;
    await page.close();
    assert.deepEqual(complaints, []);
    assert.deepEqual(foreign, []);
  });
  await until(async () => (await barText(page)) === 'Live', 'the connection', SLOW_MS);
  await until(() => hasFocus(page), 'the terminal', SLOW_MS);
  return page;
}

const panesAre = (page, n) => until(async () => (await shownPanes(page)).length === n, `${n} panes`, SLOW_MS);
const paneHas = (page, at, pattern) => until(async () => pattern.test(await paneText(page, at)), `${pattern} in pane ${at}`, SLOW_MS);
const says = (page, text) => until(async () => (await bodyText(page)).includes(text), `"${text}" on the page`, SLOW_MS);
const focusedAt = async (page) => (await shownPanes(page)).findIndex(({ focused }) => focused);

async function enter(page, line) {
  await page.keyboard.type(line);
  await page.keyboard.press('Enter');
}

function suite(running, name) {
  test('a window: its panes in their places; keys go to the focused one; an operator splits and closes', async (t) => {
    const host = await withSession(t);
    await host.vitrine('split-window', '-h', '-t', 'work', '--', ...SHELL);
    const { view, write } = await share(host, '--window');
    const page = await visit(t, running, write);
    const reader = await visit(t, running, view);
    await page.bringToFront();
    await panesAre(page, 2);
    const [left, right] = await shownPanes(page);
    const cell = left.screen.width / 60;
    assert.ok(Math.abs(right.screen.left - left.screen.left - 61 * cell) < 2, JSON.stringify([left, right]));
    assert.equal(await focusedAt(page), 1);
    await enter(page, 'echo ri""ght');
    await paneHas(page, 1, /^right$/m);
    await chord(page, ['Control', 'F6']);
    await enter(page, 'echo le""ft');
    await paneHas(page, 0, /^left$/m);
    assert.doesNotMatch(await paneText(page, 1), /left/);
    await menuItem(page, 'Split: new pane below');
    await panesAre(page, 3);
    await until(async () => (await focusedAt(page)) !== 0 && hasFocus(page), 'the new pane', SLOW_MS);
    await enter(page, 'echo be""low');
    const at = await focusedAt(page);
    await paneHas(page, at, /^below$/m);
    assert.equal((await host.vitrine('list-panes', '-t', 'work')).trim().split('\n').length, 3);
    await menuItem(page, 'Close this pane…');
    await tick(page, '.popup .danger');
    await panesAre(page, 2);
    await reader.bringToFront();
    await panesAre(reader, 2);
    await paneHas(reader, 0, /^left$/m);
    assert.match(await bodyText(reader), /Read-only/);
    assert.equal(await reader.evaluate(() => document.querySelectorAll('.handle').length), 0);
  });

  test('zoom, a dragged border, and another’s resize', async (t) => {
    const host = await withSession(t);
    await host.vitrine('split-window', '-h', '-t', 'work', '--', ...SHELL);
    const { write } = await share(host, '--window');
    const page = await visit(t, running, write);
    await panesAre(page, 2);
    await menuItem(page, 'Zoom this pane');
    await panesAre(page, 1);
    await until(async () => (await shownPanes(page))[0]?.screen.width > 700, 'the whole window', SLOW_MS);
    await until(async () => /zoomed/i.test(await page.title()), 'the word', SLOW_MS);
    await menuItem(page, 'Unzoom this pane');
    await panesAre(page, 2);
    const widths = async () => (await host.vitrine('list-panes', '-t', 'work', '-F', '#{pane_width}')).trim();
    assert.equal(await widths(), '60\n59');
    const cell = (await shownPanes(page))[0].screen.width / 60;
    await dragBy(page, '.handle.x', -20 * cell, 0);
    await until(async () => (await widths()) === '40\n79', 'the border', SLOW_MS);
    await until(async () => Math.abs((await shownPanes(page))[0].screen.width - 40 * cell) < 2, 'the pane', SLOW_MS);
    await host.vitrine('resize-pane', '-t', 'work:0.0', '-x', '30');
    await until(async () => Math.abs((await shownPanes(page))[0].screen.width - 30 * cell) < 2, 'the other’s resize', SLOW_MS);
    await page.focus('.handle.x');
    await page.keyboard.press('ArrowRight');
    await until(async () => (await widths()) === '31\n88', 'one cell', SLOW_MS);
  });

  test('a session: tabs, a view of one’s own, following; commands on windows', async (t) => {
    const host = await withSession(t);
    await host.vitrine('new-window', '-d', '-n', 'two', '-t', 'work:', '--', 'sh', '-c', 'echo second window; cat');
    const { view, write } = await share(host, '--session');
    const page = await visit(t, running, view);
    await until(async () => (await tabNames(page)).join() === 'one*The host is here,two', 'the tabs', SLOW_MS);
    await page.evaluate(() => document.querySelectorAll('.tab')[1].click());
    await paneHas(page, 0, /^second window$/m);
    assert.equal((await host.vitrine('display-message', '-p', '-t', 'work', '#{window_name}')).trim(), 'one');
    await page.reload();
    await until(async () => (await barText(page)) === 'Live' && (await tabNames(page)).join() === 'oneThe host is here,two*', 'the same view', SLOW_MS);
    await says(page, 'Follow the host');
    await page.click('.follow');
    await until(async () => (await tabNames(page))[0] === 'one*The host is here', 'the host’s window', SLOW_MS);
    const operator = await visit(t, running, write);
    await operator.evaluate(() => document.querySelectorAll('.tab')[1].click());
    await paneHas(operator, 0, /^second window$/m);
    await menuItem(operator, 'Make this window the host’s current one');
    await until(async () => (await host.vitrine('display-message', '-p', '-t', 'work', '#{window_name}')).trim() === 'two', 'the host', SLOW_MS);
    await page.bringToFront();
    await paneHas(page, 0, /^second window$/m);
    await operator.bringToFront();
    await menuItem(operator, 'New window');
    await until(async () => (await tabNames(operator)).length === 3 && (await tabNames(operator))[2].includes('*'), 'the new window', SLOW_MS);
    await host.vitrine('rename-window', '-t', 'work:2', 'named anew');
    await until(async () => (await tabNames(operator))[2].startsWith('named anew'), 'the name', SLOW_MS);
  });

  test('a dead pane says so and the share goes on; a refused command is a sentence', async (t) => {
    const host = await withSession(t, 80, 24);
    await host.vitrine('set-option', '-g', 'remain-on-exit', 'on');
    await host.vitrine('split-window', '-h', '-t', 'work', '--', 'sh', '-c', 'echo first; echo last words; exit 3');
    const { write } = await share(host, '--window');
    const page = await visit(t, running, write);
    await panesAre(page, 2);
    await says(page, 'exited with status 3');
    await paneHas(page, 1, /^last words/m);
    assert.equal(await barText(page), 'Live');
    await menuItem(page, 'New window');
    await says(page, 'The host refused that: only one window is shared');
  });

  test('a reload resumes all panes as the same viewer; an outage of the gate loses no key', async (t) => {
    const host = await withSession(t);
    await host.vitrine('split-window', '-v', '-t', 'work', '--', ...SHELL);
    const { write } = await share(host, '--window');
    const page = await visit(t, running, write);
    await panesAre(page, 2);
    await enter(page, 'echo lower pa""ne');
    await paneHas(page, 1, /^lower pane$/m);
    const [{ id }] = await host.json('viewers', '--json');
    await page.reload();
    await until(async () => (await barText(page)) === 'Live', 'the connection', SLOW_MS);
    await paneHas(page, 1, /^lower pane$/m);
    assert.deepEqual((await host.json('viewers', '--json')).map((viewer) => viewer.id), [id]);
    await until(() => hasFocus(page), 'the terminal', SLOW_MS);
    await page.keyboard.type('echo ab');
    await paneHas(page, 1, /echo ab/);
    const { pid } = await host.gate();
    process.kill(pid, 'SIGKILL');
    await enter(page, 'cd');
    await paneHas(page, 1, /^abcd$/m);
  });

  test('fifty windows, made while somebody watches', async (t) => {
    const host = await withSession(t, 80, 24);
    const { view } = await share(host, '--session');
    const page = await visit(t, running, view);
    for (let i = 1; i < 50; i++) await host.vitrine('new-window', '-d', '-n', `w${i}`, '-t', 'work:', '--', 'cat');
    await until(async () => (await tabNames(page)).length === 50, 'fifty tabs', SLOW_MS);
    await host.vitrine('select-window', '-t', 'work:49');
    await until(async () => (await tabNames(page))[49] === 'w49*The host is here', 'the last', SLOW_MS);
    const [row, tab] = [await boxOf(page, '.tabs'), await boxOf(page, '.tab[aria-selected="true"]')];
    assert.ok(tab.left >= row.left && tab.right <= row.right + 1, JSON.stringify({ tab, row }));
  });

  test('the last program ends: the share has ended, its last screen stays', async (t) => {
    const host = await withSession(t, 80, 24);
    const { write } = await share(host, '--session');
    const page = await visit(t, running, write);
    await enter(page, 'echo good""bye; exit');
    await until(async () => (await barText(page)) === 'Ended, exited 0', 'the end', SLOW_MS);
    await paneHas(page, 0, /^goodbye$/m);
    assert.doesNotMatch(await bodyText(page), /viewer/);
  });
}
