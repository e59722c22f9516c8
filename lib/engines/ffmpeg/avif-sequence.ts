import { open } from 'node:fs/promises'
import { Mp4Boxes } from '../../binary/mp4.ts'
import { openRandomAccess } from '../../binary/random-access.ts'
import type { Tools } from '../engine.ts'
import { localProtocolArgs } from './demuxers.ts'
import { runFfmpeg } from './run.ts'

const maxMovieBoxes = 1000

/**
 * Converts the first frame of an AVIF sequence to PNG. Image libraries only read AVIF files with a still image, and in
 * a sequence, transparency is a separate track (AV1 Image File Format, sections 3 and 4).
 */
export async function extractAvifFrame(sourcePath: string, targetPath: string, tools: Tools): Promise<void> {
  const alphaTrack = await findAlphaTrack(sourcePath)
  const filterArgs =
    alphaTrack === undefined
      ? ['-map', '0:v:0']
      : ['-filter_complex', `[0:v:0][0:${alphaTrack}]alphamerge,format=rgba[image]`, '-map', '[image]']
  const inputArgs = [...localProtocolArgs, '-f', 'mov', '-i', sourcePath]
  await runFfmpeg(
    [...inputArgs, ...filterArgs, '-frames:v', '1', '-f', 'image2', '-update', '1', targetPath],
    { durationS: undefined },
    tools,
  )
  tools.warn('ANIMATION_DROPPED', 'Only the first frame of the image sequence was kept.')
}

/** Returns the index of the auxiliary track, if any (ISO 23008-12, 7.5.3). */
async function findAlphaTrack(path: string): Promise<number | undefined> {
  await using file = await open(path)
  try {
    // Awaits the result here, because `file` is closed when this function returns.
    return await findAuxiliaryTrack(new Mp4Boxes(await openRandomAccess(file), maxMovieBoxes))
  } catch (error) {
    // The error is ignored, because ffmpeg decides whether it can read the file.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

async function findAuxiliaryTrack(boxes: Mp4Boxes): Promise<number | undefined> {
  const movie = await boxes.findTopLevel('moov')
  const tracks = movie ? (await boxes.list(movie)).filter(({ type }) => type === 'trak') : []
  for (const [index, track] of tracks.entries()) {
    const handler = await boxes.find(track, 'mdia', 'hdlr')
    if (handler && (await boxes.readStart(handler, 12)).toString('latin1', 8) === 'auxv') return index
  }
  return undefined
}
