import * as z from 'zod'
import { type Format, type FormatId, formatById } from '../formats/index.ts'
import { lossyFeatures } from './compare.ts'
import knownShares from './known-shares.json' with { type: 'json' }

export const KnownLoss = z.object({
  what: z.string().describe('As `fidelity` of a result names it: `animation`, `frames`; or `quality`'),
  share: z.number().optional().describe('Of it that was kept where it was measured, 0 to 1'),
  basis: z
    .enum(['measured', 'format'])
    .describe(
      '`measured`: seen when this pair was last tested on a real file; `format`: the target cannot hold it',
    ),
})
export type KnownLoss = z.infer<typeof KnownLoss>

/** Shares that the conformance run saw, of pairs where something was missing. */
const shares: Readonly<Record<string, Readonly<Record<string, number>>>> = knownShares

/**
 * What a conversion is known to lose, before there is a file.
 * @param route formats that it goes through, the target last.
 */
export function knownLoss(from: FormatId, route: readonly FormatId[]): KnownLoss[] {
  const to = route.at(-1) ?? from
  const seen = Object.entries(shares[[from, to].join(' ')] ?? {})
  return [
    ...seen.map(([what, share]) => ({ what, share, basis: 'measured' as const })),
    ...lossyFeatures(from, route).map((what) => ({ what, basis: 'format' as const })),
    ...(isLossy(from, route) ? [{ what: 'quality', basis: 'format' as const }] : []),
  ]
}

function isLossy(from: FormatId, route: readonly FormatId[]): boolean {
  const { category } = formatById(from)
  return route.some((id) => {
    const to: Format = formatById(id)
    return to.lossy === true && to.category === category
  })
}
