/**
 * Returns the size of a sixel image and the difference between its lightest and darkest color (VT330/VT340 Programmer
 * Reference, chapter 14). ImageMagick 6 reads the colors of its own files as black.
 */
export function readSixelFacts(text: string): { width: number; height: number; spread: number } {
  const [, width, height] = /"\d+;\d+;(\d+);(\d+)/.exec(text) ?? []
  if (width === undefined) throw new Error('not a sixel image')
  const lightnessByRegister = new Map<string, number>()
  const paintedLevels: number[] = []
  let color = 0
  for (const [part, register, levels, sixels] of text.matchAll(/#(\d+)((?:;\d+)*)|((?:!\d+)?[?-~])/g)) {
    if (register !== undefined && levels) {
      const [, red = 0, green = 0, blue = 0] = levels.slice(1).split(';').map(Number)
      lightnessByRegister.set(register, 2.55 * (0.3 * red + 0.59 * green + 0.11 * blue))
    } else if (register !== undefined) {
      color = lightnessByRegister.get(register) ?? 0
    }
    if (sixels !== undefined && !part.endsWith('?')) paintedLevels.push(color)
  }
  const minLevel = paintedLevels.reduce((found, paintedLevel) => Math.min(found, paintedLevel), 255)
  const maxLevel = paintedLevels.reduce((found, paintedLevel) => Math.max(found, paintedLevel), 0)
  return { width: Number(width), height: Number(height), spread: Math.round(maxLevel - minLevel) }
}
