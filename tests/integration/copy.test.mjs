// Copy mode and the mouse in an attached terminal: a real client in a real terminal, whose output an
// emulator shows.

import test, { describe } from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { BIN, createHost, until } from './host.mjs';
import { Terminal } from './terminal.mjs';
import { Viewer } from '../oracle/xterm.mjs';

const COLS = 60;
const ROWS = 14; // one of them is the status line

/** A terminal attached to the session s, and what it shows. */
class Attached extends Terminal {
  constructor(host) {
    super(`${path.join(BIN, 'vitrine')} attach-session -t s`, { env: { ...host.env, COLORTERM: 'truecolor' }, cols: COLS, rows: ROWS });
    this.host = host;
    this.viewer = new Viewer(COLS, ROWS);
    this.fed = 0;
  }

  /** The rows as text, after all that has come was shown. */
  rows() {
    this.viewer.write(Buffer.from(this.text.slice(this.fed), 'latin1'));
    this.fed = this.text.length;
    const buffer = this.viewer.term.buffer.active;
    return Array.from({ length: ROWS }, (_, y) => buffer.getLine(buffer.viewportY + y).translateToString(true));
  }

  /** Background of a cell: its palette number, or -1. */
  background(x, y) {
    const cell = this.viewer.term.buffer.active.getLine(this.viewer.term.buffer.active.viewportY + y).getCell(x);
    return cell.isBgDefault() ? -1 : cell.getBgColor();
  }

  sees(condition, what) {
    return until(() => condition(this.rows()), () => `${what}: ${JSON.stringify(this.rows(), null, 1)}`);
  }

  /** A report of the mouse: buttons as xterm numbers them, cells from 0. */
  mouse(button, x, y, release = false) {
    this.type(`\x1b[<${button};${x + 1};${y + 1}${release ? 'm' : 'M'}`);
  }
}

/** A host with session s, which runs a command, and a terminal attached to it. */
async function attach(t, command, options = []) {
  const host = await createHost(t);
  await host.vitrine('new-session', '-d', '-s', 's', '-x', String(COLS), '-y', String(ROWS - 1), command);
  for (const [name, value] of options) await host.vitrine('set-option', '-g', name, value);
  const terminal = new Attached(host);
  t.after(() => terminal.kill());
  return { host, terminal, format: async (text) => (await host.vitrine('display-message', '-p', '-t', 's', text)).trim() };
}

const TEXT = 'i=1; while [ $i -le 60 ]; do echo "line $i of the text"; i=$((i+1)); done; printf END; exec cat';
const MOUSE = [['mouse', 'on']];

/** What the daemon says the pane shows, as rows without the blanks behind them. */
async function picture(host) {
  return (await host.vitrine('capture-pane', '-p', '-t', 's')).split('\n').slice(0, ROWS - 1).map((row) => row.trimEnd());
}

async function shows(terminal, host) {
  const want = await picture(host);
  await terminal.sees((rows) => rows.slice(0, ROWS - 1).every((row, i) => row.trimEnd() === want[i]), 'the pane as the daemon has it');
}

