import type { Position } from './watermark-options.ts'

/** In the unit of what is drawn on: points of a page, pixels of a picture. */
export interface Size {
  readonly width: number
  readonly height: number
}

export interface Box extends Size {
  readonly left: number
  readonly top: number
}

/** An SVG of what a drawing has inside of a box, a unit of which is so long. */
export function framed({ left, top, width, height }: Box, unit: 'pt' | 'px', drawing: string): string {
  const box = `width="${width}${unit}" height="${height}${unit}" viewBox="${left} ${top} ${width} ${height}"`
  return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${box}>${drawing}</svg>`
}

export function xmlText(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`)
}

/** Where the middle of a thing lies that keeps `margin` from the edges, or less where there is no room for that. */
export function middleAt(
  surface: Size,
  { width, height }: Size,
  position: Position,
  margin: number,
): { x: number; y: number } {
  const across = insetOf(surface.width, width, margin)
  const down = insetOf(surface.height, height, margin)
  const x = position.endsWith('left')
    ? across
    : position.endsWith('right')
      ? surface.width - across
      : surface.width / 2
  const y = position.startsWith('top')
    ? down
    : position.startsWith('bottom')
      ? surface.height - down
      : surface.height / 2
  return { x, y }
}

const insetOf = (side: number, extent: number, margin: number) =>
  Math.min(margin, Math.max(0, (side - extent) / 2)) + extent / 2
