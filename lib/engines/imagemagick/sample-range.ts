import type { Tools } from '../engine.ts'
import { tags, tiffTag } from '../picture/tiff-tag.ts'
import { factorFor, mostLight } from './brightness.ts'
import { magick } from './run.ts'

/** What `tags.sampleFormat` says of fractions. */
export const fractions = 3

/** Bounds that the brightest sample is looked for below; what is brighter than the last has no meaning as a shade. */
const bounds = [mostLight, 255.5, 65_535.5, 2 ** 32, 2 ** 64, 2 ** 120]

/**
 * Tells what white is in a TIFF whose samples are fractions: all above 1 would be white, whatever it means.
 * @returns arguments that stand before the name of the file.
 */
export async function sampleRangeArgs(path: string, tools: Tools): Promise<string[]> {
  if ((await tiffTag(path, tags.sampleFormat)) !== fractions) return []
  for (const bound of bounds) {
    const share = await brightest(path, bound, tools)
    if (share < 1) return white(1 / factorFor(share * bound, 1))
  }
  return []
}

const white = (value: number) => ['-define', `quantum:maximum=${value}`]

/** Of all pages; 1 is what reaches the bound. */
async function brightest(path: string, bound: number, tools: Tools): Promise<number> {
  const args = [...white(bound), '-format', '%[fx:maxima]\n', `tiff:${path}`]
  const { stdout } = await magick(tools, 'identify', args)
  return Math.max(...stdout.trim().split('\n').map(Number))
}
