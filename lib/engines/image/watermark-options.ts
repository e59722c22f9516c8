import * as z from 'zod'
import type { FormatId } from '../../formats/index.ts'
import { decimal, integer, numberFromText } from '../options.ts'

/** Options of what is laid over pages, pictures and films. Only data: the planner and the API read it. */

/** Pictures that can be a watermark. */
const stamps = ['png', 'jpg', 'webp', 'gif', 'tiff', 'svg', 'avif'] as const satisfies readonly FormatId[]

/** The one further file that a watermark may have. */
export const stampInputs = { from: stamps, min: 0, max: 1 } as const

export const positions = [
  'top-left',
  'top',
  'top-right',
  'left',
  'center',
  'right',
  'bottom-left',
  'bottom',
  'bottom-right',
] as const
export type Position = (typeof positions)[number]

/** `Bottom Center` and `bottom_center` mean `bottom`, as other services write it. */
export const plainPosition = (value: unknown) =>
  typeof value === 'string'
    ? value
        .trim()
        .toLowerCase()
        .replace(/[\s_]+/g, '-')
        .replace(/^(top|bottom)-center$/, '$1')
        .replace(/^(?:center|middle)-(left|right)$/, '$1')
        .replace(/^(?:middle|center-center|middle-center)$/, 'center')
    : value

const colorNames = ['black', 'white', 'gray', 'red', 'green', 'blue', 'yellow', 'orange', 'purple'] as const
export const color = z.preprocess(
  (value) => (typeof value === 'string' && /^(?:[\da-f]{3}|[\da-f]{6})$/i.test(value) ? `#${value}` : value),
  z.union([z.stringFormat('color', /^#?(?:[\da-fA-F]{3}|[\da-fA-F]{6})$/), z.enum(colorNames)]),
)

export const shownText = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: no XML may hold them.
    .regex(/^[^\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]*$/, 'expected text without control characters')
    .regex(/[^\s\p{C}]/u, 'expected text that shows')

const share = /^(\d{1,3}(?:\.\d{1,6})?)\s*%$/

/** `30%` is 0.3. */
const shareFromText = (value: unknown) => {
  const percent = typeof value === 'string' ? share.exec(value.trim())?.[1] : undefined
  return percent === undefined ? numberFromText(value) : Number(percent) / 100
}

export const watermarkShape = {
  watermarkText: shownText(200)
    .optional()
    .describe('Any script. Either this or a picture as a further file.'),
  watermarkPosition: z
    .preprocess(plainPosition, z.enum([...positions, 'diagonal', 'tile']))
    .optional()
    .describe('diagonal for a text and center for a picture when left out; tile repeats it.'),
  watermarkOpacity: z
    .preprocess(shareFromText, z.number().min(0.01).max(1))
    .default(0.3)
    .describe('0.01 hardly shows, 1 covers. Also in percent, as 30%.'),
  watermarkFontSize: decimal(4, 500)
    .optional()
    .describe('Points of a page, pixels of a picture or film. As large as fits well when left out.'),
  watermarkColor: color.default('#808080').describe('As #ff0000, or a name as red.'),
  watermarkScale: integer(1, 100)
    .default(40)
    .describe('Width of a picture in percent of the page, picture or film that it comes to lie on.'),
  watermarkMargin: integer(0, 1000)
    .optional()
    .describe(
      'Least distance from the edge, in points or pixels. A 25th of the shorter side when left out; less where there is no room.',
    ),
}

const Watermark = z.object(watermarkShape)
export type WatermarkOptions = z.output<typeof Watermark>
export const watermarkOptions = (raw: unknown): WatermarkOptions => Watermark.parse(raw)
