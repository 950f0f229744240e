// LAYOUT as the page uses it: names cleaned, lists bounded, and a verdict on the arrangement. A daemon
// may say anything: panes on top of each other, sizes of nothing or of a football pitch, ten thousand
// windows. What makes no sense as an arrangement is shown one pane at a time instead, and that is said.

import { Layout, LayoutPane, LayoutWindow, PaneFlag, WindowFlag } from 'gen/messages';
import { plainText } from '../protocol/plain_text.js';

export const PANES_MAX = 128; // terminals side by side; more is nothing anybody reads
export const WINDOWS_MAX = 500; // tabs
const GRID_MAX = 10_000; // cells a side, as in the daemon

export interface WindowTab {
  readonly id: number;
  readonly name: string;
  /** The host's current window. */
  readonly active: boolean;
  /** What this page shows. */
  readonly viewed: boolean;
  readonly bell: boolean;
  readonly activity: boolean;
}

/** A pane's place in the window's grid of cells. */
export interface PanePlace {
  readonly id: number;
  readonly x: number;
  readonly y: number;
  readonly cols: number;
  readonly rows: number;
  readonly active: boolean;
  readonly zoomed: boolean;
  readonly dead: boolean;
  readonly title: string;
}

export interface WindowLayout {
  readonly windows: readonly WindowTab[];
  readonly windowsLeftOut: number;
  readonly cols: number;
  readonly rows: number;
  readonly panes: readonly PanePlace[];
  readonly panesLeftOut: number;
  /** The panes can be shown where they say they are. */
  readonly isArranged: boolean;
}

/** Reads a LAYOUT; never fails. */
export function readLayout({ windows, cols, rows, panes }: Layout): WindowLayout {
  const tabs = unique(windows);
  const places = unique(panes);
  const keptTabs = bounded(tabs, WINDOWS_MAX, WindowFlag.ACTIVE | WindowFlag.VIEWED);
  const keptPlaces = bounded(places, PANES_MAX, PaneFlag.ACTIVE).map(readPane);
  const isWhole = places.length === panes.length;
  return {
    windows: keptTabs.map(readWindow),
    windowsLeftOut: windows.length - keptTabs.length,
    cols,
    rows,
    panes: keptPlaces,
    panesLeftOut: panes.length - keptPlaces.length,
    isArranged: isWhole && isArrangement(keptPlaces, cols, rows),
  };
}

function unique<T extends { id: number }>(list: readonly T[]): T[] {
  const seen = new Set<number>();
  return list.filter(({ id }) => !seen.has(id) && seen.add(id));
}

/** The first ones, and those that carry a flag, as far as there is room. */
function bounded<T extends { flags: number }>(list: T[], most: number, flags: number): T[] {
  if (list.length <= most) return list;
  const marked = list.slice(most).filter((one) => one.flags & flags).slice(0, 2);
  return [...list.slice(0, most - marked.length), ...marked];
}

function readWindow({ id, flags, name }: LayoutWindow): WindowTab {
  return {
    id,
    name: plainText(name),
    active: (flags & WindowFlag.ACTIVE) !== 0,
    viewed: (flags & WindowFlag.VIEWED) !== 0,
    bell: (flags & WindowFlag.BELL) !== 0,
    activity: (flags & WindowFlag.ACTIVITY) !== 0,
  };
}

function readPane({ id, x, y, cols, rows, flags, title }: LayoutPane): PanePlace {
  return {
    id, x, y, cols, rows,
    active: (flags & PaneFlag.ACTIVE) !== 0,
    zoomed: (flags & PaneFlag.ZOOMED) !== 0,
    dead: (flags & PaneFlag.DEAD) !== 0,
    title: plainText(title),
  };
}

/** Every pane inside the grid, none on top of another. */
export function isArrangement(panes: readonly PanePlace[], cols: number, rows: number): boolean {
  if (cols > GRID_MAX || rows > GRID_MAX) return false;
  const inside = ({ x, y, cols: w, rows: h }: PanePlace): boolean =>
    w > 0 && h > 0 && x + w <= cols && y + h <= rows;
  if (!panes.every(inside)) return false;
  return panes.every((one, i) => panes.slice(i + 1).every((other) => !overlap(one, other)));
}

function overlap(a: PanePlace, b: PanePlace): boolean {
  return a.x < b.x + b.cols && b.x < a.x + a.cols && a.y < b.y + b.rows && b.y < a.y + a.rows;
}
