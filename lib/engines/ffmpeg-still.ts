import type { Tools } from './engine.ts'
import { runFfmpeg } from './ffmpeg-run.ts'

/** A bitmap of any of its many kinds as PNG; the picture library does not read them. */
export async function bitmapToPng(source: string, target: string, tools: Tools): Promise<void> {
  const input = ['-protocol_whitelist', 'file,pipe', '-f', 'bmp_pipe', '-i', source]
  await runFfmpeg(
    [...input, '-frames:v', '1', '-f', 'image2', '-update', '1', target],
    { durationS: undefined },
    tools,
  )
}
