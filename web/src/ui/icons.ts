// Small drawings for buttons and badges, as SVG elements in the colour of the text.

const SVG = 'http://www.w3.org/2000/svg';

const PATHS = {
  eye: 'M1 8s2.6-4.6 7-4.6S15 8 15 8s-2.6 4.6-7 4.6S1 8 1 8zm7-2a2 2 0 1 0 0 4 2 2 0 0 0 0-4z',
  panes: 'M1.5 2.5h13v11h-13zM8 2.5v11M8 8h6.5',
};

export type IconName = keyof typeof PATHS;

/** An icon; what it means stands beside it, in words. */
export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  const path = document.createElementNS(SVG, 'path');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  path.setAttribute('d', PATHS[name]);
  svg.append(path);
  return svg;
}
