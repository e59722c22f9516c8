import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openBuffer, type RandomAccess } from '../../binary/random-access.ts'
import { findRiffChunks, readRiffForm } from '../../binary/riff.ts'
import { AppError } from '../../errors.ts'
import type { FormatId } from '../../formats/index.ts'
import type { Tools } from '../engine.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { createCorruptMediaError } from './probe.ts'

/** General MIDI instruments, 6 MB; from the package timgm6mb-soundfont. */
const soundFont = '/usr/share/sounds/sf2/TimGM6mb.sf2'
/** Size of three hours of stereo. A MIDI file of a few bytes can contain rests that last for years. */
const maxWavBytes = 3 * 3600 * 44_100 * 4

const midiFormats: readonly FormatId[] = ['mid', 'midi', 'kar', 'rmi']

export const isMidi = (format: FormatId) => midiFormats.includes(format)

/** Renders MIDI to a WAV file in the work folder and returns its path. @throws AppError CORRUPT_FILE. */
export async function renderMidi(path: string, format: FormatId, tools: Tools): Promise<string> {
  const midiPath = join(tools.workDir, 'notes.mid')
  await writeFile(midiPath, await extractMidi(path, format))
  const wavPath = join(tools.workDir, 'notes.wav')
  const args = ['-q', '-n', '-i', '-r', '44100', '-T', 'wav', '-O', 's16', '-F', wavPath, soundFont, midiPath]
  try {
    await tools.exec('fluidsynth', args, { maxFileBytes: maxWavBytes })
  } catch (error) {
    if (error instanceof ProcessFailure) throw createCorruptMediaError(format, error)
    throw error
  }
  const { size } = await stat(wavPath).catch(() => ({ size: 0 }))
  // For a file that it cannot read, fluidsynth reports no error but writes an empty result.
  if (size <= 1024) throw createMidiError(format)
  return wavPath
}

/** Maximum number of chunks to search; the `data` chunk is normally the first or second. */
const maxChunks = 100

/** Returns the MIDI data, extracted from its RIFF container if there is one. */
async function extractMidi(path: string, format: FormatId): Promise<Uint8Array> {
  const { size } = await stat(path)
  if (size > 64 * 1024 * 1024) throw createMidiError(format)
  const bytes = await readFile(path)
  const start = await findMidi(openBuffer(bytes))
  if (start === undefined || bytes.toString('latin1', start, start + 4) !== 'MThd')
    throw createMidiError(format)
  return bytes.subarray(start)
}

/** Returns the offset of the MIDI data; undefined if a RIFF file has none. */
async function findMidi(file: RandomAccess): Promise<number | undefined> {
  const form = await readRiffForm(file)
  if (!form) return 0
  for await (const { start } of findRiffChunks(file, form, ['data'], maxChunks)) return start
  return undefined
}

function createMidiError(format: FormatId): AppError {
  return new AppError('CORRUPT_FILE', `The MIDI file (${format}) is damaged: it contains no notes.`, {
    format,
  })
}
