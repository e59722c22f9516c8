import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { type FormatId, formatById } from '../../formats/index.ts'
import type { EngineResult, EngineWork, InputFile, Tools } from '../engine.ts'
import { encodingOption } from '../shared/text/charsets.ts'
import { copyAsUtf8 } from '../shared/text/read-text.ts'
import { removeDrawings } from './ass-drawings.ts'
import { normalizeFields } from './ass-fields.ts'
import { textSubtitleCodecs } from './covers-and-subtitles.ts'
import { createDemuxerArgs, localProtocolArgs } from './demuxers.ts'
import { decodeEntities } from './html-entities.ts'
import { createCorruptMediaError, probe } from './probe.ts'
import {
  type Cue,
  closeOpenCues,
  extendToNextCue,
  formatSubRip,
  isOpenEnded,
  joinCueTexts,
  parseSubRip,
} from './subtitle-cues.ts'
import { describeDroppedStyles, findDroppedStyles } from './subtitle-styles.ts'

/** Demuxers by format. ffmpeg's detection would miss short files and those without a header. */
const demuxerByFormat = {
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
  // TTML is parsed by our own code and converted to SubRip.
  ttml: 'srt',
} as const satisfies Partial<Record<FormatId, string>>

/** Encoder and muxer by format. Lyrics support no formatting, so they get plain text. */
const encoderByFormat = {
  srt: ['srt', 'srt'],
  vtt: ['webvtt', 'webvtt'],
  ass: ['ass', 'ass'],
  ttml: ['ttml', 'ttml'],
  lrc: ['text', 'lrc'],
} as const satisfies Partial<Record<FormatId, readonly [encoder: string, muxer: string]>>

// Object.keys loses the literal types.
export const subtitleSources = Object.keys(demuxerByFormat) as (keyof typeof demuxerByFormat)[]
export const subtitleTargets: readonly FormatId[] = [
  ...(Object.keys(encoderByFormat) as (keyof typeof encoderByFormat)[]), // Object.keys loses the literal types.
  'txt',
]
/** Video formats that can contain text subtitles. */
export const videosWithSubtitles = ['mkv', 'mp4', 'mov', 'webm', 'm4v'] as const
/** Formats into which the text subtitles of videos can be converted. */
export const videoSubtitleTargets = ['srt', 'vtt', 'ass'] as const

export const subtitleOptions = z.object({ encoding: encodingOption })

/** Maximum size of a subtitle file, far more than the subtitles of the longest video take. */
const maxTextMb = 32
/** Maximum size of a converted file: in XML, short texts take several times as many bytes. */
const maxFileBytes = 8 * maxTextMb * 1024 * 1024

interface SubtitleFile {
  readonly path: string
  readonly demuxer: string
  /** The text as the client sent it, if it is a subtitle file. */
  readonly sourceText?: string
}

interface SubtitleEncoding {
  readonly encoder: string
  readonly muxer: string
  readonly target: string
}

/**
 * Converts a subtitle file, or the first text subtitle track of a video, to another format.
 * @throws AppError CORRUPT_FILE, FILE_TOO_LARGE, INVALID_INPUT (a video without such a track); ProcessFailure.
 */
export async function convertSubtitles(
  { from, to, options }: EngineWork,
  input: InputFile,
  targetPath: string,
  tools: Tools,
): Promise<EngineResult> {
  const isVideo = videosWithSubtitles.some((format) => format === from)
  const track = isVideo
    ? await extractTrack(input, from, to, tools)
    : await prepareText(input, options, to, tools)
  const srtPath = join(tools.workDir, 'words.srt')
  const styledPath = join(tools.workDir, 'styled.srt')
  const wordsEncoding = { encoder: 'text', muxer: 'srt', target: srtPath }
  const styledEncoding = { encoder: 'srt', muxer: 'srt', target: styledPath }
  await convertWithFfmpeg(track, [wordsEncoding, styledEncoding], tools)
  const parsedCues = parseSubRip(await readFile(srtPath, 'utf8'))
  const cues =
    from === 'lrc'
      ? extendToNextCue(parsedCues)
      : parsedCues.some(isOpenEnded)
        ? closeOpenCues(parsedCues)
        : parsedCues
  if (cues.length === 0)
    throw isVideo
      ? createNoTextSubtitlesError(from, '')
      : createCorruptMediaError(from, new Error('no cue found'))
  const encoder = to in encoderByFormat ? encoderByFormat[to as keyof typeof encoderByFormat] : undefined // Checked by `in`.
  // The decoder adds a font and position to SCC captions, and the TTML encoder supports no styles.
  const isPlainText = cues !== parsedCues || from === 'scc' || (to === 'ttml' && track.demuxer === 'ass')
  if (isPlainText) await writeFile(srtPath, formatSubRip(cues))
  if (!encoder) await writeFile(targetPath, joinCueTexts(cues))
  else
    await convertWithFfmpeg(
      isPlainText ? { path: srtPath, demuxer: 'srt' } : track,
      [{ encoder: encoder[0], muxer: encoder[1], target: targetPath }],
      tools,
    )
  // Some encoders use CRLF within a cue but LF elsewhere.
  const output = (await readFile(targetPath, 'utf8')).replaceAll('\r', '')
  await writeFile(targetPath, to === 'vtt' ? escapeVtt(output) : output)
  await warnAboutDroppedStyles({ from, to }, track, { styledPath, output }, tools)
  tools.progress(1)
  return { files: [{ path: targetPath }], details: { cues: cues.length } }
}

