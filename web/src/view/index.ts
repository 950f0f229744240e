// The view's modules without DOM, as one module for tests in Node.
export * from './border_move.js';
export * from './borders.js';
export * from './fit.js';
export * from './find.js';
export * from './grid_geometry.js';
export * from './keys.js';
export * from './terminal_repair.js';
export * from './themes.js';
export * from './write_queue.js';
export * from './answer_guard.js';
export * from './new_lines.js';
export * from './scroll_memory.js';
export * from './window_layout.js';
export * from '../ui/words.js';
export * from '../ui/trust.js';
export { bufferText } from '../ui/clipboard.js';
