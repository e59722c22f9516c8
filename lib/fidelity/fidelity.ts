import * as z from 'zod'

/** What can be counted of a file, and how it reads in the API. */
const units = {
  words: 'Words; in scripts without spaces, letters',
  pages: 'Pages',
  slides: 'Slides',
  sheets: 'Sheets of a workbook',
  cells: 'Cells that hold something',
  cues: 'Subtitles',
  frames: 'Pictures of a film or an animation',
  seconds: 'How long it plays',
  samples: 'Samples of each channel of sound',
  channels: 'Channels of sound',
  glyphs: 'Letters and signs of a font',
  entries: 'Files of an archive',
} as const satisfies Readonly<Record<string, string>>

export type Unit = keyof typeof units
export const unitNames = Object.keys(units) as readonly Unit[] // keys of a const table

const Retention = z.object({
  source: z.number().min(0).describe('In what was sent'),
  result: z.number().min(0).describe('Of these in the result; of words those that were found again'),
  share: z.number().min(0).max(1).describe('1 when all of it was kept'),
})
export type Retention = z.infer<typeof Retention>

/** What a result kept of its source, counted by other programs than the one that made it. */
export const Fidelity = z.object({
  ...(Object.fromEntries(
    Object.entries(units).map(([unit, description]) => [unit, Retention.optional().describe(description)]),
  ) as Record<Unit, z.ZodOptional<typeof Retention>>), // made of the same names
  dropped: z.array(z.string()).describe('What the target cannot hold, as `animation`'),
  uncounted: z
    .array(z.string())
    .optional()
    .describe(
      'Formats on the way of which nobody here can count what this file holds: a loss would not show',
    ),
})
export type Fidelity = z.infer<typeof Fidelity>

/** Rounded down, so that 1 means all. */
export function createRetention(source: number, result: number): Retention {
  const share = source === 0 ? 1 : Math.min(1, result / source)
  return { source, result, share: Math.floor(share * 10_000) / 10_000 }
}

/** Of files that were converted side by side, or of what several gave to one. */
export function combine(all: readonly (Fidelity | undefined)[]): Fidelity | undefined {
  const known = all.filter((one) => one !== undefined)
  if (known.length === 0) return undefined
  const sums = unitNames.flatMap((unit) => {
    const each = known.flatMap((one) => one[unit] ?? [])
    if (each.length === 0) return []
    const source = total(each.map((one) => one.source))
    return [[unit, createRetention(source, total(each.map((one) => one.result)))] as const]
  })
  return { ...Object.fromEntries(sums), ...combineNames(known) }
}

/** Of one step after another: what the second lost of what the first had kept. */
export function combineSequential(
  first: Fidelity | undefined,
  second: Fidelity | undefined,
): Fidelity | undefined {
  if (!first || !second) return first ?? second
  const chained = unitNames.flatMap((unit) => {
    const [before, after] = [first[unit], second[unit]]
    if (!before || !after) return before || after ? [[unit, before ?? after] as const] : []
    const result = after.share === 1 ? before.result : Math.floor(before.result * after.share)
    return [[unit, createRetention(before.source, result)] as const]
  })
  return { ...Object.fromEntries(chained), ...combineNames([first, second]) }
}

function combineNames(all: readonly Fidelity[]): Pick<Fidelity, 'dropped' | 'uncounted'> {
  const uncounted = distinct(all.flatMap((one) => one.uncounted ?? []))
  return {
    dropped: distinct(all.flatMap(({ dropped }) => dropped)),
    ...(uncounted.length > 0 && { uncounted }),
  }
}

const total = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0)
const distinct = (names: readonly string[]) => [...new Set(names)]