describe('copy mode in a terminal', { concurrency: 2 }, () => {
  test('prefix [ stands still while the program writes on; q shows the pane again', async (t) => {
    const { host, terminal, format } = await attach(t, TEXT);
    await terminal.sees((rows) => rows.some((row) => row.startsWith('END')), 'the text');
    terminal.type('\x02[');
    await terminal.sees((rows) => rows[0].endsWith('[0/48]'), 'the position');
    terminal.type('\x1b[5~');
    await terminal.sees((rows) => rows[0].endsWith('[11/48]'), 'a page up');
    const before = terminal.rows();
    await host.vitrine('respawn-pane', '-k', '-t', 's', 'i=0; while [ $i -lt 300 ]; do echo later $i; i=$((i+1)); done; printf OVER; exec cat').catch(() => undefined);
    for (let i = 0; i < 40; i++) await host.vitrine('send-keys', '-l', '-t', 's', 'x');
    assert.equal(await format('#{pane_in_mode}'), '1');
    assert.deepEqual(terminal.rows().slice(0, ROWS - 1), before.slice(0, ROWS - 1));
    terminal.type('q');
    await until(async () => (await format('#{pane_in_mode}')) === '0', 'the mode is over');
    await shows(terminal, host);
  });

  test('emacs keys select and copy; the text is a buffer and the terminal’s clipboard', async (t) => {
    const { host, terminal, format } = await attach(t, TEXT);
    await terminal.sees((rows) => rows.some((row) => row.startsWith('END')), 'the text');
    terminal.type('\x02[');
    terminal.type('\x1b<'); // M-<
    await terminal.sees((rows) => rows[0].startsWith('line 1 of the'), 'the first line');
    terminal.type('\x00\x1bf\x1bf'); // C-Space M-f M-f
    await terminal.sees(() => terminal.background(0, 0) === 3 && terminal.background(5, 0) === 3 && terminal.background(6, 0) === -1, 'the selection');
    terminal.type('\x1bw');
    await terminal.waitFor(`\x1b]52;c;${Buffer.from('line 1').toString('base64')}\x07`);
    assert.equal(await host.vitrine('show-buffer'), 'line 1');
    assert.equal(await format('#{pane_in_mode}'), '0');
    await shows(terminal, host);
  });

  test('vi keys: counts, a search typed into the prompt, its matches, whole lines', async (t) => {
    const { host, terminal, format } = await attach(t, TEXT, [['mode-keys', 'vi']]);
    await terminal.sees((rows) => rows.some((row) => row.startsWith('END')), 'the text');
    terminal.type('\x02[');
    await terminal.sees((rows) => rows[0].endsWith('[0/48]'), 'the position');
    terminal.type('3k');
    await until(async () => (await format('#{copy_cursor_y}')) === '9', 'three lines up');
    terminal.type('?');
    await terminal.sees((rows) => rows[ROWS - 1].startsWith('(search up)'), 'the prompt');
    terminal.type('line 2[0-9]\r');
    await terminal.sees((rows) => /\(10 results\) \[\d+\/48\]$/.test(rows[0]), 'what was found');
    await until(async () => (await format('#{search_match}')) === 'line 29', 'the match');
    terminal.type('n');
    await until(async () => (await format('#{search_match}')) === 'line 28', 'the next one');
    terminal.type('Vj\r');
    await until(async () => (await format('#{pane_in_mode}')) === '0', 'the mode is over');
    assert.equal(await host.vitrine('show-buffer'), 'line 28 of the text\nline 29 of the text\n');
  });

  test('emacs keys search while the text is typed, and C-r takes the last one', async (t) => {
    const { terminal, format } = await attach(t, TEXT);
    await terminal.sees((rows) => rows.some((row) => row.startsWith('END')), 'the text');
    terminal.type('\x02[');
    await terminal.sees((rows) => rows[0].endsWith('[0/48]'), 'the position');
    terminal.type('\x12'); // C-r
    await terminal.sees((rows) => rows[ROWS - 1].startsWith('(search up)'), 'the prompt');
    terminal.type('line 3');
    await until(async () => (await format('#{copy_cursor_line}')).startsWith('line 39'), 'the nearest');
    terminal.type('\x12');
    await until(async () => (await format('#{copy_cursor_line}')).startsWith('line 38'), 'the one before');
    terminal.type('\r');
    await terminal.sees((rows) => !rows[ROWS - 1].startsWith('(search'), 'no prompt');
    terminal.type('\x12');
    await terminal.sees((rows) => rows[ROWS - 1].trimEnd() === '(search up)', 'an empty prompt');
    terminal.type('\x12');
    await terminal.sees((rows) => rows[ROWS - 1].startsWith('(search up) line 3'), 'the last text');
    await until(async () => (await format('#{copy_cursor_line}')).startsWith('line 37'), 'the next one');
  });

  test('set-clipboard: off keeps copies here; on lets programs set the clipboard', async (t) => {
    const write = 'read x; printf "\\033]52;c;Zmlyc3Q=\\a"; printf ONE; read x; printf "\\033]52;c;c2Vjb25k\\a"; printf TWO; exec cat';
    const { host, terminal } = await attach(t, write, [['set-clipboard', 'off']]);
    terminal.type('\r');
    await terminal.sees((rows) => rows.some((row) => row.includes('ONE')), 'the first');
    await host.vitrine('copy-mode', '-t', 's');
    await host.vitrine('send-keys', '-t', 's', '-X', 'copy-line');
    await host.vitrine('send-keys', '-t', 's', '-X', 'cancel');
    assert.match(await host.vitrine('show-buffer'), /ONE/);
    await host.vitrine('set-option', '-g', 'set-clipboard', 'on');
    await host.vitrine('send-keys', '-t', 's', 'Enter');
    await terminal.sees((rows) => rows.some((row) => row.includes('TWO')), 'the second');
    await terminal.waitFor('\x1b]52;c;c2Vjb25k\x07');
    assert.ok(!terminal.text.includes('Zmlyc3Q='), 'what a program set while that was off');
    assert.equal(terminal.text.match(/\x1b\]52;/g).length, 1);
    assert.equal(await host.vitrine('show-buffer'), 'second');
  });

  test('two terminals show the same mode, and one that attaches later too', async (t) => {
    const { host, terminal } = await attach(t, TEXT);
    await terminal.sees((rows) => rows.some((row) => row.startsWith('END')), 'the text');
    await host.vitrine('copy-mode', '-u', '-t', 's');
    const other = new Attached(host);
    t.after(() => other.kill());
    for (const one of [terminal, other]) await one.sees((rows) => rows[0].endsWith('[11/48]'), 'the position');
    other.type('\x1b[A'); // the cursor: Up
    terminal.type('q');
    for (const one of [terminal, other]) await shows(one, host);
  });

  test('a pane that goes away takes its mode along', async (t) => {
    const { host, terminal } = await attach(t, TEXT);
    await host.vitrine('split-window', '-d', '-t', 's', TEXT);
    await host.vitrine('copy-mode', '-t', 's:0.0');
    await host.vitrine('copy-mode', '-s', 's:0.0', '-t', 's:0.1');
    await host.vitrine('send-keys', '-t', 's:0.1', '-X', 'history-top');
    await host.vitrine('kill-pane', '-t', 's:0.0');
    await terminal.sees((rows) => rows[0].startsWith('line 1 of the text'), 'the other pane’s lines, which are gone there');
    terminal.type('q');
    await shows(terminal, host);
  });
});

