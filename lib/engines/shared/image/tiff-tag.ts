import { open } from 'node:fs/promises'
import { readTiffPages, shortType } from './tiff-fields.ts'

/** TIFF 6.0 tags that describe the samples. */
export const tags = { extraSamples: 338, sampleFormat: 339 } as const

/**
 * Returns the first value of a 16-bit tag of the first page; all of `tags` are 16-bit. Undefined if the tag is missing
 * or the file is truncated.
 */
export async function readTiffTag(path: string, tag: number): Promise<number | undefined> {
  await using file = await open(path)
  const { value: page } = await readTiffPages(file, [tag]).next()
  const field = page?.get(tag)
  return field?.type === shortType ? field.values[0] : undefined
}
