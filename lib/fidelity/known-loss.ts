import * as z from 'zod'
import { type Format, type FormatId, formatById } from '../formats/index.ts'
import { listLossyFeatures } from './format-features.ts'
import knownShares from './known-shares.json' with { type: 'json' }

export const KnownLoss = z.object({
  what: z
    .string()
    .describe('Name in the `fidelity` of a result, such as `animation` or `frames`; or `quality`'),
  share: z.number().optional().describe('Share that was retained, 0 to 1; only if it was measured'),
  basis: z
    .enum(['measured', 'format'])
    .describe(
      '`measured`: observed when this pair was last tested with a real file; `format`: the target cannot represent it',
    ),
})
export type KnownLoss = z.infer<typeof KnownLoss>

/** Share of each unit that was retained in the conformance run, by source and target; only pairs with losses. */
const sharesByConversion: Readonly<Record<string, Readonly<Record<string, number>>>> = knownShares

/**
 * Lists what a conversion is known to lose, whatever the file contains.
 * @param route formats of the steps, the target last
 */
export function listKnownLosses(from: FormatId, route: readonly FormatId[]): KnownLoss[] {
  const to = route.at(-1) ?? from
  const measuredShares = Object.entries(sharesByConversion[[from, to].join(' ')] ?? {})
  return [
    ...measuredShares.map(([feature, share]) => ({ what: feature, share, basis: 'measured' as const })),
    ...listLossyFeatures(from, route).map((feature) => ({ what: feature, basis: 'format' as const })),
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
