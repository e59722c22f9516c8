import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { XMLParser } from 'fast-xml-parser'
import type { FormatId } from '../../../lib/formats/index.ts'

export interface ParsedCue {
  readonly startS: number
  /** NaN if the format has no end times. */
  readonly endS: number
  /** Text without tags. */
  readonly lines: readonly string[]
}

/** Parses the cues that a player would show, without any tool that the converter uses. */
export function parseCues(text: string, format: FormatId): ParsedCue[] {
  switch (format) {
    case 'srt':
    case 'vtt':
      return parseBlocks(text)
    case 'ass':
      return [...text.matchAll(/^Dialogue: [^,]*,([^,]*),([^,]*),(?:[^,]*,){6}(.*)$/gm)].map(
        ([, start = '', end = '', words = '']) =>
          createCue(start, end, words.replaceAll(/\{[^}]*\}/g, '').split('\\N')),
      )
    case 'lrc':
      return [...text.matchAll(/^\[(\d+:\d\d\.\d+)\](.*)$/gm)].map(([, start = '', words = '']) =>
        createCue(start, 'x', [words]),
      )
    case 'ttml':
      // Throws if the XML is not well-formed.
      new XMLParser().parse(text, true)
      return [...text.matchAll(/<p\s+begin="([^"]*)"\s+end="([^"]*)">(.*?)<\/p>/gs)].map(
        ([, start = '', end = '', words = '']) => createCue(start, end, words.split('<br/>').map(stripTags)),
      )
    default:
      return [{ startS: Number.NaN, endS: Number.NaN, lines: text.trimEnd().split('\n') }]
  }
}

/** Fails unless subtitles have cues in order of time. Ignores other formats. */
export async function assertTimed(path: string, format: FormatId): Promise<void> {
  if (!['srt', 'vtt', 'ass', 'ttml', 'lrc'].includes(format)) return
  const cues = parseCues(await readFile(path, 'utf8'), format)
  assert.ok(cues.length > 0, `${format} has no cue`)
  for (const [index, { startS, endS }] of cues.entries()) {
    assert.ok(startS >= (cues[index - 1]?.startS ?? 0), `cue ${index + 1} of ${format} starts at ${startS} s`)
    assert.ok(format === 'lrc' || endS > startS, `cue ${index + 1} of ${format} ends at ${endS} s`)
  }
}

function parseBlocks(text: string): ParsedCue[] {
  return text
    .trim()
    .split(/\n\n+/)
    .flatMap((block) => {
      const lines = block.split('\n')
      const at = lines.findIndex((line) => line.includes(' --> '))
      const [start = '', end = ''] = lines[at]?.split(' --> ') ?? []
      return at < 0 ? [] : [createCue(start, end, lines.slice(at + 1).map(stripTags))]
    })
}

const stripTags = (text: string) => text.replaceAll(/<[^>]*>|\{[^}]*\}/g, '')

const createCue = (start: string, end: string, lines: readonly string[]): ParsedCue => ({
  startS: parseSeconds(start),
  endS: parseSeconds(end),
  lines,
})

const parseSeconds = (time: string) =>
  time
    .replace(',', '.')
    .split(':')
    .reduce((sum, part) => sum * 60 + Number(part), 0)