async function warnAboutDroppedStyles(
  { from, to }: Pick<EngineWork, 'from' | 'to'>,
  { demuxer, sourceText = '' }: SubtitleFile,
  { styledPath, output }: { readonly styledPath: string; readonly output: string },
  tools: Tools,
): Promise<void> {
  // Clients expect no styles in lyrics and plain text. ASS made from ASS keeps its style sheet.
  const isPlainTarget = to === 'txt' || to === 'lrc'
  if (isPlainTarget || from === 'scc' || (to === 'ass' && demuxer === 'ass')) return
  const styles = findDroppedStyles(await readFile(styledPath, 'utf8'), sourceText, output)
  if (styles.length > 0) tools.warn('STYLES_DROPPED', describeDroppedStyles(styles))
}

async function convertWithFfmpeg(
  { path, demuxer }: SubtitleFile,
  encodings: readonly SubtitleEncoding[],
  tools: Tools,
): Promise<void> {
  const demuxerArgs = [...localProtocolArgs, '-format_whitelist', demuxer, '-f', demuxer]
  const outputArgs = encodings.flatMap(({ encoder, muxer, target }) => [
    ...['-map', '0:s:0', '-c:s', encoder],
    // Without +bitexact, the result would contain the version of ffmpeg.
    ...['-flags:s', '+bitexact', '-fflags', '+bitexact'],
    ...['-f', muxer, target],
  ])
  await tools.exec('ffmpeg', [...quietArgs, ...demuxerArgs, '-i', path, ...outputArgs], { maxFileBytes })
}

const quietArgs = ['-nostdin', '-hide_banner', '-v', 'error', '-y']

/** Extracts the first text subtitle track to a file, with its styles. @throws AppError INVALID_INPUT. */
async function extractTrack(
  input: InputFile,
  from: FormatId,
  to: FormatId,
  tools: Tools,
): Promise<SubtitleFile> {
  const { subtitles } = await probe(input.path, from, tools)
  const stream = subtitles.find(({ codec_name }) => textSubtitleCodecs.includes(codec_name))
  if (!stream)
    throw createNoTextSubtitlesError(from, subtitles.length > 0 ? ' Its subtitles are images.' : '')
  if (subtitles.length > 1)
    tools.warn(
      'SUBTITLES_DROPPED',
      `Only the first text track of ${subtitles.length} subtitle tracks was converted: the target holds one.`,
    )
  const kind = to === 'ass' || /^(ass|ssa)$/.test(stream.codec_name) ? 'ass' : 'srt'
  const path = join(tools.workDir, `track.${kind}`)
  const outputArgs = ['-map', `0:${stream.index}`, '-c:s', kind, '-f', kind, path]
  await tools.exec('ffmpeg', [...quietArgs, ...createDemuxerArgs(from), '-i', input.path, ...outputArgs], {
    maxFileBytes: maxTextMb * 1024 * 1024,
  })
  if (kind === 'ass' && to !== 'ass') await writeFile(path, simplifyAss(await readFile(path, 'utf8')))
  return { path, demuxer: kind }
}

function createNoTextSubtitlesError(from: FormatId, hint: string): AppError {
  const { name } = formatById(from)
  const message = `The ${name} (${from}) has no text subtitles.${hint} Send a video with a text subtitle track.`
  return new AppError('INVALID_INPUT', message, { field: 'file', from })
}

