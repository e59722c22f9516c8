import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { FormatId } from '../index.ts'
import type { OpenedFile } from './byte-source.ts'
import { requireLimitedRepetition } from './svg-complexity.ts'

/** What is true of a file beside its format, and decides who can make something of it. */
export const traits = ['browser-drawing'] as const
export type Trait = (typeof traits)[number]

/** Bytes of a drawing that are looked through. */
const maxBytes = 8 * 1024 * 1024

/**
 * What librsvg 2.6 leaves out of a drawing or draws otherwise, and a browser draws as the standards have it (SVG 2, CSS).
 * Each was drawn by both; what both draw alike is not here.
 */
const browserOnlyFeatures: readonly RegExp[] = [
  // Fonts that come along, letters in color, and settings of fonts.
  /@font-face\b/i,
  /\xf0\x9f[\x80-\xbf]|&#(?:x1f[\da-f]{3}|12[789]\d{3});/i,
  // Text: along a path, letter by letter, of a given length, broken into lines.
  /<(?:\w+:)?(?:textPath|foreignObject)\b|\btextLength\s*=/,
  /<(?:\w{1,40}:)?(?:text|tspan)\b[^<>]{0,4000}?\s(?:d?[xy]\s{0,9}=\s{0,9}["']\s{0,9}[-+.\w]{1,40}[\s,]{1,20}[-+.\d]|rotate\s{0,9}=)/,
  // Drawing programs write out all that they leave as it is.
  /\b(?:alignment-baseline|word-spacing|text-shadow|text-transform|font-kerning|font-variation-settings)\s*[:=]\s*(?!["']?\s*(?:normal|none|auto|baseline|inherit|0(?:px)?\s*[;"'}]))/,
  /text-decoration\s{0,9}[:=]\s{0,9}["']?[^:;"'{}]{0,200}?(?:wavy|dotted|dashed|double)|white-space\s{0,9}:\s{0,9}(?:pre|break)/,
  // Values and rules of newer CSS.
  /\b(?:var|calc|min|max|clamp|env|ok(?:lch|lab)|lch|lab|color|color-mix|light-dark)\(/,
  /@(?:media|supports|layer|container)\b|:(?:is|where|has)\(/,
  /[\s;:"'{]\d{0,12}\.?\d{1,12}(?:rem|vw|vh|vmin|vmax|ch)\b/,
  // Shapes, masks and filters.
  /clip-path\s{0,9}[:=]\s{0,9}["']?\s{0,9}(?:circle|ellipse|inset|polygon|path|rect|xywh)\(|\bd\s{0,9}:\s{0,9}path\(/,
  /\bmask(?:-image|-composite|-border)\s{0,9}:|\bmask\s{0,9}:[^:;"'{}]{0,200}?gradient\(/,
  // librsvg mixes the colors of these as light, browsers as they are written.
  /\bfilter\s{0,9}[:=][^:;"'{}]{0,200}?\b(?:brightness|contrast|grayscale|hue-rotate|invert|saturate|sepia)\(/,
  /\b(?:BackgroundImage|BackgroundAlpha|FillPaint|StrokePaint)\b/,
  // Places, and dashes that are counted in parts of a path.
  /\b(?:transform-origin|transform-box|offset-path)\b|[\s;"'{](?:translate|rotate|scale)\s*:/,
  /\b(?:rotate3d|rotate[XY]|matrix3d|translate3d|translateZ|perspective)\(|\bpathLength\s*=/,
  // What comes to be seen by a movement that ends.
  /@(?:-webkit-)?keyframes\b/i,
  // Behind the whole drawing.
  /<(?:\w{1,40}:)?svg\b[^<>]{0,4000}?\bstyle\s{0,9}=\s{0,9}["'][^"'<>]{0,500}?background|[\s>,}]svg\s{0,20}\{[^{}]{0,1000}?background/,
]

/**
 * What is drawn by librsvg as well as by a browser has none.
 * @throws AppError FILE_TOO_LARGE.
 */
export async function traitsOf(format: FormatId, file: OpenedFile): Promise<readonly Trait[]> {
  if (format !== 'svg' && format !== 'svgz') return []
  const text = await readText(format, file)
  requireLimitedRepetition(text)
  return needsBrowser(text) ? ['browser-drawing'] : []
}

/** @param svg each byte a character. */
export function needsBrowser(svg: string): boolean {
  // Of pictures and fonts inside, the letters mean nothing.
  const text = svg.replace(/data:[^"')>]*/g, '').replace(/<!--[\s\S]*?(?:-->|$)/g, '')
  return browserOnlyFeatures.some((mark) => mark.test(text))
}

async function readText(format: 'svg' | 'svgz', file: OpenedFile): Promise<string> {
  const bytes = Buffer.from(await file.read(0, Math.min(file.size, maxBytes)))
  if (format === 'svg') return bytes.toString('latin1')
  // Sync flush: the end may not be here, and need not be. What cannot be unpacked says so where it is drawn.
  const text = promisify(gunzip)(bytes, { finishFlush: 2, maxOutputLength: maxBytes })
  return text.then((unpacked) => unpacked.toString('latin1')).catch(() => '')
}
