import { readFile, stat, writeFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { SharpOptions } from 'sharp'
import type { InputFile, Tools } from '../engine.ts'

/** CSS pixels per inch. */
export const pixelsPerInch = 96

/** Largest drawing, in bytes, whose lengths are converted. */
const mostBytes = 64 * 1024 * 1024

const pixelsOf = { in: 96, cm: 96 / 2.54, mm: 9.6 / 2.54, q: 2.4 / 2.54, pt: 96 / 72, pc: 16 } as const
type Unit = keyof typeof pixelsOf
const isUnit = (word: string): word is Unit => Object.hasOwn(pixelsOf, word)

/** Pixels of the CSS font size keywords, as in browsers. */
const letterPixels: Readonly<Record<string, number>> = {
  'xx-small': 9,
  'x-small': 10,
  small: 13,
  medium: 16,
  large: 18,
  'x-large': 24,
  'xx-large': 32,
}

/** Default font size of a drawing; the drawing's own styles take precedence. */
export const usualLetters = {
  svg: { stylesheet: `:root{font-size:${letterPixels['medium']}px}` },
} satisfies SharpOptions

const sides = 'width|height|[cdfr]?[xy]|[xy][12]|r|fr|ref[XY]|marker(?:Width|Height)'
const ofText = 'font(?:-size)?|(?:letter|word)-spacing|kerning|baseline-shift|textLength'
/** Text directly before a length that is to be converted. */
const beforeLength = new RegExp(
  `[\\s;"'{](?:${sides}|${ofText}|stroke-(?:width|dasharray|dashoffset))\\s*[:=]\\s*["']?[\\w.,%\\s+-]*$`,
)
const beforeLetters = /[\s;"'{]font(?:-size)?\s*[:=]\s*["']?[\w.,%\s+-]*$/

/** Maximum characters that are examined before a length; long only for lists of lengths. */
const mostBefore = 300

const number = '[-+]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:[eE][-+]?\\d+)?'
const length = new RegExp(
  `(?<![\\w.#-])(?:(${number})(in|cm|mm|q|pt|pc)|(x{0,2}-?(?:small|large)|medium))(?![\\w-])`,
  'gi',
)
/** Tags without the closing bracket, and style sheets. */
const markup = /<(?:\w+:)?style\b[\s\S]*?(?:<\/(?:\w+:)?style|$)|<[^<>]*/g

/**
 * Converts all lengths to pixels. libvips passes the enlargement to librsvg as pixels per inch, so lengths in points or
 * millimeters would be enlarged more than the rest, or be too small if nothing is enlarged.
 * @param svg the drawing as Latin-1, one character per byte.
 */
export const inPixels = (svg: string): string =>
  svg.replace(markup, (tag) =>
    tag.replace(length, (found, amount: string | undefined, unit = '', letters: string, at: number) => {
      const before = tag.slice(Math.max(0, at - mostBefore), at)
      if (amount === undefined) {
        const pixels = letterPixels[letters.toLowerCase()]
        return pixels !== undefined && beforeLetters.test(before) ? `${pixels}px` : found
      }
      const name = unit.toLowerCase()
      return isUnit(name) && beforeLength.test(before)
        ? `${Number((Number(amount) * pixelsOf[name]).toPrecision(12))}px`
        : found
    }),
  )

/** Returns the path of the drawing with its lengths in pixels: a copy if any had to be converted. */
export async function drawingInPixels({ path, format }: InputFile, tools: Tools): Promise<string> {
  if ((await stat(path)).size > mostBytes) return path
  const bytes = await readFile(path)
  // If it cannot be decompressed, the renderer reports the error.
  const unpacked = await (format === 'svgz' ? unzipped(bytes) : bytes)
  if (!unpacked) return path
  const svg = unpacked.toString('latin1')
  const changed = inPixels(svg)
  if (changed === svg) return path
  const written = join(tools.workDir, `${parse(path).name}-in-pixels.svg`)
  await writeFile(written, changed, 'latin1')
  return written
}

const unzipped = (bytes: Buffer): Promise<Buffer | undefined> =>
  promisify(gunzip)(bytes, { maxOutputLength: mostBytes }).catch(() => undefined)
