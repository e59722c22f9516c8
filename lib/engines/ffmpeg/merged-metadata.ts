import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { Tools } from '../engine.ts'
import type { Container } from './containers.ts'
import { supportsChapters } from './covers-and-subtitles.ts'
import type { MergeInput } from './merge-inputs.ts'
import { type ProbeOutput, probeMetadata } from './metadata.ts'
import { createTagWarnings, userTagNames } from './tag-support.ts'

/** Tags and chapters of a merge, in a file that ffmpeg reads as an additional input. */
export interface MergedMetadata {
  readonly content: string
  readonly hasChapters: boolean
  readonly input: readonly string[]
  /** Returns ffmpeg's arguments for the output. @param at index of the additional input */
  args(at: number): string[]
}

const Chapter = z.object({
  start_time: z.coerce.number(),
  end_time: z.coerce.number(),
  tags: z.object({ title: z.string().optional() }).default({}),
})

/**
 * Collects the tags that are equal in all files, such as artist and album, and the chapters of each file at its new
 * position. Warns about the other tags. @param gap seconds between two files
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
  const tags = probes.map((probe) => (probe ? readTags(probe) : new Map<string, string>()))
  const tagNames = userTagNames.filter((name) => tags.some((fileTags) => fileTags.has(name)))
  const sharedTagNames = tagNames.filter((name) =>
    tags.every((fileTags) => fileTags.get(name) === tags[0]?.get(name)),
  )
  for (const { code, message } of createTagWarnings(sharedTagNames, muxer)) tools.warn(code, message)
  warnAboutUnsharedTags(
    tagNames.filter((name) => !sharedTagNames.includes(name)),
    tools,
  )
  const chapters = mergeChapters(mergeInputs, probes, gap)
  const isSupported = chapters !== undefined && supportsChapters(muxer)
  if (!isSupported && mergeInputs.some(({ media }) => media.chapters > 0)) {
    const reason = chapters ? 'the format does not support them' : 'the duration of a file is unknown'
    tools.warn('CHAPTERS_DROPPED', `The chapter marks were dropped: ${reason}.`)
  }
  const lines = sharedTagNames.map((name) => formatTag(name, tags[0]?.get(name) ?? ''))
  const content = [
    ';FFMETADATA1',
    ...lines,
    ...(isSupported ? chapters.flatMap(formatChapter) : []),
    '',
  ].join('\n')
  return writeMergedMetadata({ content, hasChapters: isSupported }, tools)
}

/** Writes the metadata of a merge to a file for ffmpeg. Another worker may have collected the metadata. */
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

/**
 * Whether a file has tags or chapters, for which it must be probed again. Most files of a split recording have neither.
 */
const hasMetadata = ({ media: { tags, chapters } }: MergeInput) =>
  chapters > 0 || userTagNames.some((name) => tags.includes(name))

/** Returns the tags of a file, which Ogg stores in the audio stream. */
function readTags({ format, streams }: ProbeOutput): Map<string, string> {
  const audio = streams.find(({ codec_type }) => codec_type === 'audio')
  const allTags = [...Object.entries(audio?.tags ?? {}), ...Object.entries(format.tags)]
  return new Map(allTags.map(([name, text]) => [name.toLowerCase(), text]))
}

function warnAboutUnsharedTags(tagNames: readonly string[], tools: Tools): void {
  if (tagNames.length === 0) return
  const nameList = tagNames.map((name) => name.replace('_', ' ')).join(', ')
  tools.warn(
    'METADATA_DROPPED',
    `These tags were dropped because they differ between the merged files: ${nameList}.`,
  )
}

interface ChapterMark {
  readonly startS: number
  readonly endS: number
  readonly title: string
}

/** Returns undefined if the duration of a file is unknown. */
function mergeChapters(
  mergeInputs: readonly MergeInput[],
  probes: readonly (ProbeOutput | undefined)[],
  gap: number,
): ChapterMark[] | undefined {
  let startS = 0
  const chapterMarks: ChapterMark[] = []
  for (const [index, probe] of probes.entries()) {
    const durationS = mergeInputs[index]?.media.durationS
    if (durationS === undefined) return undefined
    for (const { start_time, end_time, tags } of z.array(Chapter).catch([]).parse(probe?.chapters)) {
      chapterMarks.push({
        startS: startS + start_time,
        endS: startS + Math.min(end_time, durationS),
        title: tags.title ?? '',
      })
    }
    startS += durationS + gap
  }
  return chapterMarks
}

const formatChapter = ({ startS, endS, title }: ChapterMark) => [
  '[CHAPTER]',
  'TIMEBASE=1/1000',
  `START=${Math.round(startS * 1000)}`,
  `END=${Math.round(endS * 1000)}`,
  formatTag('title', title),
]

/** Escapes special characters of metadata files (ffmpeg-formats, 5 Metadata). */
const formatTag = (name: string, text: string) => `${name}=${text.replaceAll(/[=;#\\\n]/g, '\\$&')}`
