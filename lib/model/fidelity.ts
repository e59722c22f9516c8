import * as z from 'zod'
import { component } from '../validation/component.ts'
import { keysOf } from '../validation/keys-of.ts'

/** Units that are counted in files, with their description in the API. */
const units = {
  words: 'Words; in scripts without spaces, characters',
  order: 'A sample of the pairs of adjacent words: shows how much of the text is in the same order',
  pages: 'Pages',
  slides: 'Slides',
  sheets: 'Sheets of a workbook',
  cells: 'Non-empty cells',
  cues: 'Subtitles',
  frames: 'Frames of a video or an animation',
  seconds: 'Duration in seconds',
  samples: 'Audio samples per channel',
  channels: 'Audio channels',
  glyphs: 'Glyphs of a font',
  entries: 'Files of an archive',
  images: 'Images of a document, without vector graphics',
  imageArea: 'Area that the images of a document cover, in square points',
  links: 'Links of a document to the web or an email address',
  tables: 'Tables of a document',
  fields: 'Form fields of a document',
  checkedFields: 'Check boxes and radio buttons of a document that are selected',
} as const satisfies Readonly<Record<string, string>>

export type Unit = keyof typeof units
export const unitNames = keysOf(units)

const Retention = component(
  'Retention',
  z.object({
    source: z.number().min(0).describe('Count in the source'),
    result: z
      .number()
      .min(0)
      .describe('Count in the result; for words, how many words of the source were found in the result'),
    share: z.number().min(0).max(1).describe('1 if everything was retained'),
  }),
)
export type Retention = z.infer<typeof Retention>

/**
 * How much of its source a result retained. It is measured by other programs than the program that created the result.
 */
export const Fidelity = component(
  'Fidelity',
  z.object({
    ...(Object.fromEntries(
      Object.entries(units).map(([unit, description]) => [unit, Retention.optional().describe(description)]),
    ) as Record<Unit, z.ZodOptional<typeof Retention>>), // built from the same names
    dropped: z.array(z.string()).describe('Features that the target cannot represent, such as `animation`'),
    uncounted: z
      .array(z.string())
      .optional()
      .describe(
        'Formats on the route whose content the service cannot count, or stopped counting (warning `COUNTING_STOPPED`): a loss would go unnoticed',
      ),
  }),
)
export type Fidelity = z.infer<typeof Fidelity>

/** Creates the retention of a unit. The share is rounded down, so that 1 means everything. */
export function createRetention(source: number, result: number): Retention {
  const share = source === 0 ? 1 : Math.min(1, result / source)
  return { source, result, share: Math.floor(share * 10_000) / 10_000 }
}

/** Combines the fidelity of files that were converted in parallel, or merged into one. */
export function combineFidelities(fidelities: readonly (Fidelity | undefined)[]): Fidelity | undefined {
  const knownFidelities = fidelities.filter((fidelity) => fidelity !== undefined)
  if (knownFidelities.length === 0) return undefined
  const sums = unitNames.flatMap((unit) => {
    const unitFidelities = knownFidelities.flatMap((fidelity) => fidelity[unit] ?? [])
    if (unitFidelities.length === 0) return []
    const source = total(unitFidelities.map((unitFidelity) => unitFidelity.source))
    return [
      [
        unit,
        createRetention(source, total(unitFidelities.map((unitFidelity) => unitFidelity.result))),
      ] as const,
    ]
  })
  return { ...Object.fromEntries(sums), ...combineNames(knownFidelities) }
}

/** Combines the fidelity of consecutive steps: the second one reduces what the first one retained. */
export function combineSequential(
  firstFidelity: Fidelity | undefined,
  secondFidelity: Fidelity | undefined,
): Fidelity | undefined {
  if (!firstFidelity || !secondFidelity) return firstFidelity ?? secondFidelity
  const chainedUnits = unitNames.flatMap((unit) => {
    const [firstShare, secondShare] = [firstFidelity[unit], secondFidelity[unit]]
    if (!firstShare || !secondShare)
      return firstShare || secondShare ? [[unit, firstShare ?? secondShare] as const] : []
    const result =
      secondShare.share === 1 ? firstShare.result : Math.floor(firstShare.result * secondShare.share)
    return [[unit, createRetention(firstShare.source, result)] as const]
  })
  return { ...Object.fromEntries(chainedUnits), ...combineNames([firstFidelity, secondFidelity]) }
}

function combineNames(fidelities: readonly Fidelity[]): Pick<Fidelity, 'dropped' | 'uncounted'> {
  const uncounted = deduplicate(fidelities.flatMap((fidelity) => fidelity.uncounted ?? []))
  return {
    dropped: deduplicate(fidelities.flatMap(({ dropped }) => dropped)),
    ...(uncounted.length > 0 && { uncounted }),
  }
}

const total = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0)
const deduplicate = (names: readonly string[]) => [...new Set(names)]
