import { open } from 'node:fs/promises'
import type { FormatId } from '../../formats/index.ts'
import type { Tools } from '../engine.ts'
import { createFeatureError } from '../unsupported-feature.ts'
import { localProtocolArgs } from './demuxers.ts'
import { runFfmpeg } from './run.ts'

const demuxerByFormat: Readonly<Partial<Record<FormatId, string>>> = {
  apng: 'apng',
  bmp: 'bmp_pipe',
  dds: 'dds_pipe',
}

/**
 * Converts a bitmap or texture to PNG or TIFF, as the image libraries do not support all variants, or extracts the
 * first frame of an animated PNG.
 * @throws ProcessFailure, AppError UNSUPPORTED_FORMAT.
 */
export async function extractFirstFrame(
  sourcePath: string,
  from: FormatId,
  targetPath: string,
  tools: Tools,
): Promise<void> {
  const inputArgs = [...localProtocolArgs, '-f', demuxerByFormat[from] ?? from, '-i', sourcePath]
  const dxgiFormat = from === 'dds' ? await readDx10Format(sourcePath) : undefined
  if (dxgiFormat && misreadDxgiFormats.includes(dxgiFormat))
    throw createFeatureError(from, 'floating-point or signed samples')
  const filterArgs = dxgiFormat ? ['-vf', swapRedAndBlue] : []
  await runFfmpeg(
    [...inputArgs, ...filterArgs, '-frames:v', '1', '-f', 'image2', '-update', '1', targetPath],
    { durationS: undefined },
    tools,
  )
}

const swapRedAndBlue = 'colorchannelmixer=rr=0:rb=1:br=1:bb=0'

/** Formats that ffmpeg misreads as unsigned integers: DXGI_FORMAT_R16G16B16A16_FLOAT, …_SNORM and …_SINT. */
const misreadDxgiFormats: readonly number[] = [10, 13, 14]

/**
 * Finds pixels that ffmpeg reads in the wrong order: it reads all uncompressed Direct3D 10 pixels as BGR.
 * @returns the format number if red comes first: R16G16B16A16_TYPELESS to …_SINT, R8G8B8A8_TYPELESS to …_SINT.
 */
async function readDx10Format(path: string): Promise<number | undefined> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(132), 0, 132, 0)
  if (bytesRead < 132 || buffer.toString('latin1', 84, 88) !== 'DX10') return undefined
  const format = buffer.readUInt32LE(128)
  return (format >= 9 && format <= 14) || (format >= 27 && format <= 32) ? format : undefined
}
