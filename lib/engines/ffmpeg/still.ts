import type { FormatId } from '../../formats/index.ts'
import type { Tools } from '../engine.ts'
import { runFfmpeg } from './run.ts'

/**
 * A bitmap as PNG, because the picture library does not read all of its many kinds, or how an animated PNG begins.
 * @throws ProcessFailure.
 */
export async function firstPicture(
  source: string,
  from: FormatId,
  target: string,
  tools: Tools,
): Promise<void> {
  const demuxer = from === 'apng' ? 'apng' : 'bmp_pipe'
  const input = ['-protocol_whitelist', 'file,pipe', '-f', demuxer, '-i', source]
  await runFfmpeg(
    [...input, '-frames:v', '1', '-f', 'image2', '-update', '1', target],
    { durationS: undefined },
    tools,
  )
}
