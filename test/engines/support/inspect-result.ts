import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import * as z from 'zod'
import { type FormatId, formatById } from '../../../lib/formats/index.ts'
import { minSpread, readImageFacts } from '../../conformance/image-facts.ts'
import { python3 } from '../../support/python.ts'
import { readArchive } from './inspect-archive.ts'
import { assertEbook } from './inspect-ebook.ts'
import { countCharacters } from './inspect-font.ts'
import { assertTimed } from './parse-cues.ts'
import { createRawInputArgs } from './raw-media.ts'
import { readSizeInHeader } from './read-image-header.ts'

const run = promisify(execFile)

export async function readStdout(bin: string, ...args: string[]): Promise<string> {
  const { stdout } = await run(bin, args, { maxBuffer: 64 * 1024 * 1024 })
  return stdout
}

const Probe = z.object({
  streams: z.array(
    z.looseObject({
      codec_type: z.string(),
      codec_name: z.string().default('unknown'),
      width: z.number().optional(),
      height: z.number().optional(),
      pix_fmt: z.string().optional(),
      channels: z.number().optional(),
      sample_rate: z.string().optional(),
      nb_read_packets: z.coerce.number().default(0),
      tags: z
        .record(z.string(), z.string())
        .default({})
        .transform((tags) =>
          Object.fromEntries(Object.entries(tags).map(([key, value]) => [key.toLowerCase(), value])),
        ),
    }),
  ),
  format: z.looseObject({ duration: z.coerce.number().optional() }),
})

/** Returns ffprobe's output for a file, with the number of readable packets per stream. */
export async function runFfprobe(path: string): Promise<z.output<typeof Probe>> {
  const show = ['-count_packets', '-show_streams', '-show_format', '-of', 'json']
  const args = ['-v', 'error', ...show, ...createRawInputArgs(path), path]
  return Probe.parse(JSON.parse(await readStdout('ffprobe', ...args)))
}

interface Result {
  readonly path: string
}

/** Returns the streams of one type. */
export async function probeStreams({ path }: Result, type: 'video' | 'audio' | 'subtitle') {
  return (await runFfprobe(path)).streams.filter((stream) => stream.codec_type === type)
}

export const probeCodecs = async ({ path }: Result) =>
  (await runFfprobe(path)).streams.map(({ codec_name }) => codec_name)

export interface Size {
  readonly width: number
  readonly height: number
}

/** Returns the size of an image according to a tool that was not involved in its conversion. */
export async function readImageSize(path: string, format: FormatId): Promise<Size> {
  if (format === 'heic' || format === 'avif') {
    const [, width, height] = /^image: (\d+)x(\d+)/m.exec(await readStdout('heif-info', path)) ?? []
    return { width: Number(width), height: Number(height) }
  }
  if (format === 'hdr') {
    const [, height, width] = /-Y (\d+) \+X (\d+)/.exec(await readFile(path, 'latin1')) ?? []
    return { width: Number(width), height: Number(height) }
  }
  // The size is in hundredths of a millimeter in EMF ([MS-EMF] 2.3.4.2), in logical units in WMF ([MS-WMF] 2.3.2.3).
  if (format === 'emf') {
    const bytes = await readFile(path)
    assert.equal(bytes.toString('latin1', 40, 44), ' EMF')
    assert.equal(bytes.readUInt32LE(48), bytes.length, 'the header contains the file size')
    return {
      width: bytes.readInt32LE(32) - bytes.readInt32LE(24),
      height: bytes.readInt32LE(36) - bytes.readInt32LE(28),
    }
  }
  if (format === 'wmf') {
    const bytes = await readFile(path)
    assert.equal(bytes.readUInt32LE(0), 0x9ac6cdd7)
    return {
      width: bytes.readInt16LE(10) - bytes.readInt16LE(6),
      height: bytes.readInt16LE(12) - bytes.readInt16LE(8),
    }
  }
  if (format === 'cin' || format === 'miff') return readHeaderSize(await readFile(path), format)
  if (format === 'webp') return readWebpSize(await readFile(path))
  if (format === 'eps' || format === 'ai') return measureDrawing(path)
  if (format === 'svg' || format === 'svgz') {
    const [, width, height] =
      /width="([\d.]+)\D*"\s+height="([\d.]+)/.exec(await readSvgText(path, format)) ?? []
    return { width: Number(width), height: Number(height) }
  }
  if (format === 'jxl') {
    const [, width, height] = /, (\d+)x(\d+),/.exec(await readStdout('jxlinfo', path)) ?? []
    return { width: Number(width), height: Number(height) }
  }
  const size = await readSizeInHeader(path, format)
  if (size) return size
  const { streams } = await runFfprobe(path)
  return { width: streams[0]?.width ?? 0, height: streams[0]?.height ?? 0 }
}

