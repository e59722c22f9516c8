import { findRiffChunks, readRiffForm } from '../../binary/riff.ts'
import type { FileBytes } from '../bytes.ts'
import type { ContentSummary } from '../content-summary.ts'

/** Reads the duration of video files from their headers, without decoding. */

const createSummary = (seconds: number, has: { video: boolean; audio: boolean }) =>
  ({
    counts: {},
    seconds,
    features: [...(has.video ? (['film'] as const) : []), ...(has.audio ? (['sound'] as const) : [])],
  }) satisfies ContentSummary

/** Maximum number of chunks in one list. */
const maxChunks = 100

/**
 * Reads AVI (Microsoft's AVI RIFF File Reference): the header has a list for each stream, which gives the length of the
 * stream in a time unit of its own (scale / rate).
 */
export async function readAvi(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const form = await readRiffForm(bytes)
  if (form?.id !== 'RIFF' || !form.type.startsWith('AVI')) return undefined
  const streams: { type: string; seconds: number }[] = []
  for await (const { start } of findRiffChunks(bytes, form, ['hdrl', 'strl', 'strh'], maxChunks)) {
    const header = await bytes.at(start, 36)
    const [scale, rate, length] = [header.readUInt32LE(20), header.readUInt32LE(24), header.readUInt32LE(32)]
    streams.push({ type: header.toString('latin1', 0, 4), seconds: (length * scale) / rate })
  }
  // Ignores streams without a length, which a program that writes to a pipe cannot know.
  const streamsWithLength = streams.filter(({ seconds }) => seconds > 0 && Number.isFinite(seconds))
  if (streamsWithLength.length === 0) return undefined
  const has = (kind: string) => streams.some(({ type }) => type === kind)
  // Frames are not counted, because AVI counts empty ones as well.
  const kinds = { video: has('vids'), audio: has('auds') }
  const findMaxSeconds = (streamList: typeof streamsWithLength) =>
    Math.max(...streamList.map(({ seconds }) => seconds))
  const audioStreams = streamsWithLength.filter(({ type }) => type === 'auds')
  return {
    ...createSummary(findMaxSeconds(streamsWithLength), kinds),
    ...(kinds.video && audioStreams.length > 0 && { soundSeconds: findMaxSeconds(audioStreams) }),
  }
}

const asfHeaderBytes = 16 * 1024

/** GUIDs of Advanced Systems Format 1.20, section 10. */
const asf = {
  header: '3026b2758e66cf11a6d900aa0062ce6c',
  file: 'a1dcab8c47a9cf118ee400c00c205365',
  stream: '9107dcb7b7a9cf118ee600c00c205365',
  video: 'c0ef19bc4d5bcf11a8fd00805f5c442b',
  audio: '409e69f84d5bcf11a8fd00805f5c442b',
} as const

/** Reads Windows Media: the play duration minus the preroll (section 3.2). */
export async function readWindowsMedia(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const head = await bytes.at(0, asfHeaderBytes)
  const id = (at: number) => head.toString('hex', at, at + 16)
  if (id(0) !== asf.header) return undefined
  let seconds = 0
  const kinds = new Set<string>()
  const end = Number(head.readBigUInt64LE(16))
  for (let at = 30; at + 24 <= Math.min(end, head.length); ) {
    if (id(at) === asf.file)
      seconds = Number(head.readBigUInt64LE(at + 64)) / 1e7 - Number(head.readBigUInt64LE(at + 80)) / 1000
    if (id(at) === asf.stream) kinds.add(id(at + 24))
    const size = Number(head.readBigUInt64LE(at + 16))
    if (size < 24) return undefined
    at += size
  }
  const has = { video: kinds.has(asf.video), audio: kinds.has(asf.audio) }
  return seconds > 0 && kinds.size > 0 ? createSummary(seconds, has) : undefined
}

const tagBytes = 11
/** Reads Flash Video 10.1: each tag ends with its size, so that the last tag can be found from the end (E.4). */
export async function readFlashVideo(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const head = await bytes.at(0, 9)
  if (head.toString('latin1', 0, 3) !== 'FLV') return undefined
  const flags = head.readUInt8(4)
  const size = (await bytes.at(bytes.size - 4, 4)).readUInt32BE(0)
  const tag = await bytes.at(bytes.size - 4 - size, tagBytes)
  if (size < tagBytes || tag.readUIntBE(1, 3) !== size - tagBytes) return undefined
  // Tag types: 8 is audio, 9 is video. The upper byte of the timestamp follows the lower ones.
  const type = tag.readUInt8(0) & 31
  if (type !== 8 && type !== 9) return undefined
  const ms = tag.readUIntBE(4, 3) + tag.readUInt8(7) * 2 ** 24
  return ms > 0 ? createSummary(ms / 1000, { video: (flags & 1) !== 0, audio: (flags & 4) !== 0 }) : undefined
}
