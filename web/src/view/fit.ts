// Which font size shows a grid of cells in a window. The program's size is the owner's business; the
// page only chooses how large to draw it. It never crops: below the smallest size it scrolls.

export type FitMode = 'fit' | 'fill' | 'natural';

export const FONT_MIN_PX = 7;
export const FONT_MAX_PX = 40;
const STEP_PX = 0.5;

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface FitRequest {
  readonly mode: FitMode;
  /** Pixels there are, and cells to show. */
  readonly room: Size;
  readonly cols: number;
  readonly rows: number;
  /** The size the person chose; `fit` never goes above it. */
  readonly chosenPx: number;
  /** Size of one cell at a font size. */
  readonly cell: (fontPx: number) => Size;
}

export interface Fit {
  readonly fontPx: number;
  /** The grid is larger than the room at this size: the page scrolls. */
  readonly overflows: boolean;
  /** What the window could show at the chosen size, for SIZE. */
  readonly couldShow: { readonly cols: number; readonly rows: number };
}

/** Chooses; a larger font never gives smaller cells, so the largest that fits is found by halving. */
export function chooseFit(request: FitRequest): Fit {
  const { mode, chosenPx } = request;
  const fontPx = mode === 'natural' ? chosenPx : largestThatFits(request);
  return { fontPx, overflows: !fits(request, fontPx), couldShow: couldShow(request) };
}

function largestThatFits(request: FitRequest): number {
  const top = request.mode === 'fill' ? FONT_MAX_PX : request.chosenPx;
  let low = 0; // steps above the smallest size that surely is the answer or below it
  let high = Math.max(0, Math.floor((top - FONT_MIN_PX) / STEP_PX));
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(request, FONT_MIN_PX + middle * STEP_PX)) low = middle;
    else high = middle - 1;
  }
  return FONT_MIN_PX + low * STEP_PX;
}

function fits({ cell, cols, rows, room }: FitRequest, fontPx: number): boolean {
  const { width, height } = cell(fontPx);
  return width * cols <= room.width && height * rows <= room.height;
}

function couldShow({ cell, room, chosenPx }: FitRequest): { cols: number; rows: number } {
  const { width, height } = cell(chosenPx);
  const count = (length: number, one: number): number =>
    Math.min(1000, Math.max(1, Math.floor(length / one) || 1));
  return { cols: count(room.width, width), rows: count(room.height, height) };
}
