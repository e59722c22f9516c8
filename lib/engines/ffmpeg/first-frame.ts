import { open } from 'node:fs/promises'
import type { FormatId } from '../../formats/index.ts'
import type { Tools } from '../engine.ts'
import { unsupportedFeature } from '../unsupported-feature.ts'
import { localProtocolArgs } from './demuxers.ts'
import { runFfmpeg } from './run.ts'

const demuxers: Readonly<Partial<Record<FormatId, string>>> = {
  apng: 'apng',
  bmp: 'bmp_pipe',
  dds: 'dds_pipe',
}

/**
 * A bitmap or texture as PNG or TIFF, because the picture libraries do not read all of their many kinds, or how an
 * animated PNG begins.
 * @throws ProcessFailure, AppError UNSUPPORTED_FORMAT.
 */
export async function extractFirstFrame(
  source: string,
  from: FormatId,
  target: string,
  tools: Tools,
): Promise<void> {
  const input = [...localProtocolArgs, '-f', demuxers[from] ?? from, '-i', source]
  const dxgiFormat = from === 'dds' ? await uncompressedDx10Format(source) : undefined
  if (dxgiFormat && misreadFormats.includes(dxgiFormat))
    throw unsupportedFeature(from, 'fractions or signs in its samples')
  const filter = dxgiFormat ? ['-vf', swapRedAndBlue] : []
  await runFfmpeg(
    [...input, ...filter, '-frames:v', '1', '-f', 'image2', '-update', '1', target],
    { durationS: undefined },
    tools,
  )
}

const swapRedAndBlue = 'colorchannelmixer=rr=0:rb=1:br=1:bb=0'

/** DXGI_FORMAT_R16G16B16A16_FLOAT, …_SNORM and …_SINT, which ffmpeg takes for whole numbers without a sign. */
const misreadFormats: readonly number[] = [10, 13, 14]

/**
 * ffmpeg takes the plain pixels of Direct3D 10 for blue, green and red, in whatever order they are.
 * @returns the number of those that have red first: R16G16B16A16_TYPELESS to …_SINT, R8G8B8A8_TYPELESS to …_SINT.
 */
async function uncompressedDx10Format(path: string): Promise<number | undefined> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(132), 0, 132, 0)
  if (bytesRead < 132 || buffer.toString('latin1', 84, 88) !== 'DX10') return undefined
  const format = buffer.readUInt32LE(128)
  return (format >= 9 && format <= 14) || (format >= 27 && format <= 32) ? format : undefined
}
