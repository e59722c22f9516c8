import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { FormatId } from '../../formats/index.ts'
import { keysOf } from '../../validation/keys-of.ts'
import type { Capability, EngineResult, EngineWork, InputFile, Tools } from '../engine.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { MetadataOptions } from '../shared/metadata/options.ts'
import { createDemuxerArgs } from './demuxers.ts'
import { createCorruptMediaError } from './probe.ts'

/** Formats whose metadata can be written, with ffmpeg's muxer names. */
export const metadataMuxers = {
  mp3: 'mp3',
  m4a: 'ipod',
  m4b: 'ipod',
  flac: 'flac',
  ogg: 'ogg',
  oga: 'ogg',
  opus: 'opus',
  mka: 'matroska',
  weba: 'webm',
  mp4: 'mp4',
  m4v: 'mp4',
  mov: 'mov',
  mkv: 'matroska',
  webm: 'webm',
} as const satisfies Partial<Record<FormatId, string>>

/** Formats that exiftool cannot read; for all others, exiftool reports more than ffprobe. */
const ffprobeFormats: readonly FormatId[] = [
  ...(['aac', 'ac3', 'eac3', 'dts', 'amr', 'awb', 'au', 'snd', 'caf', 'wv', 'tta', 'mp2'] as const),
  ...(['mpa', 'w64', 'spx', 'latm', 'mlp', 'thd', 'voc', 'sf', 'ast', 'adx', 'tracker'] as const),
  ...(['8svx', 'maud', 'avr', 'paf', 'pvf', 'sph', 'hcom', 'ts', 'm2t', 'trp', 'tod', 'm1v'] as const),
  ...(['m2v', 'dv', 'nut', 'h264', 'hevc', 'obu', 'ivf', 'y4m', 'gxf', 'h261', 'h263', 'roq'] as const),
  ...(['smjpeg', 'mjpeg', 'mp4v', 'amv'] as const),
]

export const mediaMetadataRows: readonly Capability[] = [
  { operation: 'metadata', from: ffprobeFormats, to: ['json'], options: z.object({}), cost: 0.3 },
  ...keysOf(metadataMuxers).map(
    (id): Capability => ({
      operation: 'metadata/write',
      from: [id],
      to: [id],
      same: true,
      options: MetadataOptions,
      cost: 0.5,
    }),
  ),
]

const Tags = z.record(z.string(), z.string()).default({})
const ProbeOutput = z.object({
  format: z.looseObject({ tags: Tags }),
  streams: z.array(
    z.looseObject({
      index: z.number(),
      codec_type: z.string().default('unknown'),
      codec_tag_string: z.string().default(''),
      disposition: z.record(z.string(), z.number()).default({}),
      tags: Tags,
    }),
  ),
  chapters: z.array(z.unknown()).default([]),
})
export type ProbeOutput = z.output<typeof ProbeOutput>

/** Returns ffprobe's output. @throws AppError CORRUPT_FILE. */
export async function probeMetadata(path: string, from: FormatId, tools: Tools): Promise<ProbeOutput> {
  const showArgs = ['-show_format', '-show_streams', '-show_chapters', '-of', 'json']
  try {
    const args = ['-v', 'error', ...createDemuxerArgs(from), ...showArgs, '-i', path]
    const { stdout } = await tools.exec('ffprobe', args, { timeoutS: 60 })
    return ProbeOutput.parse(JSON.parse(stdout))
  } catch (error) {
    throw error instanceof ProcessFailure ? createCorruptMediaError(from, error) : error
  }
}

/** Writes metadata as JSON: one object for the file, for each stream and for the chapters. */
export async function readMediaMetadata(
  { from, outDir }: EngineWork,
  input: InputFile,
  tools: Tools,
): Promise<EngineResult> {
  const { format, streams, chapters } = await probeMetadata(input.path, from, tools)
  // Removes the file name, which is generated.
  const { filename: _, ...formatFields } = format
  const groups = {
    Format: formatFields,
    ...Object.fromEntries(streams.map((stream, at) => [`Stream${at + 1}`, stream])),
    ...(chapters.length > 0 && { Chapters: chapters }),
  }
  const path = join(outDir, 'output.json')
  await writeFile(path, `${JSON.stringify(groups, null, 2)}\n`)
  tools.progress(1)
  const tagCount = Object.values(groups).reduce((sum, group) => sum + Object.keys(group).length, 0)
  return { files: [{ path, format: 'json' }], details: { tags: tagCount } }
}
