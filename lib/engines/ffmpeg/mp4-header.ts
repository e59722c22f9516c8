import type { MediaHeader, ReadAt } from './header.ts'
import { findBox, findChild, listBoxes, type Mp4Box } from './mp4-boxes.ts'
import { parseProbe, type StreamInput } from './probe.ts'

/** By handlers (ISO 14496-12, section 8.4.3, and QuickTime's). One that is left out: text may be a list of chapters. */
const trackTypes: Readonly<Record<string, string>> = {
  ...{ vide: 'video', soun: 'audio', sbtl: 'subtitle' },
  // What cameras note besides, and time codes: nothing that is ever kept.
  ...{ meta: 'data', tmcd: 'data' },
}

/** ffmpeg's names of codecs (libavformat/isom_tags.c), of those that are copied somewhere and have one kind. */
const codecNames: Readonly<Record<string, string>> = {
  ...{ avc1: 'h264', avc3: 'h264', hvc1: 'hevc', hev1: 'hevc', av01: 'av1', vp09: 'vp9' },
  ...{ 'ac-3': 'ac3', 'ec-3': 'eac3', Opus: 'opus', fLaC: 'flac', '.mp3': 'mp3', tx3g: 'mov_text' },
}
/** ISO 14496-1, table 5: what MPEG's own sample entry for sound holds. */
const mpegAudioCodecs: Readonly<Record<number, string>> = { 64: 'aac', 105: 'mp3', 107: 'mp3' }

/** Of MP4, QuickTime and their kin: the movie box (ISO 14496-12). Undefined for one in fragments. */
export async function readMp4Header(readAt: ReadAt, size: number): Promise<MediaHeader | undefined> {
  const readBox = (box: Mp4Box | undefined, length: number) => (box ? readAt(box.start, length) : undefined)
  const movie = await findChild(readAt, { start: 0, end: size }, 'moov')
  if (!movie) return undefined
  const boxes = await listBoxes(readAt, movie)
  if (boxes.some(({ type }) => type === 'mvex')) return undefined
  const tracks = boxes.filter(({ type }) => type === 'trak')
  const streams: ParsedTrack[] = []
  for (const [index, track] of tracks.entries()) streams.push(await parseTrack(readAt, track, index))
  const header = await readBox(
    boxes.find(({ type }) => type === 'mvhd'),
    32,
  )
  if (!header) return undefined
  const covers = await findBox(readAt, movie, ['udta', 'meta', 'ilst', 'covr'])
  const chapters = await findBox(readAt, movie, ['udta', 'chpl'])
  return {
    media: parseProbe({
      streams: streams.map(({ stream }) => stream),
      format: { duration: durationSeconds(header) },
    }),
    mayHaveTags: await mayHaveTags(readAt, movie),
    mayHaveMore:
      covers !== undefined || chapters !== undefined || streams.some(({ isUnsupported }) => isUnsupported),
  }
}

/** Those of iTunes, and QuickTime's own; the name of a program is none. */
async function mayHaveTags(readAt: ReadAt, movie: Mp4Box): Promise<boolean> {
  const user = await findChild(readAt, movie, 'udta')
  const items = user && (await findBox(readAt, user, ['meta', 'ilst']))
  const boxes = [
    ...(items ? await listBoxes(readAt, items) : []),
    ...(user ? await listBoxes(readAt, user) : []),
  ]
  const isTag = (type: string) =>
    !['meta', 'chpl', '\xa9too', '\xa9swr', '\xa9enc', '\0\0\0\0'].includes(type)
  return boxes.some(({ type }) => isTag(type)) || (await findChild(readAt, movie, 'meta')) !== undefined
}

interface ParsedTrack {
  readonly stream: StreamInput
  readonly isUnsupported: boolean
}

