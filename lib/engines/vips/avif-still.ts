import { open } from 'node:fs/promises'
import { readMp4Boxes } from '../../binary/mp4.ts'
import { openRandomAccess } from '../../binary/random-access.ts'

const maxTopLevelBoxes = 100

/** Whether an AVIF file contains an image sequence but no still image. libheif would report such a file as damaged. */
export async function hasOnlySequence(path: string): Promise<boolean> {
  await using file = await open(path)
  const types: string[] = []
  try {
    for await (const { type } of readMp4Boxes(await openRandomAccess(file), maxTopLevelBoxes))
      types.push(type)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  return types.includes('moov') && !types.includes('meta')
}
