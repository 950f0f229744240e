// The borders between panes that can be moved, found from where the panes are.
//
// A window is a tree: rows of cells side by side, columns of cells one above the other, panes at the
// leaves. The tree is read back from the places by cutting where a line of cells is free from end to
// end. The daemon moves borders by pane (docs/protocol.md §5, COMMAND resize): the one after the pane's
// nearest cell in a row or column, or the one before it where it is the last. So each border gets the
// pane through which it can be moved; one that no pane leads to cannot be moved.

import { PanePlace } from './window_layout.js';

/** x: a vertical line, moved sideways; y: a horizontal one, moved up and down. */
export type Axis = 'x' | 'y';

export interface Border {
  readonly axis: Axis;
  /** The free column (x) or row (y) of cells it stands in. */
  readonly at: number;
  /** Its cells along the other axis: from, and one past the last. */
  readonly from: number;
  readonly to: number;
  /** The pane to name in a resize. */
  readonly pane: number;
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly right: number;
  readonly bottom: number;
  readonly panes: readonly PanePlace[];
}

/** All borders that can be moved. */
export function bordersOf(panes: readonly PanePlace[]): Border[] {
  const borders: Border[] = [];
  if (panes.length > 1) divide(boxOf(panes), undefined, borders);
  return borders;
}

function boxOf(panes: readonly PanePlace[]): Box {
  return {
    x: Math.min(...panes.map(({ x }) => x)),
    y: Math.min(...panes.map(({ y }) => y)),
    right: Math.max(...panes.map(({ x, cols }) => x + cols)),
    bottom: Math.max(...panes.map(({ y, rows }) => y + rows)),
    panes,
  };
}

/** Cuts a box, not along the axis it was cut along last, and goes on with the parts. */
function divide(box: Box, not: Axis | undefined, borders: Border[]): void {
  if (box.panes.length < 2) return;
  for (const axis of ['x', 'y'] as const) {
    const parts = axis === not ? [] : cut(box, axis);
    if (parts.length < 2) continue;
    for (let i = 0; i + 1 < parts.length; i++) addBorder(box, axis, parts, i, borders);
    for (const part of parts) divide(part, axis, borders);
    return;
  }
}

const start = (pane: PanePlace, axis: Axis): number => (axis === 'x' ? pane.x : pane.y);
const end = (pane: PanePlace, axis: Axis): number => (axis === 'x' ? pane.x + pane.cols : pane.y + pane.rows);

/** The parts between lines that no pane crosses. */
function cut({ panes }: Box, axis: Axis): Box[] {
  const sorted = [...panes].sort((a, b) => start(a, axis) - start(b, axis));
  const parts: PanePlace[][] = [];
  let reached = -1;
  for (const pane of sorted) {
    if (start(pane, axis) > reached) parts.push([]);
    parts.at(-1)!.push(pane);
    reached = Math.max(reached, end(pane, axis));
  }
  return parts.map(boxOf);
}

function addBorder(box: Box, axis: Axis, parts: Box[], i: number, borders: Border[]): void {
  const [before, after] = [parts[i]!, parts[i + 1]!];
  const isLast = i + 2 === parts.length;
  const pane = lone(before) ?? (isLast ? lone(after) : undefined) ?? leader(before, axis) ?? (isLast ? leader(after, axis) : undefined);
  if (pane === undefined) return;
  borders.push({
    axis,
    at: axis === 'x' ? before.right : before.bottom,
    from: axis === 'x' ? box.y : box.x,
    to: axis === 'x' ? box.bottom : box.right,
    pane,
  });
}

/** Sure to lead to the border, also where lines that happen to meet hide how the tree was split. */
function lone({ panes }: Box): number | undefined {
  return panes.length === 1 ? panes[0]!.id : undefined;
}

/** A pane of a part that is in no row (x) or column (y) of the part's own. */
function leader(part: Box, axis: Axis): number | undefined {
  const across = cut(part, axis === 'x' ? 'y' : 'x');
  if (across.length < 2) return undefined;
  return across.find(({ panes }) => panes.length === 1)?.panes[0]!.id;
}
