import type { Header, ReadAt } from './header.ts'
import { all, type Box, inside, one } from './mp4-boxes.ts'
import { mediaOf, type StreamFacts } from './probe.ts'

/** By handlers (ISO 14496-12, section 8.4.3, and QuickTime's). One that is left out: text may be a list of chapters. */
const types: Readonly<Record<string, string>> = {
  ...{ vide: 'video', soun: 'audio', sbtl: 'subtitle' },
  // What cameras note besides, and time codes: nothing that is ever kept.
  ...{ meta: 'data', tmcd: 'data' },
}

/** ffmpeg's names of codecs (libavformat/isom_tags.c), of those that are copied somewhere and have one kind. */
const codecs: Readonly<Record<string, string>> = {
  ...{ avc1: 'h264', avc3: 'h264', hvc1: 'hevc', hev1: 'hevc', av01: 'av1', vp09: 'vp9' },
  ...{ 'ac-3': 'ac3', 'ec-3': 'eac3', Opus: 'opus', fLaC: 'flac', '.mp3': 'mp3', tx3g: 'mov_text' },
}
/** ISO 14496-1, table 5: what MPEG's own sample entry for sound holds. */
const mpegSounds: Readonly<Record<number, string>> = { 64: 'aac', 105: 'mp3', 107: 'mp3' }

/** Of MP4, QuickTime and their kin: the movie box (ISO 14496-12). Undefined for one in fragments. */
export async function mp4Header(readAt: ReadAt, size: number): Promise<Header | undefined> {
  const read = (box: Box | undefined, length: number) => (box ? readAt(box.start, length) : undefined)
  const movie = await one(readAt, { start: 0, end: size }, 'moov')
  if (!movie) return undefined
  const boxes = await all(readAt, movie)
  if (boxes.some(({ type }) => type === 'mvex')) return undefined
  const tracks = boxes.filter(({ type }) => type === 'trak')
  const streams: Stream[] = []
  for (const [index, track] of tracks.entries()) streams.push(await streamIn(readAt, track, index))
  const header = await read(
    boxes.find(({ type }) => type === 'mvhd'),
    32,
  )
  if (!header) return undefined
  const covers = await inside(readAt, movie, ['udta', 'meta', 'ilst', 'covr'])
  const chapters = await inside(readAt, movie, ['udta', 'chpl'])
  return {
    media: mediaOf({
      streams: streams.map(({ facts }) => facts),
      format: { duration: secondsIn(header) },
    }),
    mayHaveTexts: await mayHaveTexts(readAt, movie),
    hasMore: covers !== undefined || chapters !== undefined || streams.some(({ isOdd }) => isOdd),
  }
}

/** Those of iTunes, and QuickTime's own; the name of a program is none. */
async function mayHaveTexts(readAt: ReadAt, movie: Box): Promise<boolean> {
  const user = await one(readAt, movie, 'udta')
  const items = user && (await inside(readAt, user, ['meta', 'ilst']))
  const boxes = [...(items ? await all(readAt, items) : []), ...(user ? await all(readAt, user) : [])]
  const isText = (type: string) =>
    !['meta', 'chpl', '\xa9too', '\xa9swr', '\xa9enc', '\0\0\0\0'].includes(type)
  return boxes.some(({ type }) => isText(type)) || (await one(readAt, movie, 'meta')) !== undefined
}

interface Stream {
  readonly facts: StreamFacts
  readonly isOdd: boolean
}

