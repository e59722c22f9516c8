/** Removes vector drawings, whose coordinates ffmpeg would treat as text. */
export function removeDrawings(text: string): string {
  return text
    .replaceAll(/\{(?:[^{}\n\\]|\\(?!p[1-9])){0,500}\\p[1-9][^{}\n]{0,500}\}[^{\n]*/g, '')
    .replaceAll(/^Dialogue:(?:[^,\n]*,){9}(?:\{[^{}\n]*\}|[ \r])*$/gm, '')
}
