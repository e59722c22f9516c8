import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { type FormatId, formatById } from '../../formats/index.ts'
import type { EngineResult, EngineWork, InputFile, Tools } from '../engine.ts'
import { encoding } from '../text/charsets.ts'
import { utf8Copy } from '../text/read-text.ts'
import { removeDrawings } from './ass-drawings.ts'
import { normalizeFields } from './ass-fields.ts'
import { textSubtitleCodecs } from './covers-and-subtitles.ts'
import { demuxerArgs, localProtocolArgs } from './demuxers.ts'
import { decodeEntities } from './html-entities.ts'
import { damagedMediaError, probe } from './probe.ts'
import {
  closeOpenCues,
  extendToNextCue,
  formatSubRip,
  isOpenEnded,
  parseSubRip,
  plainText,
} from './subtitle-cues.ts'

/** How ffmpeg is told to read each; by their first bytes it misses short files and those without a header. */
const demuxers = {
  srt: 'srt',
  vtt: 'webvtt',
  ass: 'ass',
  ssa: 'ass',
  sub: 'microdvd',
  smi: 'sami',
  lrc: 'lrc',
  scc: 'scc',
  mpl2: 'mpl2',
  jss: 'jacosub',
  pjs: 'pjs',
  aqt: 'aqtitle',
} as const satisfies Partial<Record<FormatId, string>>

/** Encoder and muxer. Lyrics have no tags for bold and the like, so they get the words alone. */
const encoders = {
  srt: ['srt', 'srt'],
  vtt: ['webvtt', 'webvtt'],
  ass: ['ass', 'ass'],
  ttml: ['ttml', 'ttml'],
  lrc: ['text', 'lrc'],
} as const satisfies Partial<Record<FormatId, readonly [encoder: string, muxer: string]>>

export const subtitleSources = Object.keys(demuxers) as (keyof typeof demuxers)[] // Object.keys forgets the names.
export const subtitleTargets: readonly FormatId[] = [
  ...(Object.keys(encoders) as (keyof typeof encoders)[]), // Object.keys forgets the names.
  'txt',
]
/** Films that hold text with times, and what it is wanted as. */
export const videosWithSubtitles = ['mkv', 'mp4', 'mov', 'webm', 'm4v'] as const
export const videoSubtitleTargets = ['srt', 'vtt', 'ass'] as const

export const subtitleOptions = z.object({ encoding })

/** Far more words than the longest film has. */
const maxTextMb = 32
/** XML takes several times the bytes of short words. */
const maxFileBytes = 8 * maxTextMb * 1024 * 1024

interface SubtitleFile {
  readonly path: string
  readonly demuxer: string
}

/**
 * The words of a film's first track of text, or of a file of subtitles, in another format.
 * @throws AppError CORRUPT_FILE, FILE_TOO_LARGE, INVALID_INPUT (a film without such a track); ProcessFailure.
 */
export async function convertSubtitles(
  { from, to, options }: EngineWork,
  input: InputFile,
  target: string,
  tools: Tools,
): Promise<EngineResult> {
  const isVideo = videosWithSubtitles.some((one) => one === from)
  const track = isVideo
    ? await extractTrack(input, from, to, tools)
    : await prepareText(input, options, to, tools)
  const plain = join(tools.workDir, 'words.srt')
  await convertWithFfmpeg(track, ['text', 'srt'], plain, tools)
  const parsedCues = parseSubRip(await readFile(plain, 'utf8'))
  const cues =
    from === 'lrc'
      ? extendToNextCue(parsedCues)
      : parsedCues.some(isOpenEnded)
        ? closeOpenCues(parsedCues)
        : parsedCues
  if (cues.length === 0)
    throw isVideo ? noTextSubtitlesError(from, '') : damagedMediaError(from, new Error('no cue was found'))
  const encoder = to in encoders ? encoders[to as keyof typeof encoders] : undefined // Just looked up.
  // Captions are dressed in a font and a place of the decoder's, and the writer of TTML takes no styles.
  const plainOnly = cues !== parsedCues || from === 'scc' || (to === 'ttml' && track.demuxer === 'ass')
  if (plainOnly) await writeFile(plain, formatSubRip(cues))
  if (!encoder) await writeFile(target, plainText(cues))
  else await convertWithFfmpeg(plainOnly ? { path: plain, demuxer: 'srt' } : track, encoder, target, tools)
  // Some writers end the lines within a cue as Windows does, and the others not.
  const output = (await readFile(target, 'utf8')).replaceAll('\r', '')
  await writeFile(target, to === 'vtt' ? escapeVtt(output) : output)
  tools.progress(1)
  return { files: [{ path: target }], details: { cues: cues.length } }
}

async function convertWithFfmpeg(
  { path, demuxer }: SubtitleFile,
  [encoder, muxer]: readonly [string, string],
  target: string,
  tools: Tools,
): Promise<void> {
  const guard = [...localProtocolArgs, '-format_whitelist', demuxer, '-f', demuxer]
  // Otherwise the version of ffmpeg stands in the result.
  const output = ['-map', '0:s:0', '-c:s', encoder, '-flags:s', '+bitexact', '-fflags', '+bitexact']
  await tools.exec('ffmpeg', [...quietArgs, ...guard, '-i', path, ...output, '-f', muxer, target], {
    maxFileBytes,
  })
}

const quietArgs = ['-nostdin', '-hide_banner', '-v', 'error', '-y']