describe('the mouse', { concurrency: 2 }, () => {
  test('the wheel enters copy mode, scrolls, and leaves at the bottom', async (t) => {
    const { host, terminal, format } = await attach(t, TEXT, MOUSE);
    await terminal.sees((rows) => rows.some((row) => row.startsWith('END')), 'the text');
    terminal.mouse(64, 5, 5);
    await terminal.sees((rows) => rows[0].endsWith('[0/48]'), 'copy mode');
    terminal.mouse(64, 5, 5);
    await terminal.sees((rows) => rows[0].endsWith('[5/48]'), 'five lines up');
    terminal.mouse(65, 5, 5);
    await until(async () => (await format('#{pane_in_mode}')) === '0', 'the mode is over');
    await shows(terminal, host);
  });

  test('dragging selects, also past the top, and releasing copies', async (t) => {
    const { host, terminal, format } = await attach(t, TEXT, MOUSE);
    await terminal.sees((rows) => rows.some((row) => row.startsWith('END')), 'the text');
    terminal.mouse(0, 0, 2);
    terminal.mouse(32, 3, 2);
    terminal.mouse(32, 7, 2);
    await terminal.sees(() => terminal.background(0, 2) === 3 && terminal.background(6, 2) === 3 && terminal.background(7, 2) === -1, 'the selection');
    terminal.mouse(0, 7, 2, true);
    await terminal.waitFor('\x1b]52;c;');
    const [line] = (await picture(host)).slice(2);
    assert.equal(await host.vitrine('show-buffer'), line.slice(0, 7));
    terminal.mouse(0, 4, 5);
    terminal.mouse(32, 4, 0);
    await until(async () => (await format('#{scroll_position}')) === '48', 'it scrolls for as long as the pointer is there');
    terminal.mouse(0, 4, 0, true);
    await until(async () => (await format('#{pane_in_mode}')) === '0', 'the mode is over');
    assert.match(await host.vitrine('show-buffer'), /^ 1 of the text\nline 2 of/);
  });

  test('a double click copies a word, a triple click a line', async (t) => {
    const { host, terminal } = await attach(t, TEXT, MOUSE);
    await terminal.sees((rows) => rows.some((row) => row.startsWith('END')), 'the text');
    const click = (times) => {
      for (let i = 0; i < times; i++) {
        terminal.mouse(0, 12, 3);
        terminal.mouse(0, 12, 3, true);
      }
    };
    const buffer = async () => (await host.run(['show-buffer'])).stdout;
    click(2);
    await until(async () => (await buffer()) === 'the', 'the word');
    click(3);
    const [line] = (await picture(host)).slice(3);
    await until(async () => (await buffer()).trimEnd() === line, 'the line');
  });

  test('clicks select panes and windows, the middle button pastes, borders move', async (t) => {
    const { host, terminal, format } = await attach(t, 'exec cat', MOUSE);
    await host.vitrine('split-window', '-h', '-t', 's', 'exec cat');
    await host.vitrine('new-window', '-d', '-t', 's:', '-n', 'other', 'exec cat');
    await host.vitrine('set-buffer', 'pasted');
    await terminal.sees((rows) => rows[3].includes('│') && rows[ROWS - 1].includes('other'), 'two panes');
    terminal.mouse(1, 2, 2);
    terminal.mouse(1, 2, 2, true);
    await terminal.sees((rows) => rows.some((row) => row.startsWith('pasted')), 'the buffer in the left pane');
    assert.equal(await format('#{pane_index}'), '0');
    const border = terminal.rows()[3].indexOf('│');
    terminal.mouse(0, border, 3);
    terminal.mouse(32, border - 8, 3);
    terminal.mouse(0, border - 8, 3, true);
    await terminal.sees((rows) => rows[3].indexOf('│') === border - 8, 'the border');
    terminal.mouse(0, terminal.rows()[ROWS - 1].indexOf('other'), ROWS - 1);
    await until(async () => (await format('#{window_name}')) === 'other', 'the other window');
  });

  test('a program that asked for the mouse gets it, in its form; bindings of one’s own come first', async (t) => {
    const read = 'stty raw -echo; printf "\\033[?1002h\\033[?1006hREADY"; exec cat -v';
    const { host, terminal, format } = await attach(t, read, MOUSE);
    await terminal.sees((rows) => rows[0].startsWith('READY'), 'the program');
    terminal.mouse(64, 3, 4);
    await terminal.sees((rows) => rows.join('').includes('^[[<64;4;5M'), 'the wheel');
    terminal.mouse(0, 10, 6);
    terminal.mouse(32, 11, 6);
    terminal.mouse(0, 11, 6, true);
    await terminal.sees((rows) => rows.join('').includes('^[[<0;11;7M^[[<32;12;7M^[[<0;12;7m'), 'a drag');
    assert.equal(await format('#{pane_in_mode}'), '0');
    const file = path.join(host.dir, 'bound');
    await host.vitrine('bind-key', '-n', 'MouseDown3Pane', 'run-shell', `printf '%s' '#{pane_id}' >${file}.new; mv ${file}.new ${file}`);
    terminal.mouse(2, 3, 3);
    await until(() => existsSync(file), 'the binding');
    assert.equal(readFileSync(file, 'utf8'), '%0');
    assert.ok(!terminal.rows().join('').includes('[<2;'), 'and the program heard nothing of it');
  });
});
