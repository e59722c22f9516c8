import { readFile, stat, writeFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { SharpOptions } from 'sharp'
import type { InputFile, Tools } from '../engine.ts'

/** CSS pixels per inch. */
export const pixelsPerInch = 96

/** Largest drawing, in bytes, whose lengths are converted. */
const maxSvgBytes = 64 * 1024 * 1024

const pixelsPerUnit = { in: 96, cm: 96 / 2.54, mm: 9.6 / 2.54, q: 2.4 / 2.54, pt: 96 / 72, pc: 16 } as const
type Unit = keyof typeof pixelsPerUnit
const isUnit = (word: string): word is Unit => Object.hasOwn(pixelsPerUnit, word)

/** Pixels of the CSS font size keywords, as in browsers. */
const fontSizePixels: Readonly<Record<string, number>> = {
  'xx-small': 9,
  'x-small': 10,
  small: 13,
  medium: 16,
  large: 18,
  'x-large': 24,
  'xx-large': 32,
}

/**
 * Default font size of a drawing. A style sheet would take precedence over a font size on the root element, so the
 * selector excludes root elements with a font size.
 */
export const svgDefaults = {
  svg: { stylesheet: `:root:not([font-size]):not([font]){font-size:${fontSizePixels['medium']}px}` },
} satisfies SharpOptions

const geometryAttributes = 'width|height|[cdfr]?[xy]|[xy][12]|r|fr|ref[XY]|marker(?:Width|Height)'
const textAttributes = 'font(?:-size)?|(?:letter|word)-spacing|kerning|baseline-shift|textLength'
/** Matches the text directly before a length that must be converted. */
const beforeLengthPattern = new RegExp(
  `[\\s;"'{](?:${geometryAttributes}|${textAttributes}|stroke-(?:width|dasharray|dashoffset))\\s*[:=]\\s*["']?[\\w.,%\\s+-]*$`,
)
const beforeFontSizePattern = /[\s;"'{]font(?:-size)?\s*[:=]\s*["']?[\w.,%\s+-]*$/

/** Maximum characters that are examined before a length; only lists of lengths are that long. */
const maxLookBehindCharacters = 300

const numberSource = '[-+]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:[eE][-+]?\\d+)?'
const lengthPattern = new RegExp(
  `(?<![\\w.#-])(?:(${numberSource})(in|cm|mm|q|pt|pc)|(x{0,2}-?(?:small|large)|medium))(?![\\w-])`,
  'gi',
)
/** Matches tags without the closing bracket, and style sheets. */
const markupPattern = /<(?:\w+:)?style\b[\s\S]*?(?:<\/(?:\w+:)?style|$)|<[^<>]*/g

/**
 * Converts all lengths to pixels. libvips passes the enlargement to librsvg as pixels per inch, so lengths in points or
 * millimeters would be enlarged more than the rest of the drawing, or be too small if nothing is enlarged.
 * @param svg the drawing as Latin-1, one character per byte.
 */
export const convertLengthsToPixels = (svg: string): string =>
  svg.replace(markupPattern, (tag) =>
    tag.replace(
      lengthPattern,
      (foundLength, amount: string | undefined, unit = '', keyword: string, at: number) => {
        const textBefore = tag.slice(Math.max(0, at - maxLookBehindCharacters), at)
        if (amount === undefined) {
          const pixels = fontSizePixels[keyword.toLowerCase()]
          return pixels !== undefined && beforeFontSizePattern.test(textBefore) ? `${pixels}px` : foundLength
        }
        const name = unit.toLowerCase()
        return isUnit(name) && beforeLengthPattern.test(textBefore)
          ? `${Number((Number(amount) * pixelsPerUnit[name]).toPrecision(12))}px`
          : foundLength
      },
    ),
  )

/** Returns the path of the drawing with lengths in pixels: a copy if any length was converted. */
export async function writeSvgWithPixelLengths({ path, format }: InputFile, tools: Tools): Promise<string> {
  if ((await stat(path)).size > maxSvgBytes) return path
  const bytes = await readFile(path)
  // A file that cannot be decompressed is reported by the renderer.
  const svgBytes = await (format === 'svgz' ? tryGunzip(bytes) : bytes)
  if (!svgBytes) return path
  const svg = svgBytes.toString('latin1')
  const changedSvg = convertLengthsToPixels(svg)
  if (changedSvg === svg) return path
  const changedPath = join(tools.workDir, `${parse(path).name}-in-pixels.svg`)
  await writeFile(changedPath, changedSvg, 'latin1')
  return changedPath
}

const tryGunzip = (bytes: Buffer): Promise<Buffer | undefined> =>
  promisify(gunzip)(bytes, { maxOutputLength: maxSvgBytes }).catch(() => undefined)
