import { type FileHandle, open } from 'node:fs/promises'
import type { ReadAt } from './header.ts'
import { all, inside, one } from './mp4-boxes.ts'

/** What the tracks of a QuickTime film say of their languages. */
export interface Languages {
  /** Of each track of sound, in their order; undefined where nobody knows. */
  readonly sound: readonly (string | undefined)[]
  readonly texts: readonly (string | undefined)[]
}

const kinds: Readonly<Record<string, keyof Languages>> = { soun: 'sound', text: 'texts', sbtl: 'texts' }

/** What ffmpeg writes of a language that QuickTime has no number for. */
const unspecified = 0x7fff
const firstPacked = 0x400

/** Of a film that has been written: in place of none, the three letters (QuickTime File Format, "Language Code Values"). */
export async function keepLanguages(path: string, wanted: Languages): Promise<void> {
  const isWanted = [...wanted.sound, ...wanted.texts].some((language) => packed(language) !== undefined)
  if (!isWanted) return
  await using file = await open(path, 'r+')
  const left = { sound: [...wanted.sound], texts: [...wanted.texts] }
  for (const { kind, code, at } of await tracksOf(file)) {
    const letters = packed(left[kind].shift())
    if (code !== unspecified || letters === undefined) continue
    await file.write(Buffer.from([letters >> 8, letters & 0xff]), 0, 2, at)
  }
}

/** Those that are told by letters. */
export async function languagesIn(path: string): Promise<Languages> {
  await using file = await open(path)
  const found = { sound: [] as (string | undefined)[], texts: [] as (string | undefined)[] }
  for (const { kind, code } of await tracksOf(file)) found[kind].push(unpacked(code))
  return found
}

interface Track {
  readonly kind: keyof Languages
  readonly code: number
  /** Where the code stands. */
  readonly at: number
}

async function tracksOf(file: FileHandle): Promise<Track[]> {
  const readAt: ReadAt = async (position, length) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
    return buffer.subarray(0, bytesRead)
  }
  const movie = await one(readAt, { start: 0, end: (await file.stat()).size }, 'moov')
  const tracks: Track[] = []
  for (const track of movie ? await all(readAt, movie) : []) {
    if (track.type !== 'trak') continue
    const handler = await inside(readAt, track, ['mdia', 'hdlr'])
    const media = await inside(readAt, track, ['mdia', 'mdhd'])
    const kind = handler && kinds[(await readAt(handler.start, 12)).toString('latin1', 8)]
    if (!kind || !media) continue
    const at = media.start + ((await readAt(media.start, 1)).readUInt8() === 1 ? 32 : 20)
    tracks.push({ kind, at, code: (await readAt(at, 2)).readUInt16BE() })
  }
  return tracks
}

/** Five bits for each of three letters; undefined where it is no language, or no code of three. */
function packed(language: string | undefined): number | undefined {
  if (language === undefined || language === 'und' || !/^[a-z]{3}$/.test(language)) return undefined
  const [a = 0, b = 0, c = 0] = Buffer.from(language).map((letter) => letter - 0x60)
  return (a << 10) | (b << 5) | c
}

const unpacked = (code: number): string | undefined =>
  code < firstPacked || code === unspecified
    ? undefined
    : String.fromCharCode(...[10, 5, 0].map((bits) => ((code >> bits) & 31) + 0x60))
