import { type FileHandle, open } from 'node:fs/promises'
import { Mp4Boxes } from '../../binary/mp4.ts'
import { openRandomAccess } from '../../binary/random-access.ts'
import { maxMovieBoxes } from './mp4-header.ts'

/** Track languages of a QuickTime file. */
export interface TrackLanguages {
  /** Language of each audio track, in order; undefined if unknown. */
  readonly audio: readonly (string | undefined)[]
  readonly subtitles: readonly (string | undefined)[]
}

const kindByHandlerType: Readonly<Record<string, keyof TrackLanguages>> = {
  soun: 'audio',
  text: 'subtitles',
  sbtl: 'subtitles',
}

/** Code that ffmpeg writes for languages without a QuickTime number. */
const unspecifiedCode = 0x7fff
const minPackedCode = 0x400

/**
 * Replaces unspecified languages in a written file by packed ISO codes (QuickTime File Format, "Language Code Values").
 */
export async function restoreLanguages(path: string, wantedLanguages: TrackLanguages): Promise<void> {
  const needsRestoring = [...wantedLanguages.audio, ...wantedLanguages.subtitles].some(
    (language) => packLanguage(language) !== undefined,
  )
  if (!needsRestoring) return
  await using file = await open(path, 'r+')
  const remainingLanguages = { audio: [...wantedLanguages.audio], subtitles: [...wantedLanguages.subtitles] }
  for (const { kind, code, at } of await readTracks(file)) {
    const packedCode = packLanguage(remainingLanguages[kind].shift())
    if (code !== unspecifiedCode || packedCode === undefined) continue
    await file.write(Buffer.from([packedCode >> 8, packedCode & 0xff]), 0, 2, at)
  }
}

/** Reads the languages that are stored as ISO codes. */
export async function readLanguages(path: string): Promise<TrackLanguages> {
  await using file = await open(path)
  const foundLanguages: Record<'audio' | 'subtitles', (string | undefined)[]> = { audio: [], subtitles: [] }
  for (const { kind, code } of await readTracks(file)) foundLanguages[kind].push(unpackLanguage(code))
  return foundLanguages
}

interface Track {
  readonly kind: keyof TrackLanguages
  readonly code: number
  /** File offset of the code. */
  readonly at: number
}

async function readTracks(file: FileHandle): Promise<Track[]> {
  const boxes = new Mp4Boxes(await openRandomAccess(file), maxMovieBoxes)
  const movie = await boxes.findTopLevel('moov')
  const tracks: Track[] = []
  for (const track of movie ? await boxes.list(movie) : []) {
    if (track.type !== 'trak') continue
    const handler = await boxes.find(track, 'mdia', 'hdlr')
    const media = await boxes.find(track, 'mdia', 'mdhd')
    const kind = handler && kindByHandlerType[(await boxes.readStart(handler, 12)).toString('latin1', 8)]
    if (!kind || !media) continue
    const header = await boxes.readStart(media, 34)
    const offset = header.readUInt8() === 1 ? 32 : 20
    tracks.push({ kind, at: media.start + offset, code: header.readUInt16BE(offset) })
  }
  return tracks
}

/**
 * Packs a language code with five bits per character. Returns undefined if it is not a code of three characters or is
 * `und`.
 */
function packLanguage(language: string | undefined): number | undefined {
  if (language === undefined || language === 'und' || !/^[a-z]{3}$/.test(language)) return undefined
  const [a = 0, b = 0, c = 0] = Buffer.from(language).map((byte) => byte - 0x60)
  return (a << 10) | (b << 5) | c
}

const unpackLanguage = (code: number): string | undefined =>
  code < minPackedCode || code === unspecifiedCode
    ? undefined
    : String.fromCharCode(...[10, 5, 0].map((bits) => ((code >> bits) & 31) + 0x60))
