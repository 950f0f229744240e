// Text out of the page: to the clipboard, and to a file.

interface Line {
  readonly isWrapped: boolean;
  translateToString(trimRight?: boolean): string;
}

/** Copies; false when the browser does not allow it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Everything in a terminal's buffer as text, wrapped lines joined, empty lines at the end left out. */
export function bufferText(buffer: { readonly length: number; getLine(y: number): Line | undefined }): string {
  const lines: string[] = [];
  for (let y = 0; y < buffer.length; y++) {
    const line = buffer.getLine(y);
    if (!line) continue;
    const goesOn = buffer.getLine(y + 1)?.isWrapped === true;
    const text = line.translateToString(!goesOn);
    if (line.isWrapped && lines.length > 0) lines[lines.length - 1] += text;
    else lines.push(text);
  }
  return `${lines.join('\n').trimEnd()}\n`;
}

/** Offers text as a file to save. */
export function saveText(text: string, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
