import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FormatId } from '../../formats/index.ts'
import type { Tools } from '../engine.ts'
import { inputGuard } from './demuxers.ts'
import type { MediaStream } from './probe.ts'
import { runFfmpeg } from './run.ts'

const frontCover = 3
const bitsOfPixel = 24

/** Bytes of a picture above which it is no longer one for the head of a file. */
const mostBytes = 16 * 1024 * 1024

interface Covered {
  readonly path: string
  readonly from: FormatId
  readonly cover: MediaStream
}

/**
 * The cover of a file as Ogg has it, a block of FLAC (RFC 9639, 8.8) in Base64 among its texts: what `ffmpeg` reads as
 * metadata, too long for an argument. Undefined for one that is too large. @throws ProcessFailure.
 */
export async function coverAsText({ path, from, cover }: Covered, tools: Tools): Promise<string | undefined> {
  const picture = join(tools.workDir, 'cover')
  const copied = ['-map', `0:${cover.index}`, '-c', 'copy', '-frames:v', '1', '-f', 'image2', '-update', '1']
  await runFfmpeg([...inputGuard(from), '-i', path, ...copied, picture], { durationS: undefined }, tools)
  const bytes = await readFile(picture)
  if (bytes.length > mostBytes) return undefined
  const type = Buffer.from(cover.codec_name === 'png' ? 'image/png' : 'image/jpeg')
  const { width = 0, height = 0 } = cover
  const block = Buffer.concat([
    ...[number(frontCover), number(type.length), type, number(0)],
    ...[number(width), number(height), number(bitsOfPixel), number(0)],
    ...[number(bytes.length), bytes],
  ])
  const text = join(tools.workDir, 'cover.txt')
  const value = block.toString('base64').replaceAll('=', '\\=')
  await writeFile(text, `;FFMETADATA1\nMETADATA_BLOCK_PICTURE=${value}\n`)
  return text
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
