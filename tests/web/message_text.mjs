// Reads the values of proto/vectors/ (their grammar is at the top of each file) into what the page's
// codec takes: snake_case names become camelCase, x… becomes bytes, big numbers stay exact as BigInt.

const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

class Scanner {
  constructor(text, fromHex) {
    this.text = text;
    this.at = 0;
    this.fromHex = fromHex;
  }

  match(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (!found) throw new Error(`unexpected text at ${this.at}: ${this.text.slice(this.at, this.at + 40)}`);
    this.at = pattern.lastIndex;
    return found[0];
  }

  peek() {
    return this.text[this.at];
  }

  fields(end) {
    const out = {};
    while (this.peek() !== end) {
      const name = this.match(/[a-z0-9_]+=/y).slice(0, -1);
      out[camel(name)] = this.value();
      if (this.peek() === ' ') this.at++;
    }
    return out;
  }

  value() {
    const first = this.peek();
    if (first === '"') return JSON.parse(this.match(/"(?:[^"\\]|\\.)*"/y));
    if (first === 'x') return this.fromHex(this.match(/x[0-9a-f]*/y).slice(1));
    if (first === '[') return this.list();
    const number = BigInt(this.match(/[0-9]+/y));
    return number > BigInt(Number.MAX_SAFE_INTEGER) ? number : Number(number);
  }

  list() {
    const out = [];
    this.at++;
    while (this.peek() !== ']') {
      this.at++;
      out.push(this.fields('}'));
      this.at++;
      if (this.peek() === ',') this.at++;
    }
    this.at++;
    return out;
  }
}

/** Lines as { name, fields, body } or { name, refused: true, body }; body is text. */
export function parseVectors(text, fromHex) {
  const out = [];
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const refused = /^! (\w+) = (.*)$/s.exec(line);
    if (refused) {
      out.push({ name: refused[1], refused: true, body: refused[2] });
      continue;
    }
    const scanner = new Scanner(line, fromHex);
    const name = scanner.match(/[A-Z_0-9]+ /y).trim();
    const fields = scanner.fields('=');
    scanner.match(/= /y);
    out.push({ name, fields, body: line.slice(scanner.at) });
  }
  return out;
}