async function streamIn(readAt: ReadAt, track: Box, index: number): Promise<Stream> {
  const at = (...path: readonly string[]) => inside(readAt, track, path)
  const handler = await at('mdia', 'hdlr')
  const description = await at('mdia', 'minf', 'stbl', 'stsd')
  const sizes = (await at('mdia', 'minf', 'stbl', 'stsz')) ?? (await at('mdia', 'minf', 'stbl', 'stz2'))
  const place = await at('tkhd')
  if (!handler || !description || !sizes || !place) throw new RangeError('a track lacks a part')
  const type = types[(await readAt(handler.start, 12)).toString('latin1', 8)]
  // One more than one kind of sample is seldom, and another file for each place it is played.
  const kinds = (await readAt(description.start, 8)).readUInt32BE(4)
  const [entry] = await all(readAt, { start: description.start + 8, end: description.end })
  const media = await at('mdia', 'mdhd')
  const told = media && (await readAt(media.start, 36))
  const codec = entry && (await codecIn(readAt, entry))
  const turn = rotationIn(await readAt(place.start, place.end - place.start))
  return {
    facts: {
      index,
      codec_type: type,
      codec_name: codec,
      codec_tag_string: entry?.type ?? '',
      ...(type === 'audio' && entry && { channels: (await readAt(entry.start, 18)).readUInt16BE(16) }),
      ...(told && { duration: secondsIn(told), tags: { language: languageIn(told) } }),
      nb_read_packets: (await readAt(sizes.start, 12)).readUInt32BE(8),
      ...(turn !== 0 && { side_data_list: [{ rotation: turn }] }),
    },
    isOdd: type === undefined || (type !== 'data' && (codec === undefined || kinds !== 1)),
  }
}

/** 8.2.2 and 8.4.2: both tell a time scale and a duration in the same places. */
function secondsIn(header: Buffer): number | undefined {
  const isLong = header.readUInt8(0) === 1
  const scale = header.readUInt32BE(isLong ? 20 : 12)
  const ticks = isLong ? Number(header.readBigUInt64BE(24)) : header.readUInt32BE(16)
  return scale > 0 ? ticks / scale : undefined
}

/** 8.4.2: three letters of ISO 639-2, of five bits each. QuickTime's own numbers, which are smaller, make other signs. */
function languageIn(header: Buffer): string {
  const packed = header.readUInt16BE(header.readUInt8(0) === 1 ? 32 : 20)
  return String.fromCharCode(...[10, 5, 0].map((bits) => ((packed >> bits) & 31) + 0x60))
}

/** 8.3.2: degrees counterclockwise, by the first row of the matrix, as ffmpeg's `av_display_rotation_get` has it. */
function rotationIn(place: Buffer): number {
  const matrix = place.readUInt8(0) === 1 ? 52 : 40
  const [a, b] = [place.readInt32BE(matrix), place.readInt32BE(matrix + 4)]
  return a === 0 && b === 0 ? 0 : -Math.round((Math.atan2(b, a) * 180) / Math.PI)
}

async function codecIn(readAt: ReadAt, entry: Box): Promise<string | undefined> {
  if (entry.type !== 'mp4a') return codecs[entry.type]
  const version = (await readAt(entry.start, 10)).readUInt16BE(8)
  // QuickTime's second version is longer and may wrap the description up, its third tells other things.
  if (version > 1) return undefined
  const parts = { start: entry.start + (version === 1 ? 44 : 28), end: entry.end }
  const description = (await one(readAt, parts, 'esds')) ?? (await inside(readAt, parts, ['wave', 'esds']))
  return description && mpegSounds[objectTypeIn(await readAt(description.start, 40))]
}

/** ISO 14496-1, 7.2.6.5 and 7.2.6.6: the first word of the decoder's description inside that of the stream. */
function objectTypeIn(description: Buffer): number {
  const inStream = skipped(description, 4, 3)
  const flags = description.readUInt8(inStream + 2)
  // Something of another stream, an address: nobody writes them.
  if (flags & 0xe0) return 0
  return description.readUInt8(skipped(description, inStream + 3, 4))
}

/** Where the content of a descriptor begins; its length takes up to four bytes. */
function skipped(bytes: Buffer, at: number, tag: number): number {
  if (bytes.readUInt8(at) !== tag) throw new RangeError('another descriptor was expected')
  let next = at + 1
  while (bytes.readUInt8(next) & 0x80) next++
  return next + 1
}
