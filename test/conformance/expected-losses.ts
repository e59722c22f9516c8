import { writeFile } from 'node:fs/promises'
import type { ResultLine } from './results.ts'

const path = new URL('../../lib/fidelity/known-shares.json', import.meta.url)

/** Share of the content that a conversion must retain. Smaller losses are differences in how two programs count. */
const minShare = 0.99
/**
 * Share of the duration that a conversion must retain. The samples last one or two seconds, so the last frame or audio
 * block makes up a few percent of the duration.
 */
const minDurationShare = 0.95

/** Returns the shares that a conversion retains incompletely, or undefined if it is not known to lose anything. */
export function findMissingShares({
  result,
  kept,
}: ResultLine): Readonly<Record<string, number>> | undefined {
  if (result !== 'ok') return undefined
  const shares = kept.split(' ').flatMap((word) => {
    const [unit = '', share] = word.split('=')
    const requiredShare = unit === 'seconds' || unit === 'samples' ? minDurationShare : minShare
    return share !== undefined && Number(share) < requiredShare ? [[unit, Number(share)] as const] : []
  })
  return shares.length > 0 ? Object.fromEntries(shares) : undefined
}

/** Writes the known losses, which the API reports before a conversion. */
export async function saveKnownShares(lines: Iterable<ResultLine>): Promise<void> {
  const rows = [...lines]
    .flatMap((line) => {
      const shares = findMissingShares(line)
      return shares ? [`  ${JSON.stringify(`${line.from} ${line.to}`)}: ${JSON.stringify(shares)}`] : []
    })
    .sort()
  await writeFile(path, rows.length > 0 ? `{\n${rows.join(',\n')}\n}\n` : '{}\n')
}
