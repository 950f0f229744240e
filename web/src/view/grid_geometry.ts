// Where each pane stands, in pixels. The grid is cells with one free cell between panes, as the daemon
// draws it; a pane's frame reaches to the middle of that cell, where its line meets its neighbour's.
// Around the grid there is an edge; above it, when there are several panes, room for their titles.

import { Size } from './fit.js';
import { PanePlace } from './window_layout.js';

const EDGE_PX = 5; // a line, and a little air
const TITLE_EDGE_PX = 19; // above the grid
const TITLE_LINE_PX = 8; // the line that the titles of the upper panes stand on

export interface Rect {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface PaneBox {
  /** The line around the pane, in the grid. */
  readonly frame: Rect;
  /** The pane's cells, in the frame. */
  readonly cells: Rect;
}

export interface Edges {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** What stands around the cells. */
export function edgesOf(hasTitles: boolean): Edges {
  return { left: EDGE_PX, top: hasTitles ? TITLE_EDGE_PX : EDGE_PX, right: EDGE_PX, bottom: EDGE_PX };
}

/** Size of a grid of cells with its edges. */
export function gridSize(cols: number, rows: number, cell: Size, edges: Edges): Size {
  return {
    width: Math.ceil(cols * cell.width) + edges.left + edges.right,
    height: Math.ceil(rows * cell.height) + edges.top + edges.bottom,
  };
}

/** The box of a pane that is alone in its grid. */
export function loneBox(cols: number, rows: number, cell: Size): PaneBox {
  const edges = edgesOf(false);
  const frame = { left: 0, top: 0, ...gridSize(cols, rows, cell, edges) };
  const cells = { left: edges.left - 1, top: edges.top - 1, width: cols * cell.width, height: rows * cell.height };
  return { frame, cells };
}

/** The box of one of several panes. */
export function paneBox(place: PanePlace, grid: { cols: number; rows: number }, cell: Size): PaneBox {
  const edges = edgesOf(true);
  const whole = gridSize(grid.cols, grid.rows, cell, edges);
  const x = (cells: number): number => Math.round(edges.left + cells * cell.width);
  const y = (cells: number): number => Math.round(edges.top + cells * cell.height);
  const right = place.x + place.cols;
  const bottom = place.y + place.rows;
  const frame = between(
    place.x === 0 ? 0 : x(place.x - 0.5),
    place.y === 0 ? TITLE_LINE_PX : y(place.y - 0.5),
    right >= grid.cols ? whole.width : x(right + 0.5) + 1,
    bottom >= grid.rows ? whole.height : y(bottom + 0.5) + 1,
  );
  const cells = {
    left: x(place.x) - frame.left - 1,
    top: y(place.y) - frame.top - 1,
    width: place.cols * cell.width,
    height: place.rows * cell.height,
  };
  return { frame, cells };
}

function between(left: number, top: number, right: number, bottom: number): Rect {
  return { left, top, width: right - left, height: bottom - top };
}

/** Middle of a free column (x) or row (y) of cells, in pixels of the grid. */
export function lineAt(axis: 'x' | 'y', at: number, cell: Size): number {
  const edges = edgesOf(true);
  return axis === 'x' ? edges.left + (at + 0.5) * cell.width : edges.top + (at + 0.5) * cell.height;
}