async function parseTrack(readAt: ReadAt, track: Mp4Box, index: number): Promise<ParsedTrack> {
  const findInTrack = (...path: readonly string[]) => findBox(readAt, track, path)
  const handler = await findInTrack('mdia', 'hdlr')
  const description = await findInTrack('mdia', 'minf', 'stbl', 'stsd')
  const sampleSizes =
    (await findInTrack('mdia', 'minf', 'stbl', 'stsz')) ?? (await findInTrack('mdia', 'minf', 'stbl', 'stz2'))
  const trackHeader = await findInTrack('tkhd')
  if (!handler || !description || !sampleSizes || !trackHeader) throw new RangeError('a track lacks a part')
  const type = trackTypes[(await readAt(handler.start, 12)).toString('latin1', 8)]
  // One more than one kind of sample is seldom, and another file for each place it is played.
  const entryCount = (await readAt(description.start, 8)).readUInt32BE(4)
  const [entry] = await listBoxes(readAt, { start: description.start + 8, end: description.end })
  const media = await findInTrack('mdia', 'mdhd')
  const mediaHeader = media && (await readAt(media.start, 36))
  const codec = entry && (await readCodec(readAt, entry))
  const rotation = readRotation(await readAt(trackHeader.start, trackHeader.end - trackHeader.start))
  return {
    stream: {
      index,
      codec_type: type,
      codec_name: codec,
      codec_tag_string: entry?.type ?? '',
      ...(type === 'audio' && entry && { channels: (await readAt(entry.start, 18)).readUInt16BE(16) }),
      ...(mediaHeader && {
        duration: durationSeconds(mediaHeader),
        tags: { language: readLanguage(mediaHeader) },
      }),
      nb_read_packets: (await readAt(sampleSizes.start, 12)).readUInt32BE(8),
      ...(rotation !== 0 && { side_data_list: [{ rotation }] }),
    },
    isUnsupported: type === undefined || (type !== 'data' && (codec === undefined || entryCount !== 1)),
  }
}

/** 8.2.2 and 8.4.2: both tell a time scale and a duration in the same places. */
function durationSeconds(header: Buffer): number | undefined {
  const isLong = header.readUInt8(0) === 1
  const scale = header.readUInt32BE(isLong ? 20 : 12)
  const ticks = isLong ? Number(header.readBigUInt64BE(24)) : header.readUInt32BE(16)
  return scale > 0 ? ticks / scale : undefined
}

/** 8.4.2: three letters of ISO 639-2, of five bits each. QuickTime's own numbers, which are smaller, make other signs. */
function readLanguage(header: Buffer): string {
  const packedLanguage = header.readUInt16BE(header.readUInt8(0) === 1 ? 32 : 20)
  return String.fromCharCode(...[10, 5, 0].map((bits) => ((packedLanguage >> bits) & 31) + 0x60))
}

/** 8.3.2: degrees counterclockwise, by the first row of the matrix, as ffmpeg's `av_display_rotation_get` has it. */
function readRotation(trackHeader: Buffer): number {
  const matrix = trackHeader.readUInt8(0) === 1 ? 52 : 40
  const [a, b] = [trackHeader.readInt32BE(matrix), trackHeader.readInt32BE(matrix + 4)]
  return a === 0 && b === 0 ? 0 : -Math.round((Math.atan2(b, a) * 180) / Math.PI)
}

async function readCodec(readAt: ReadAt, entry: Mp4Box): Promise<string | undefined> {
  if (entry.type !== 'mp4a') return codecNames[entry.type]
  const version = (await readAt(entry.start, 10)).readUInt16BE(8)
  // QuickTime's second version is longer and may wrap the description up, its third tells other things.
  if (version > 1) return undefined
  const parts = { start: entry.start + (version === 1 ? 44 : 28), end: entry.end }
  const description =
    (await findChild(readAt, parts, 'esds')) ?? (await findBox(readAt, parts, ['wave', 'esds']))
  return description && mpegAudioCodecs[readObjectType(await readAt(description.start, 40))]
}

/** ISO 14496-1, 7.2.6.5 and 7.2.6.6: the first word of the decoder's description inside that of the stream. */
function readObjectType(description: Buffer): number {
  const decoderConfigAt = skipDescriptorHeader(description, 4, 3)
  const flags = description.readUInt8(decoderConfigAt + 2)
  // Something of another stream, an address: nobody writes them.
  if (flags & 0xe0) return 0
  return description.readUInt8(skipDescriptorHeader(description, decoderConfigAt + 3, 4))
}

/** Where the content of a descriptor begins; its length takes up to four bytes. */
function skipDescriptorHeader(bytes: Buffer, at: number, tag: number): number {
  if (bytes.readUInt8(at) !== tag) throw new RangeError('another descriptor was expected')
  let next = at + 1
  while (bytes.readUInt8(next) & 0x80) next++
  return next + 1
}
