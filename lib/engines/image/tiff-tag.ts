import { open } from 'node:fs/promises'
import { shortType, tiffPages } from './tiff-fields.ts'

/** Tags of TIFF 6.0 that say what samples are. */
export const tags = { extraSamples: 338, sampleFormat: 339 } as const

/**
 * The first of the numbers that a tag of the first page has; it has to be of two bytes each, as all of `tags` are.
 * Undefined where there is none, and where the file ends before it.
 */
export async function tiffTag(path: string, tag: number): Promise<number | undefined> {
  await using file = await open(path)
  const { value: page } = await tiffPages(file, [tag]).next()
  const field = page?.get(tag)
  return field?.type === shortType ? field.values[0] : undefined
}
