// Sessions, windows and panes for tests of what is shared of them.

import { lib } from '../web/setup.mjs';
import { linkOf } from './host.mjs';
import { paneNumber } from './viewer.mjs';

const { WindowFlag } = lib;

/** VIEW: whichever window is the session's current one. */
export const FOLLOW = 0xffffffff;

/** A session with one window of one shell, not shared yet. */
export async function newSession(host, name, command = ['cat']) {
  await host.vitrine('new-session', '-d', '-s', name, '-x', '80', '-y', '24', '--', ...command);
  return ids(host, `${name}:`);
}

export async function ids(host, target) {
  const text = await host.vitrine('display-message', '-p', '-t', target, '#{session_id} #{window_id} #{pane_id}');
  const [session, window, pane] = text.trim().split(' ');
  return { session, window, pane, windowId: Number(window.slice(1)), paneId: paneNumber(pane) };
}

export async function share(host, target, ...options) {
  const shared = await host.json('share', '--json', '-d', '--write', '-t', target, ...options);
  return { ...shared, view: linkOf(shared, 'spectator'), write: linkOf(shared, 'operator') };
}

/** Splits a pane; gives the new one. */
export async function split(host, target, command = ['cat'], ...options) {
  return (await host.vitrine('split-window', '-d', '-P', '-F', '#{pane_id}', '-t', target, ...options, '--', ...command)).trim();
}

export async function newWindow(host, session, name, command = ['cat']) {
  const text = await host.vitrine('new-window', '-d', '-P', '-F', '#{window_id} #{pane_id}', '-t', `${session}:`, '-n', name, '--', ...command);
  const [window, pane] = text.trim().split(' ');
  return { window, pane, windowId: Number(window.slice(1)), paneId: paneNumber(pane) };
}

export const paneIds = (layout) => layout.panes.map(({ id }) => id);
export const windowIds = (layout) => layout.windows.map(({ id }) => id);
export const viewed = (layout) => layout.windows.find(({ flags }) => flags & WindowFlag.VIEWED)?.id;
export const active = (layout) => layout.windows.find(({ flags }) => flags & WindowFlag.ACTIVE)?.id;
