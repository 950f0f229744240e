// Copy mode in tmux and in vitrine: each script runs in a pane that shows the same text in both, and
// what is copied, where the cursor is and what is seen must be the same.

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Server, words } from './compare.mjs';

const STATE = [
  'mode=#{pane_in_mode}', 'at=#{copy_cursor_x},#{copy_cursor_y}', 'up=#{scroll_position}',
  'selected=#{selection_present}#{selection_active}', 'rectangle=#{rectangle_toggle}', 'found=#{search_present}',
  'from=#{selection_start_x},#{selection_start_y}', 'to=#{selection_end_x},#{selection_end_y}', 'searched=#{pane_search_string}',
  'match=#{search_match}',
].join(' ');

/** Waits until a pane shows a text, which is behind all others that it shows. */
async function showing(server, text) {
  for (let tries = 0; tries < 600; tries++) {
    const { stdout } = await server.run('capture-pane', '-p', '-t', 's');
    if (stdout.includes(text)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${server.kind} does not show ${text}`);
}

/** A server whose session s shows a text, `cols` by `rows`, and no more output to come. */
async function start(kind, { text, cols, rows }) {
  const server = Server.make(kind);
  const file = path.join(server.dir, 'text');
  writeFileSync(file, text);
  await server.run('new-session', '-d', '-s', 's', '-x', String(cols), '-y', String(rows), `cat '${file}'; printf 'THE-END'; exec cat`);
  await showing(server, 'THE-END');
  return server;
}

/** Splits `a ; b "c d"` into commands of words; `X …` stands for `send-keys -t s -X …`. */
function commands(script) {
  return script.split(' ; ').map((line) => {
    const [first, ...rest] = words(line);
    if (first === 'X') return ['send-keys', '-t', 's', '-X', ...rest];
    if (/^X\d+$/.test(first)) return ['send-keys', '-t', 's', '-N', first.slice(1), '-X', ...rest];
    if (first === 'K') return ['send-keys', '-t', 's', ...rest];
    return [first, ...rest];
  });
}

async function play(server, script, { mode, format = '' }) {
  if (server.mode !== mode) await server.run('set-option', '-g', 'mode-keys', mode);
  server.mode = mode;
  await server.run('copy-mode', '-q', '-t', 's');
  await server.run('copy-mode', '-t', 's');
  for (const command of commands(script)) await server.run(...command);
  const state = await server.run('display-message', '-p', '-t', 's', STATE + format);
  const buffer = await server.run('show-buffer');
  if (script.includes('wrap-search')) await server.run('set-option', '-g', 'wrap-search', 'on');
  for (const line of buffer.code === 0 ? (await server.run('list-buffers')).stdout.trim().split('\n') : []) {
    await server.run('delete-buffer', '-b', line.split(':')[0]);
  }
  return { state: state.stdout.trim(), buffer: buffer.stdout };
}

/** Plays scripts of { script, mode, format } in both programs, over one text; gives pairs of results. */
export async function playBoth(screen, scripts) {
  const servers = await Promise.all(['tmux', 'vitrine'].map((kind) => start(kind, screen)));
  try {
    const [tmux, vitrine] = await Promise.all(servers.map(async (server) => {
      const results = [];
      for (const script of scripts) results.push(await play(server, script.script, script));
      return results;
    }));
    return scripts.map((script, i) => ({ ...script, tmux: tmux[i], vitrine: vitrine[i] }));
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}
