import type { FormatId } from '../../formats/index.ts'
import type { Tools } from '../engine.ts'
import { isDeepFlac, unpackedFlac } from './flac-32bit.ts'
import { isMidi, playedMidi } from './midi.ts'

/** The file itself, or what another program makes of sound that ffmpeg does not read. @throws AppError CORRUPT_FILE. */
export async function playable(
  path: string,
  from: FormatId,
  tools: Tools,
): Promise<{ path: string; from: FormatId }> {
  if (isMidi(from)) return { path: await playedMidi(path, from, tools), from: 'wav' }
  if (await isDeepFlac(path, from)) return { path: await unpackedFlac(path, tools), from: 'w64' }
  return { path, from }
}
