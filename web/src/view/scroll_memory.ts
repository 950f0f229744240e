// Where somebody is reading, across keyframes. Lines of scrollback have absolute numbers; the buffer's
// line 0 is number `first`, which grows as the terminal throws old lines away. A marker, which xterm.js
// moves along with its line, tells by how much. Where the marker itself was thrown away the position is
// kept by its distance from the end.

import type { IMarker, Terminal } from '@xterm/xterm';

interface Anchor {
  readonly marker: IMarker;
  readonly absolute: number;
}

/** What to come back to: the top line in view, and the selection. */
export interface Place {
  /** Absolute number of the top line, or undefined when the end was in view. */
  readonly top: number | undefined;
  readonly fromEnd: number;
  readonly selection: { readonly line: number; readonly col: number; readonly length: number } | undefined;
}

export class ScrollMemory {
  private anchor: Anchor | undefined;

  constructor(private readonly terminal: Terminal) {}

  /** After a keyframe was parsed: buffer line 0 is absolute line `first`. */
  restart(first: number): void {
    this.anchor?.marker.dispose();
    this.anchor = undefined;
    this.setAnchor(first);
  }

  /** After output was parsed: keeps the marker near the end, where it lives long. */
  follow(): void {
    const first = this.first();
    if (first === undefined || this.isAlternate()) return;
    const behind = this.terminal.buffer.active.baseY - (this.anchor?.marker.line ?? 0);
    if (behind > this.terminal.rows) this.restart(first);
  }

  /** Absolute number of the buffer's line 0, or undefined when it was lost track of. */
  first(): number | undefined {
    const { anchor } = this;
    if (!anchor || anchor.marker.isDisposed || anchor.marker.line < 0) return undefined;
    return anchor.absolute - anchor.marker.line;
  }

  /** The place now. */
  place(): Place {
    const { viewportY, baseY } = this.terminal.buffer.active;
    const first = this.first() ?? 0;
    const top = viewportY >= baseY ? undefined : first + viewportY;
    return { top, fromEnd: baseY - viewportY, selection: this.selection(first) };
  }

  /** Comes back to a place, as far as its lines still exist. */
  restore(place: Place): void {
    const first = this.first();
    if (place.top !== undefined) {
      const { baseY } = this.terminal.buffer.active;
      const line = first === undefined ? baseY - place.fromEnd : place.top - first;
      this.terminal.scrollToLine(Math.max(0, Math.min(line, baseY)));
    }
    const { selection } = place;
    if (!selection || first === undefined || selection.line < first) return;
    this.terminal.select(selection.col, selection.line - first, selection.length);
  }

  private setAnchor(first: number): void {
    if (this.isAlternate()) return; // markers live in the buffer that is active
    const marker = this.terminal.registerMarker(0);
    if (marker) this.anchor = { marker, absolute: first + marker.line };
  }

  private selection(first: number): Place['selection'] {
    const range = this.terminal.getSelectionPosition();
    if (!range || this.isAlternate()) return undefined;
    const { start, end } = range;
    const length = (end.y - start.y) * this.terminal.cols + end.x - start.x;
    return { line: first + start.y, col: start.x, length };
  }

  private isAlternate(): boolean {
    return this.terminal.buffer.active.type === 'alternate';
  }
}
