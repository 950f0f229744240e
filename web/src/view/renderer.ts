// WebGL where it pays, the DOM renderer otherwise: drawn in software WebGL is two to five times slower.
// Browsers keep 16 contexts and take the oldest away beyond that, so only some panes get one.

import type { Terminal } from '@xterm/xterm';
import { WebglAddon } from '@xterm/addon-webgl';

const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render|virgl/i;

const CONTEXTS_MAX = 8;
let contexts = 0;
let hardware: boolean | undefined; // asking costs a context

/** True where WebGL 2 is drawn by a graphics processor. */
export function hasHardwareWebgl(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2', {
    failIfMajorPerformanceCaveat: true,
  });
  if (!gl) return false;
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const name = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return !SOFTWARE.test(name);
}

/** Draws by WebGL when that pays; goes back to the DOM renderer when the context is lost. */
export function useBestRenderer(terminal: Terminal): void {
  hardware ??= hasHardwareWebgl();
  if (!hardware || contexts >= CONTEXTS_MAX) return;
  try {
    const addon = new WebglAddon();
    addon.onContextLoss(() => addon.dispose());
    terminal.loadAddon(addon);
    countContext(addon);
  } catch {
    // the DOM renderer stays
  }
}

function countContext(addon: WebglAddon): void {
  const dispose = addon.dispose.bind(addon);
  let counted = true;
  contexts++;
  addon.dispose = () => {
    if (counted) contexts--;
    counted = false;
    dispose();
  };
}
