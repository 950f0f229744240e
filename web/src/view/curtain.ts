// Keeps the last picture of a pane in front of it while a long keyframe is parsed: a reset and
// thousands of lines rushing by are nobody's business. Works on the DOM renderer's rows; a WebGL
// canvas cannot be copied so, and nothing is drawn in front of it.

const CURTAIN_CLASS = 'curtain';

/** Draws the curtain over a pane; gives the function that takes it away at the next picture. */
export function drawCurtain(pane: HTMLElement): () => void {
  const screen = pane.querySelector<HTMLElement>('.xterm-screen');
  const rows = screen?.querySelector<HTMLElement>('.xterm-rows');
  if (!screen || !rows || rows.childElementCount === 0) return () => undefined;
  const curtain = rows.cloneNode(true) as HTMLElement;
  curtain.classList.add(CURTAIN_CLASS);
  curtain.setAttribute('aria-hidden', 'true');
  screen.append(curtain);
  // xterm.js paints in the frame after the last row was parsed; one more, and it is certainly there.
  return () => requestAnimationFrame(() => requestAnimationFrame(() => curtain.remove()));
}