/** The first track of text as a file of its own; styled ones keep their styles. @throws AppError INVALID_INPUT. */
async function extractTrack(
  input: InputFile,
  from: FormatId,
  to: FormatId,
  tools: Tools,
): Promise<SubtitleFile> {
  const { subtitles } = await probe(input.path, from, tools)
  const stream = subtitles.find(({ codec_name }) => textSubtitleCodecs.includes(codec_name))
  if (!stream) throw noTextSubtitlesError(from, subtitles.length > 0 ? ' Those it has are pictures.' : '')
  const kind = to === 'ass' || /^(ass|ssa)$/.test(stream.codec_name) ? 'ass' : 'srt'
  const path = join(tools.workDir, `track.${kind}`)
  const output = ['-map', `0:${stream.index}`, '-c:s', kind, '-f', kind, path]
  await tools.exec('ffmpeg', [...quietArgs, ...demuxerArgs(from), '-i', input.path, ...output], {
    maxFileBytes: maxTextMb * 1024 * 1024,
  })
  if (kind === 'ass' && to !== 'ass') await writeFile(path, simplifyAss(await readFile(path, 'utf8')))
  return { path, demuxer: kind }
}

function noTextSubtitlesError(from: FormatId, why: string): AppError {
  const { name } = formatById(from)
  const sentence = `The ${name} (${from}) has no subtitles that are text.${why} Send a film with a track of text.`
  return new AppError('INVALID_INPUT', sentence, { field: 'file', from })
}

/** A copy in UTF-8 and without what ffmpeg stumbles over. */
async function prepareText(
  input: InputFile,
  options: unknown,
  to: FormatId,
  tools: Tools,
): Promise<SubtitleFile> {
  const { format: from } = input
  if (input.size > maxTextMb * 1024 * 1024) {
    const sentence = `Subtitles of more than ${maxTextMb} MB are not read.`
    throw new AppError('FILE_TOO_LARGE', sentence, { field: 'file', limitMb: maxTextMb })
  }
  const text = (await readFile(await utf8Copy(input, tools, subtitleOptions.parse(options)), 'utf8')).replace(
    /^\ufeff/,
    '',
  )
  if (from === 'sub') warnAssumedFrameRate(text, tools)
  const path = join(tools.workDir, `source.${from}`)
  await writeFile(path, fixInput(text, from, to))
  // Its header is of another version than ASS: by way of SubRip the styles are gone, but every reader agrees.
  if (from !== 'ssa' || to !== 'ass' || /^ScriptType:\s*v4\.00\+/im.test(text))
    return { path, demuxer: demuxerFor(from, text) }
  const subRipPath = join(tools.workDir, 'between.srt')
  await convertWithFfmpeg({ path, demuxer: 'ass' }, encoders.srt, subRipPath, tools)
  tools.warn('STYLES_DROPPED', 'Only the words, their times, places and emphasis were kept of the styles.')
  return { path: subRipPath, demuxer: 'srt' }
}

function fixInput(text: string, from: FormatId, to: FormatId): string {
  if (from === 'ass' || from === 'ssa') {
    const normalized = normalizeFields(text)
    return to === 'ass' ? normalized : simplifyAss(normalized)
  }
  if (from === 'smi') {
    // Standing alone it clears the screen, and ffmpeg knows it by this name only.
    const decoded = decodeEntities(text).replaceAll('\u00a0', '&nbsp;')
    return decoded.replaceAll(/(?<=[^\s>;])&nbsp;|&nbsp;(?=[^\s<&])/g, ' ')
  }
  if (from === 'vtt') return removeVttBlocks(text).replaceAll('&nbsp;', '\u00a0')
  // The moment of each word, as karaoke has it.
  if (from === 'lrc') return text.replaceAll(/<\d+:\d\d(?:[.:]\d+)?>/g, '')
  return text
}

/** ffmpeg leaves the sign for a space that breaks no line as it is. */
const simplifyAss = (ass: string) => removeDrawings(ass).replaceAll('\\h', '\u00a0')

/** ffmpeg 5.1 reads no further than the first block that is no cue: rules for styles and places, as video sites have. */
const removeVttBlocks = (webVtt: string) =>
  webVtt
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/(?<=\n\n)(?:STYLE|REGION|NOTE)(?:[ \t][^\n]*)?(?:\n[^\n]+)*(?:\n|$)/g, '')

/** MicroDVD counts pictures, and may say in its first line how many a second has. */
function warnAssumedFrameRate(text: string, tools: Tools): void {
  const [first = ''] = text.trimStart().split('\n', 1)
  if (!first.startsWith('{') || /^\{\d*\}\{\d*\}\s*\d+(?:\.\d+)?\s*$/.test(first)) return
  const message =
    'The subtitles count pictures and do not say how many a second has: 23.976 were taken. Say it in the first line, as {1}{1}25.'
  tools.warn('FRAME_RATE_ASSUMED', message)
}

/** Two unlike formats are called SUB. */
function demuxerFor(from: FormatId, text: string): string {
  if (from === 'sub' && !/^\s*\{/.test(text))
    return /^\[\d\d:\d\d:\d\d\]/m.test(text) ? 'subviewer1' : 'subviewer'
  return from in demuxers ? demuxers[from as keyof typeof demuxers] : 'srt' // Just looked up.
}

/** ffmpeg writes the letters that mark tags and entities as they are, and browsers then drop what follows them. */
function escapeVtt(webVtt: string): string {
  return webVtt.replaceAll(/&(?!(?:amp|lt|gt|nbsp|lrm|rlm);)/g, '&amp;').replaceAll(/<(?!\/?[biu]>)/g, '&lt;')
}
