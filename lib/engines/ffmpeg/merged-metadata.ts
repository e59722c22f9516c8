import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { Tools } from '../engine.ts'
import type { Container } from './containers.ts'
import { supportsChapters } from './covers-and-subtitles.ts'
import type { MergeInput } from './merge-inputs.ts'
import { type ProbeOutput, probeMetadata } from './metadata.ts'
import { tagWarnings, userTags } from './tag-support.ts'

/** What a merge says of itself, as a file that ffmpeg reads beside the parts. */
export interface MergedMetadata {
  readonly content: string
  readonly hasChapters: boolean
  readonly input: readonly string[]
  /** @param at which of the inputs that file is. */
  args(at: number): string[]
}

const Chapter = z.object({
  start_time: z.coerce.number(),
  end_time: z.coerce.number(),
  tags: z.object({ title: z.string().optional() }).default({}),
})

/**
 * Texts that all files have in common, as artist and album of the pieces of one, and the chapters of each where it lies.
 * What only some of them say is told as dropped. @param gap seconds between two of them.
 */
export async function mergeMetadata(
  mergeInputs: readonly MergeInput[],
  { muxer }: Container,
  gap: number,
  tools: Tools,
): Promise<MergedMetadata> {
  const probes: (ProbeOutput | undefined)[] = []
  for (const mergeInput of mergeInputs)
    probes.push(
      hasMetadata(mergeInput) ? await probeMetadata(mergeInput.path, mergeInput.format, tools) : undefined,
    )
  const tags = probes.map((probe) => (probe ? tagsIn(probe) : new Map<string, string>()))
  const names = userTags.filter((name) => tags.some((one) => one.has(name)))
  const shared = names.filter((name) => tags.every((one) => one.get(name) === tags[0]?.get(name)))
  for (const { code, message } of tagWarnings(shared, muxer)) tools.warn(code, message)
  warnUnsharedTags(
    names.filter((name) => !shared.includes(name)),
    tools,
  )
  const chapters = mergeChapters(mergeInputs, probes, gap)
  const isSupported = chapters !== undefined && supportsChapters(muxer)
  if (!isSupported && mergeInputs.some(({ media }) => media.chapters > 0)) {
    const why = chapters ? 'the format cannot hold them' : 'a file does not tell how long it lasts'
    tools.warn('CHAPTERS_DROPPED', `The chapter marks were dropped: ${why}.`)
  }
  const lines = shared.map((name) => formatTag(name, tags[0]?.get(name) ?? ''))
  const content = [
    ';FFMETADATA1',
    ...lines,
    ...(isSupported ? chapters.flatMap(formatChapter) : []),
    '',
  ].join('\n')
  return writeMergedMetadata({ content, hasChapters: isSupported }, tools)
}

/** @param metadata those of a merge, which another worker may have gathered. */
export async function writeMergedMetadata(
  metadata: { readonly content: string; readonly hasChapters: boolean },
  { workDir }: Pick<Tools, 'workDir'>,
): Promise<MergedMetadata> {
  const { content, hasChapters } = metadata
  const path = join(workDir, 'texts.ffmetadata')
  await writeFile(path, content)
  return {
    ...metadata,
    input: ['-f', 'ffmetadata', '-i', path],
    args: (at) => ['-map_metadata', String(at), '-map_chapters', hasChapters ? String(at) : '-1'],
  }
}

/** Most pieces of a recording say nothing, and need not be asked what. */
const hasMetadata = ({ media: { tags, chapters } }: MergeInput) =>
  chapters > 0 || userTags.some((name) => tags.includes(name))

/** Ogg has them with its sound. */
function tagsIn({ format, streams }: ProbeOutput): Map<string, string> {
  const sound = streams.find(({ codec_type }) => codec_type === 'audio')
  const all = [...Object.entries(sound?.tags ?? {}), ...Object.entries(format.tags)]
  return new Map(all.map(([name, text]) => [name.toLowerCase(), text]))
}

function warnUnsharedTags(names: readonly string[], tools: Tools): void {
  if (names.length === 0) return
  const list = names.map((name) => name.replace('_', ' ')).join(', ')
  tools.warn('METADATA_DROPPED', `Dropped, as the files that were merged do not share it: ${list}.`)
}

interface ChapterMark {
  readonly startS: number
  readonly endS: number
  readonly title: string
}

/** Undefined where nobody knows when a file begins. */
function mergeChapters(
  mergeInputs: readonly MergeInput[],
  probes: readonly (ProbeOutput | undefined)[],
  gap: number,
): ChapterMark[] | undefined {
  let startS = 0
  const marks: ChapterMark[] = []
  for (const [index, probe] of probes.entries()) {
    const durationS = mergeInputs[index]?.media.durationS
    if (durationS === undefined) return undefined
    for (const { start_time, end_time, tags } of z.array(Chapter).catch([]).parse(probe?.chapters)) {
      marks.push({
        startS: startS + start_time,
        endS: startS + Math.min(end_time, durationS),
        title: tags.title ?? '',
      })
    }
    startS += durationS + gap
  }
  return marks
}

const formatChapter = ({ startS, endS, title }: ChapterMark) => [
  '[CHAPTER]',
  'TIMEBASE=1/1000',
  `START=${Math.round(startS * 1000)}`,
  `END=${Math.round(endS * 1000)}`,
  formatTag('title', title),
]

/** These mean something there (ffmpeg-formats, 5 Metadata). */
const formatTag = (name: string, text: string) => `${name}=${text.replaceAll(/[=;#\\\n]/g, '\\$&')}`
