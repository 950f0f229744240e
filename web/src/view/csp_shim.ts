// Makes xterm.js work under `style-src 'self'` and `require-trusted-types-for 'script'`.
//
// Its DOM renderer writes rules as the text of <style> elements and colours as style attributes, and
// the policy drops both: the terminal would lose all colours and its font. Scripts may, however, use
// constructed style sheets and the CSS object model. So the text given to a <style> goes into a sheet
// in document.adoptedStyleSheets (the element itself stays empty, which the policy allows by the hash
// of the empty string), and setAttribute('style', …) becomes style.cssText.
//
// Installed once, before the first terminal opens; nothing else in the page uses either way.

interface Adopted {
  readonly sheet: CSSStyleSheet;
  text: string;
}

const adopted = new WeakMap<HTMLStyleElement, Adopted>();
const changed = new Set<Adopted>();

function adopt(element: HTMLStyleElement, text: string): void {
  const entry = adopted.get(element) ?? { sheet: new CSSStyleSheet(), text: '' };
  adopted.set(element, entry);
  entry.text = text;
  if (changed.size === 0) queueMicrotask(apply);
  changed.add(entry);
}

// Each change has the browser look at the whole document anew when a size is next asked for, which
// xterm.js does all the time; so what a turn of the event loop changed is applied at its end, at once.
function apply(): void {
  const sheets = new Set(document.adoptedStyleSheets);
  for (const { sheet, text } of changed) {
    sheet.replaceSync(text);
    sheets.add(sheet);
  }
  changed.clear();
  document.adoptedStyleSheets = [...sheets];
}

function abandon(element: HTMLStyleElement): void {
  const entry = adopted.get(element);
  if (!entry) return;
  adopted.delete(element);
  changed.delete(entry);
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== entry.sheet);
}

function shimStyleText(property: 'textContent' | 'innerText'): void {
  Object.defineProperty(HTMLStyleElement.prototype, property, {
    configurable: true,
    get(this: HTMLStyleElement) {
      return adopted.get(this)?.text ?? '';
    },
    set(this: HTMLStyleElement, text: string) {
      adopt(this, text);
    },
  });
}

function shimRemove(): void {
  const remove = Element.prototype.remove;
  HTMLStyleElement.prototype.remove = function (this: HTMLStyleElement): void {
    abandon(this);
    remove.call(this);
  };
}

function shimAttribute(): void {
  const setAttribute = Element.prototype.setAttribute;
  HTMLElement.prototype.setAttribute = function (this: HTMLElement, name: string, value: string): void {
    if (name === 'style') this.style.cssText = value;
    else setAttribute.call(this, name, value);
  };
}

let installed = false;

/** Installs the shim; calling it again does nothing. */
export function installCspShim(): void {
  if (installed) return;
  installed = true;
  shimStyleText('textContent');
  shimStyleText('innerText');
  shimRemove();
  shimAttribute();
}
