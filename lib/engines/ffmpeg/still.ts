import { open } from 'node:fs/promises'
import type { FormatId } from '../../formats/index.ts'
import type { Tools } from '../engine.ts'
import { localOnly } from './inputs.ts'
import { runFfmpeg } from './run.ts'

const demuxers: Readonly<Partial<Record<FormatId, string>>> = {
  apng: 'apng',
  bmp: 'bmp_pipe',
  dds: 'dds_pipe',
}

/**
 * A bitmap or texture as PNG or TIFF, because the picture libraries do not read all of their many kinds, or how an
 * animated PNG begins.
 * @throws ProcessFailure.
 */
export async function firstPicture(
  source: string,
  from: FormatId,
  target: string,
  tools: Tools,
): Promise<void> {
  const input = [...localOnly, '-f', demuxers[from] ?? from, '-i', source]
  const filter = from === 'dds' && (await hasRedFirst(source)) ? ['-vf', redForBlue] : []
  await runFfmpeg(
    [...input, ...filter, '-frames:v', '1', '-f', 'image2', '-update', '1', target],
    { durationS: undefined },
    tools,
  )
}

const redForBlue = 'colorchannelmixer=rr=0:rb=1:br=1:bb=0'

/** ffmpeg takes the plain pixels of Direct3D 10 for blue, green and red, in whatever order they are. */
async function hasRedFirst(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(132), 0, 132, 0)
    // DXGI_FORMAT_R8G8B8A8_TYPELESS to …_SINT.
    const format = bytesRead < 132 ? 0 : buffer.readUInt32LE(128)
    return buffer.toString('latin1', 84, 88) === 'DX10' && format >= 27 && format <= 32
  } finally {
    await file.close()
  }
}
