import type { FormatId } from '../../formats/index.ts'
import type { Tools } from '../engine.ts'
import { decodeFlac, is32BitFlac } from './flac-32bit.ts'
import { isMidi, renderMidi } from './midi.ts'

/**
 * Uses another program to decode audio that ffmpeg cannot read; returns other files unchanged.
 * @throws AppError CORRUPT_FILE.
 */
export async function predecodeAudio(
  path: string,
  from: FormatId,
  tools: Tools,
): Promise<{ path: string; from: FormatId }> {
  if (isMidi(from)) return { path: await renderMidi(path, from, tools), from: 'wav' }
  if (await is32BitFlac(path, from)) return { path: await decodeFlac(path, tools), from: 'w64' }
  return { path, from }
}
