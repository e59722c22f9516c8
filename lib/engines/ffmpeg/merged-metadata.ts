import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { Tools } from '../engine.ts'
import type { Container } from './containers.ts'
import { holdsChapters } from './covers-and-subtitles.ts'
import type { Part } from './merge-inputs.ts'
import { type Told, tellAll } from './metadata.ts'
import { textNames, textsWarning } from './tag-support.ts'

/** What a merge says of itself, as a file that ffmpeg reads beside the parts. */
export interface MergedTexts {
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
export async function mergedTexts(
  parts: readonly Part[],
  { muxer }: Container,
  gap: number,
  tools: Tools,
): Promise<MergedTexts> {
  const told: (Told | undefined)[] = []
  for (const part of parts)
    told.push(saysAny(part) ? await tellAll(part.path, part.format, tools) : undefined)
  const texts = told.map((one) => (one ? textsIn(one) : new Map<string, string>()))
  const names = textNames.filter((name) => texts.some((of) => of.has(name)))
  const shared = names.filter((name) => texts.every((of) => of.get(name) === texts[0]?.get(name)))
  for (const { code, message } of textsWarning(shared, muxer)) tools.warn(code, message)
  warnOfOwn(
    names.filter((name) => !shared.includes(name)),
    tools,
  )
  const chapters = chaptersOf(parts, told, gap)
  const fits = chapters !== undefined && holdsChapters(muxer)
  if (!fits && parts.some(({ media }) => media.chapters > 0)) {
    const why = chapters ? 'the format cannot hold them' : 'a file does not tell how long it lasts'
    tools.warn('CHAPTERS_DROPPED', `The chapter marks were dropped: ${why}.`)
  }
  const lines = shared.map((name) => pair(name, texts[0]?.get(name) ?? ''))
  const content = [';FFMETADATA1', ...lines, ...(fits ? chapters.flatMap(section) : []), ''].join('\n')
  return writtenTexts({ content, hasChapters: fits }, tools)
}

/** @param texts those of a merge, which another worker may have gathered. */
export async function writtenTexts(
  texts: { readonly content: string; readonly hasChapters: boolean },
  { workDir }: Pick<Tools, 'workDir'>,
): Promise<MergedTexts> {
  const { content, hasChapters } = texts
  const path = join(workDir, 'texts.ffmetadata')
  await writeFile(path, content)
  return {
    ...texts,
    input: ['-f', 'ffmetadata', '-i', path],
    args: (at) => ['-map_metadata', String(at), '-map_chapters', hasChapters ? String(at) : '-1'],
  }
}

/** Most pieces of a recording say nothing, and need not be asked what. */
const saysAny = ({ media: { tags, chapters } }: Part) =>
  chapters > 0 || textNames.some((name) => tags.includes(name))

/** Ogg has them with its sound. */
function textsIn({ format, streams }: Told): Map<string, string> {
  const sound = streams.find(({ codec_type }) => codec_type === 'audio')
  const all = [...Object.entries(sound?.tags ?? {}), ...Object.entries(format.tags)]
  return new Map(all.map(([name, text]) => [name.toLowerCase(), text]))
}

function warnOfOwn(names: readonly string[], tools: Tools): void {
  if (names.length === 0) return
  const list = names.map((name) => name.replace('_', ' ')).join(', ')
  tools.warn('METADATA_DROPPED', `Dropped, as the files that were merged do not share it: ${list}.`)
}

interface Mark {
  readonly startS: number
  readonly endS: number
  readonly title: string
}

/** Undefined where nobody knows when a file begins. */
function chaptersOf(
  parts: readonly Part[],
  told: readonly (Told | undefined)[],
  gap: number,
): Mark[] | undefined {
  let beginS = 0
  const marks: Mark[] = []
  for (const [index, one] of told.entries()) {
    const lastsS = parts[index]?.media.durationS
    if (lastsS === undefined) return undefined
    for (const { start_time, end_time, tags } of z.array(Chapter).catch([]).parse(one?.chapters)) {
      marks.push({
        startS: beginS + start_time,
        endS: beginS + Math.min(end_time, lastsS),
        title: tags.title ?? '',
      })
    }
    beginS += lastsS + gap
  }
  return marks
}

const section = ({ startS, endS, title }: Mark) => [
  '[CHAPTER]',
  'TIMEBASE=1/1000',
  `START=${Math.round(startS * 1000)}`,
  `END=${Math.round(endS * 1000)}`,
  pair('title', title),
]

/** These mean something there (ffmpeg-formats, 5 Metadata). */
const pair = (name: string, text: string) => `${name}=${text.replaceAll(/[=;#\\\n]/g, '\\$&')}`