async function readSvgText(path: string, format: 'svg' | 'svgz'): Promise<string> {
  const bytes = await readFile(path)
  return (format === 'svgz' ? gunzipSync(bytes) : bytes).toString('utf8')
}

/**
 * Returns the size of the drawn area. Ghostscript reads PostScript and PDF, and does not create our EPS and AI files.
 */
async function measureDrawing(path: string): Promise<Size> {
  const { stderr } = await run('gs', ['-q', '-dSAFER', '-dBATCH', '-dNOPAUSE', '-sDEVICE=bbox', path])
  const [, left, bottom, right, top] = /HiResBoundingBox: (\S+) (\S+) (\S+) (\S+)/.exec(stderr) ?? []
  return { width: Number(right) - Number(left), height: Number(top) - Number(bottom) }
}

/** ffprobe of Debian 12 cannot read WebP animations, so the canvas size is read from the header (RFC 9649). */
function readWebpSize(bytes: Buffer): Size {
  if (bytes.toString('latin1', 12, 16) === 'VP8X') {
    return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
  }
  if (bytes.toString('latin1', 12, 16) === 'VP8L') {
    const bits = bytes.readUInt32LE(21)
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 }
  }
  return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
}

/** No other decoder here reads these formats: Cineon has numbers at fixed offsets, MIFF has a text header. */
function readHeaderSize(bytes: Buffer, format: 'cin' | 'miff'): Size {
  if (format === 'cin') {
    assert.equal(bytes.readUInt32BE(0), 0x802a5fd7)
    return { width: bytes.readUInt32BE(200), height: bytes.readUInt32BE(204) }
  }
  const [, width, height] = /^columns=(\d+)\s+rows=(\d+)/m.exec(bytes.toString('latin1')) ?? []
  return { width: Number(width), height: Number(height) }
}

export async function countPdfPages(path: string): Promise<number> {
  return Number(/^Pages:\s+(\d+)/m.exec(await readStdout('pdfinfo', path))?.[1] ?? 0)
}

export async function readPdfText(path: string): Promise<string> {
  return readStdout('pdftotext', path, '-')
}

/** Returns the names in a ZIP and fails if the checksum of an entry is wrong. */
export async function listZipNames(path: string): Promise<string[]> {
  await readStdout(python3, '-m', 'zipfile', '-t', path)
  const listing = await readStdout(
    python3,
    '-c',
    'import sys, zipfile; print("\\n".join(zipfile.ZipFile(sys.argv[1]).namelist()))',
    path,
  )
  return listing.trim().split('\n')
}

/** Returns the conversion parameters from the manifest of a ZIP of pages. */
export async function readManifestParameters(path: string): Promise<unknown> {
  const program = 'import sys, zipfile; print(zipfile.ZipFile(sys.argv[1]).read("manifest.json").decode())'
  return JSON.parse(await readStdout(python3, '-c', program, path)).parameters
}

/** Returns the names and hashes of the files in a ZIP, in order. */
export async function hashZipEntries(path: string): Promise<string[]> {
  const program = `import hashlib, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
for name in archive.namelist(): print(name, hashlib.sha256(archive.read(name)).hexdigest())`
  return (await readStdout(python3, '-c', program, path)).trim().split('\n')
}

/** Fails unless a file is a complete and plausible file of its format. */
export async function assertIntact(path: string, format: FormatId): Promise<void> {
  assert.ok((await stat(path)).size > 0, `${format} is empty`)
  const { category } = formatById(format)
  switch (category) {
    case 'video':
    case 'audio': {
      const { streams } = await runFfprobe(path)
      const expectedStreams = streams.filter((stream) => stream.codec_type === category)
      assert.ok(
        expectedStreams.some((stream) => stream.nb_read_packets > 0),
        `${format} has no ${category} packets`,
      )
      return
    }
    case 'image': {
      const { width, height } = await readImageSize(path, format)
      assert.ok(width > 0 && height > 0, `${format} has no size`)
      return
    }
    case 'document':
      if (format === 'pdf') assert.ok((await countPdfPages(path)) > 0)
      // An image in PostScript has no text.
      if (format === 'ps')
        assert.ok(((await readImageFacts(path, undefined))?.spread ?? 0) >= minSpread, 'ps is blank')
      await assertTimed(path, format)
      return
    case 'ebook':
      await assertEbook(path, format)
      return
    case 'archive':
      assert.ok(Object.keys(await readArchive(path, format)).length > 0)
      return
    case 'font':
      assert.ok((await countCharacters(path, format)) > 0, `${format} shows no characters`)
  }
}
