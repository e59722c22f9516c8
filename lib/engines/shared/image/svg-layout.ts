import type { OverlayPosition } from './watermark-options.ts'

/** Size in the unit of the surface: points for a page, pixels for an image. */
export interface Size {
  readonly width: number
  readonly height: number
}

export interface PlacedBox extends Size {
  readonly left: number
  readonly top: number
}

/** Wraps SVG content in a document that shows only the box. `unit` is the unit of all coordinates. */
export function createSvgDocument(
  { left, top, width, height }: PlacedBox,
  unit: 'pt' | 'px',
  content: string,
): string {
  const attributes = `width="${width}${unit}" height="${height}${unit}" viewBox="${left} ${top} ${width} ${height}"`
  return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${content}</svg>`
}

export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/**
 * Returns the center of an object placed `margin` from the edges, or closer to the edges if the surface is too small.
 */
export function computeCenter(
  surface: Size,
  { width, height }: Size,
  position: OverlayPosition,
  margin: number,
): { x: number; y: number } {
  const insetX = computeInset(surface.width, width, margin)
  const insetY = computeInset(surface.height, height, margin)
  const x = position.endsWith('left')
    ? insetX
    : position.endsWith('right')
      ? surface.width - insetX
      : surface.width / 2
  const y = position.startsWith('top')
    ? insetY
    : position.startsWith('bottom')
      ? surface.height - insetY
      : surface.height / 2
  return { x, y }
}

const computeInset = (side: number, extent: number, margin: number) =>
  Math.min(margin, Math.max(0, (side - extent) / 2)) + extent / 2
