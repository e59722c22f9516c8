import { open } from 'node:fs/promises'
import { join, parse } from 'node:path'
import type { FormatId } from '../../formats/index.ts'
import type { Tools } from '../engine.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { damagedMediaError } from './probe.ts'

/** Samples of more bits are read by ffmpeg from version 6 on; 5 makes nothing of them. */
const maxFfmpegBits = 24

/** Bits of a sample stand five in a row, less one, at the end of 13th byte of the first block (RFC 9639, section 8.2). */
const bitsOffset = 'fLaC'.length + 4 + 12

export async function is32BitFlac(path: string, format: FormatId): Promise<boolean> {
  if (format !== 'flac') return false
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bitsOffset + 2), 0, bitsOffset + 2, 0)
  if (bytesRead < bitsOffset + 2 || buffer.toString('latin1', 0, 4) !== 'fLaC') return false
  return ((buffer.readUInt16BE(bitsOffset) >> 4) & 0b11111) + 1 > maxFfmpegBits
}

/** The samples alone, by the reference decoder, into a file of the work folder. @throws AppError CORRUPT_FILE. */
export async function decodeFlac(path: string, tools: Tools): Promise<string> {
  const samples = join(tools.workDir, `${parse(path).name}-samples.w64`)
  try {
    // A WAV of that name ends at 4 GB.
    await tools.exec('flac', ['--decode', '--silent', '--force-wave64-format', '-o', samples, path])
  } catch (error) {
    throw error instanceof ProcessFailure ? damagedMediaError('flac', error) : error
  }
  tools.warn(
    'METADATA_DROPPED',
    'Title, cover and other tags were left out: FLAC of 32 bits is read by its samples.',
  )
  return samples
}
