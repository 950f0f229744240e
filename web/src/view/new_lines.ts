// How many lines have come below what somebody reads who scrolled up.

export class NewLines {
  private seen: number | undefined; // the newest line while the end was in view

  /**
   * Looks again; gives the number of lines to tell about.
   * @param end absolute number of the screen's first line, or undefined where it is not known
   * @param atEnd the end is in view
   */
  update(end: number | undefined, atEnd: boolean): number {
    if (atEnd || end === undefined) {
      this.seen = undefined;
      return 0;
    }
    this.seen ??= end;
    return Math.max(0, end - this.seen);
  }
}
