import { writeFile } from 'node:fs/promises'
import type { Line } from './results.ts'

const path = new URL('../../lib/fidelity/known-shares.json', import.meta.url)

/** What is missing by less than this is how two programs count. */
const minShare = 0.99
/** Files here last a second or two, of which the last picture or the last block of a sound is some hundredths. */
const minTimeShare = 0.95

/** Shares of what a pair kept, where it is less than all; undefined where nothing is known to be missing. */
export function missingShares({ result, kept }: Line): Readonly<Record<string, number>> | undefined {
  if (result !== 'ok') return undefined
  const shares = kept.split(' ').flatMap((word) => {
    const [unit = '', share] = word.split('=')
    const enough = unit === 'seconds' || unit === 'samples' ? minTimeShare : minShare
    return share !== undefined && Number(share) < enough ? [[unit, Number(share)] as const] : []
  })
  return shares.length > 0 ? Object.fromEntries(shares) : undefined
}

/** Those who ask before they convert are told what was missing here. */
export async function saveKnownShares(lines: Iterable<Line>): Promise<void> {
  const rows = [...lines]
    .flatMap((line) => {
      const shares = missingShares(line)
      return shares ? [`  ${JSON.stringify(`${line.from} ${line.to}`)}: ${JSON.stringify(shares)}`] : []
    })
    .sort()
  await writeFile(path, rows.length > 0 ? `{\n${rows.join(',\n')}\n}\n` : '{}\n')
}
