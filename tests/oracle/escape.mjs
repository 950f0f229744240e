// The readable form of terminal bytes used by the dialect table: \e ESC, \n \r \t \b \a, \\,
// \xHH one byte, \u{H…} a character as UTF-8, \{N:text} the text N times (not nested), and every
// other character as UTF-8.

const SIMPLE = { e: 27, n: 10, r: 13, t: 9, b: 8, a: 7, '\\': 92 };

/** Bytes of a readable form; throws on an unknown escape. */
export function unescape(text) {
  const out = [];
  const pattern = /\\(?:x([0-9a-fA-F]{2})|u\{([0-9a-fA-F]+)\}|\{(\d+):([^}]*)\}|(.))|([^\\]+)/gsu;
  for (const [, byte, code, count, repeated, simple, plain] of text.matchAll(pattern)) {
    if (byte) out.push(Buffer.from([parseInt(byte, 16)]));
    else if (code) out.push(Buffer.from(String.fromCodePoint(parseInt(code, 16))));
    else if (count) for (let i = 0; i < Number(count); i++) out.push(unescape(repeated));
    else if (plain) out.push(Buffer.from(plain));
    else if (simple in SIMPLE) out.push(Buffer.from([SIMPLE[simple]]));
    else throw new Error(`unknown escape \\${simple} in ${text}`);
  }
  return Buffer.concat(out);
}

/** The readable form of bytes, for messages. */
export function escape(bytes) {
  const names = { 27: '\\e', 10: '\\n', 13: '\\r', 9: '\\t', 8: '\\b', 7: '\\a', 92: '\\\\' };
  const one = (byte) => names[byte] ??
    (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`);
  return Array.from(bytes, one).join('');
}
