import { open } from 'node:fs/promises'
import { join, parse } from 'node:path'
import type { FormatId } from '../../formats/index.ts'
import type { Tools } from '../engine.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { createCorruptMediaError } from './probe.ts'

/** ffmpeg 5 cannot decode larger samples; support starts with version 6. */
const maxFfmpegBits = 24

/**
 * Offset of the sample size in the first metadata block. The size takes five bits (value minus one), from the last bit
 * of the 13th byte on (RFC 9639, 8.2).
 */
const sampleSizeOffset = 'fLaC'.length + 4 + 12

export async function is32BitFlac(path: string, format: FormatId): Promise<boolean> {
  if (format !== 'flac') return false
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(
    Buffer.alloc(sampleSizeOffset + 2),
    0,
    sampleSizeOffset + 2,
    0,
  )
  if (bytesRead < sampleSizeOffset + 2 || buffer.toString('latin1', 0, 4) !== 'fLaC') return false
  return ((buffer.readUInt16BE(sampleSizeOffset) >> 4) & 0b11111) + 1 > maxFfmpegBits
}

/** Decodes the samples with the reference decoder to a file in the work folder. @throws AppError CORRUPT_FILE. */
export async function decodeFlac(path: string, tools: Tools): Promise<string> {
  const samplesPath = join(tools.workDir, `${parse(path).name}-samples.w64`)
  try {
    // Writes Wave64, because WAV files are limited to 4 GB.
    await tools.exec('flac', ['--decode', '--silent', '--force-wave64-format', '-o', samplesPath, path])
  } catch (error) {
    throw error instanceof ProcessFailure ? createCorruptMediaError('flac', error) : error
  }
  tools.warn(
    'METADATA_DROPPED',
    'Title, cover and other tags were dropped: only the samples of 32-bit FLAC can be read.',
  )
  return samplesPath
}
