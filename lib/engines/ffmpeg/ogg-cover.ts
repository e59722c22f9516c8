import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FormatId } from '../../formats/index.ts'
import type { Tools } from '../engine.ts'
import { createDemuxerArgs } from './demuxers.ts'
import type { MediaStream } from './probe.ts'
import { runFfmpeg } from './run.ts'

const frontCoverType = 3
const bitsPerPixel = 24

/** Larger images are not embedded, because they would delay the start of playback. */
const maxCoverBytes = 16 * 1024 * 1024

interface CoverSource {
  readonly path: string
  readonly from: FormatId
  readonly cover: MediaStream
}

/**
 * Writes the cover to a metadata file for ffmpeg, as an Ogg tag: a FLAC picture block (RFC 9639, 8.8) in Base64. The
 * tag is too long for an argument. Returns the path, or undefined if the cover is too large. @throws ProcessFailure.
 */
export async function writeOggCover(
  { path, from, cover }: CoverSource,
  tools: Tools,
): Promise<string | undefined> {
  const imagePath = join(tools.workDir, 'cover')
  const copyArgs = [
    '-map',
    `0:${cover.index}`,
    '-c',
    'copy',
    '-frames:v',
    '1',
    '-f',
    'image2',
    '-update',
    '1',
  ]
  await runFfmpeg(
    [...createDemuxerArgs(from), '-i', path, ...copyArgs, imagePath],
    { durationS: undefined },
    tools,
  )
  const bytes = await readFile(imagePath)
  if (bytes.length > maxCoverBytes) return undefined
  const type = Buffer.from(cover.codec_name === 'png' ? 'image/png' : 'image/jpeg')
  const { width = 0, height = 0 } = cover
  const block = Buffer.concat([
    ...[encodeUint32(frontCoverType), encodeUint32(type.length), type, encodeUint32(0)],
    ...[encodeUint32(width), encodeUint32(height), encodeUint32(bitsPerPixel), encodeUint32(0)],
    ...[encodeUint32(bytes.length), bytes],
  ])
  const metadataPath = join(tools.workDir, 'cover.txt')
  const encodedPicture = block.toString('base64').replaceAll('=', '\\=')
  await writeFile(metadataPath, `;FFMETADATA1\nMETADATA_BLOCK_PICTURE=${encodedPicture}\n`)
  return metadataPath
}

function encodeUint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