/** Creates a UTF-8 copy in which everything that ffmpeg cannot handle is fixed or removed. */
async function prepareText(
  input: InputFile,
  options: unknown,
  to: FormatId,
  tools: Tools,
): Promise<SubtitleFile> {
  const { format: from } = input
  if (input.size > maxTextMb * 1024 * 1024) {
    const message = `Subtitle files may have at most ${maxTextMb} MB.`
    throw new AppError('FILE_TOO_LARGE', message, { field: 'file', limitMb: maxTextMb })
  }
  const text = (
    await readFile(await copyAsUtf8(input, tools, subtitleOptions.parse(options)), 'utf8')
  ).replace(/^\ufeff/, '')
  if (from === 'sub') warnAboutAssumedFrameRate(text, tools)
  const path = join(tools.workDir, `source.${from}`)
  await writeFile(path, from === 'ttml' ? formatSubRip(await readTtml(text)) : fixInput(text, from, to))
  // SSA has a different header than ASS. Converting it through SubRip loses the styles but works in every player.
  if (from !== 'ssa' || to !== 'ass' || /^ScriptType:\s*v4\.00\+/im.test(text))
    return { path, demuxer: chooseDemuxer(from, text), sourceText: text }
  const subRipPath = join(tools.workDir, 'between.srt')
  const encoding = { encoder: 'srt', muxer: 'srt', target: subRipPath }
  await convertWithFfmpeg({ path, demuxer: 'ass' }, [encoding], tools)
  tools.warn(
    'STYLES_DROPPED',
    'Only the text with its times, positions and emphasis was kept; other styles were dropped.',
  )
  return { path: subRipPath, demuxer: 'srt' }
}

function fixInput(text: string, from: FormatId, to: FormatId): string {
  if (from === 'ass' || from === 'ssa') {
    const normalized = normalizeFields(text)
    return to === 'ass' ? normalized : simplifyAss(normalized)
  }
  if (from === 'smi') {
    // A cue with only `&nbsp;` clears the screen, and ffmpeg recognises only this spelling.
    const decodedText = decodeEntities(text).replaceAll('\u00a0', '&nbsp;')
    return decodedText.replaceAll(/(?<=[^\s>;])&nbsp;|&nbsp;(?=[^\s<&])/g, ' ')
  }
  if (from === 'vtt') return removeVttBlocks(text).replaceAll('&nbsp;', '\u00a0')
  // Removes the times of single words, used for karaoke.
  if (from === 'lrc') return text.replaceAll(/<\d+:\d\d(?:[.:]\d+)?>/g, '')
  return text
}

async function readTtml(text: string): Promise<Cue[]> {
  // Imported on demand, because functions that only plan conversions do not need the XML parser.
  const { parseTtml } = await import('./ttml.ts')
  try {
    return parseTtml(text)
  } catch (error) {
    throw createCorruptMediaError('ttml', error instanceof Error ? error : new Error(String(error)))
  }
}

/** Removes drawings, and converts the escape for non-breaking spaces, which ffmpeg does not convert. */
const simplifyAss = (ass: string) => removeDrawings(ass).replaceAll('\\h', '\u00a0')

/**
 * Removes blocks that are not cues, such as styles and regions of video sites: ffmpeg 5.1 stops at the first of them.
 * Also removes classes of emphasis, with which ffmpeg ignores the tag.
 */
const removeVttBlocks = (webVtt: string) =>
  webVtt
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/<([biu])\.[^<>\n]*>/g, '<$1>')
    .replaceAll(/(?<=\n\n)(?:STYLE|REGION|NOTE)(?:[ \t][^\n]*)?(?:\n[^\n]+)*(?:\n|$)/g, '')

/** Warns if the frame rate is assumed. MicroDVD counts frames and may state the frame rate in its first line. */
function warnAboutAssumedFrameRate(text: string, tools: Tools): void {
  const [firstLine = ''] = text.trimStart().split('\n', 1)
  if (!firstLine.startsWith('{') || /^\{\d*\}\{\d*\}\s*\d+(?:\.\d+)?\s*$/.test(firstLine)) return
  const message =
    'The subtitles count frames but do not state the frame rate, so 23.976 frames per second were assumed. State it in the first line, such as {1}{1}25.'
  tools.warn('FRAME_RATE_ASSUMED', message)
}

/** Returns the demuxer of a format. Files with the extension SUB are of several formats, which the text tells apart. */
function chooseDemuxer(from: FormatId, text: string): string {
  if (from === 'sub' && !/^\s*\{/.test(text))
    return /^\[\d\d:\d\d:\d\d\]/m.test(text) ? 'subviewer1' : 'subviewer'
  return from in demuxerByFormat ? demuxerByFormat[from as keyof typeof demuxerByFormat] : 'srt' // Checked by `in`.
}

/** Escapes `&` and `<`, which ffmpeg writes unescaped; browsers would drop the text that follows. */
function escapeVtt(webVtt: string): string {
  return webVtt.replaceAll(/&(?!(?:amp|lt|gt|nbsp|lrm|rlm);)/g, '&amp;').replaceAll(/<(?!\/?[biu]>)/g, '&lt;')
}
