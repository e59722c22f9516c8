import { type Mp4Box, Mp4Boxes } from '../../binary/mp4.ts'
import type { RandomAccess } from '../../binary/random-access.ts'
import type { MediaHeader } from './header.ts'
import { isProfessionalProfile } from './player-support.ts'
import { parseProbe, type StreamInput } from './probe.ts'

/**
 * Track types by handler (ISO 14496-12, section 8.4.3, and QuickTime). `text` is left out because it may be a chapter
 * list.
 */
const trackTypes: Readonly<Record<string, string>> = {
  vide: 'video',
  soun: 'audio',
  sbtl: 'subtitle',
  // Camera data, which is never kept, and time codes, which ffmpeg generates again.
  meta: 'data',
  tmcd: 'data',
}

/**
 * ffmpeg's names (libavformat/isom_tags.c) of codecs that can be copied to at least one container and that have a
 * single variant.
 */
const codecNames: Readonly<Record<string, string>> = {
  avc1: 'h264',
  avc3: 'h264',
  hvc1: 'hevc',
  hev1: 'hevc',
  av01: 'av1',
  vp09: 'vp9',
  'ac-3': 'ac3',
  'ec-3': 'eac3',
  Opus: 'opus',
  fLaC: 'flac',
  '.mp3': 'mp3',
  tx3g: 'mov_text',
}
/** ISO 14496-1, table 5: codecs of the sample entry `mp4a`. */
const mpegAudioCodecs: Readonly<Record<number, string>> = { 64: 'aac', 105: 'mp3', 107: 'mp3' }

/** Maximum number of boxes. A track takes about 25 boxes, and a file has only a few boxes outside of its tracks. */
export const maxMovieBoxes = 5000
/** Size of a track header up to the end of its matrix (section 8.3.2). */
const trackHeaderBytes = 88

/** Reads the movie box of MP4, QuickTime and related formats (ISO 14496-12). Returns undefined for fragmented files. */
export async function readMp4Header(file: RandomAccess): Promise<MediaHeader | undefined> {
  const boxes = new Mp4Boxes(file, maxMovieBoxes)
  const movie = await boxes.findTopLevel('moov')
  if (!movie) return undefined
  const children = await boxes.list(movie)
  if (children.some(({ type }) => type === 'mvex')) return undefined
  const tracks = children.filter(({ type }) => type === 'trak')
  const streams: ParsedTrack[] = []
  for (const [index, track] of tracks.entries()) streams.push(await parseTrack(boxes, track, index))
  const movieHeader = await boxes.find(movie, 'mvhd')
  if (!movieHeader) return undefined
  const duration = readDurationS(await boxes.readStart(movieHeader, 32))
  const coverBox = await boxes.find(movie, 'udta', 'meta', 'ilst', 'covr')
  const chaptersBox = await boxes.find(movie, 'udta', 'chpl')
  return {
    media: parseProbe({
      streams: streams.map(({ stream }) => stream),
      format: { duration },
    }),
    mayHaveTags: await mayHaveTags(boxes, movie),
    mayBeIncomplete:
      coverBox !== undefined ||
      chaptersBox !== undefined ||
      streams.some(({ isUnsupported }) => isUnsupported),
  }
}

/** Whether there are iTunes or QuickTime tags. The name of the encoder does not count. */
async function mayHaveTags(boxes: Mp4Boxes, movie: Mp4Box): Promise<boolean> {
  const userDataBox = await boxes.find(movie, 'udta')
  const itemsBox = userDataBox && (await boxes.find(userDataBox, 'meta', 'ilst'))
  const foundBoxes = [
    ...(itemsBox ? await boxes.list(itemsBox) : []),
    ...(userDataBox ? await boxes.list(userDataBox) : []),
  ]
  const isTag = (type: string) =>
    !['meta', 'chpl', '\xa9too', '\xa9swr', '\xa9enc', '\0\0\0\0'].includes(type)
  return foundBoxes.some(({ type }) => isTag(type)) || (await boxes.find(movie, 'meta')) !== undefined
}

interface ParsedTrack {
  readonly stream: StreamInput
  readonly isUnsupported: boolean
}

async function parseTrack(boxes: Mp4Boxes, track: Mp4Box, index: number): Promise<ParsedTrack> {
  const findInTrack = (...path: readonly string[]) => boxes.find(track, ...path)
  const handler = await findInTrack('mdia', 'hdlr')
  const description = await findInTrack('mdia', 'minf', 'stbl', 'stsd')
  const sampleSizes =
    (await findInTrack('mdia', 'minf', 'stbl', 'stsz')) ?? (await findInTrack('mdia', 'minf', 'stbl', 'stz2'))
  const trackHeader = await findInTrack('tkhd')
  if (!handler || !description || !sampleSizes || !trackHeader)
    throw new RangeError('a track lacks a required box')
  const type = trackTypes[(await boxes.readStart(handler, 12)).toString('latin1', 8)]
  // Tracks with several sample descriptions are rare, and decoders treat them differently, so they count as
  // unsupported.
  const entryCount = (await boxes.readStart(description, 8)).readUInt32BE(4)
  const [firstEntry] = await boxes.list({ start: description.start + 8, end: description.end })
  const media = await findInTrack('mdia', 'mdhd')
  const mediaHeader = media && (await boxes.readStart(media, 36))
  const codec = firstEntry && (await readCodec(boxes, firstEntry))
  const rotation = readRotation(await boxes.readStart(trackHeader, trackHeaderBytes))
  return {
    stream: {
      index,
      codec_type: type,
      codec_name: codec,
      codec_tag_string: firstEntry?.type ?? '',
      ...(type === 'audio' &&
        firstEntry && { channels: (await boxes.readStart(firstEntry, 18)).readUInt16BE(16) }),
      ...(mediaHeader && {
        duration: readDurationS(mediaHeader),
        tags: { language: readLanguage(mediaHeader) },
      }),
      nb_read_packets: (await boxes.readStart(sampleSizes, 12)).readUInt32BE(8),
      ...(rotation !== 0 && { side_data_list: [{ rotation }] }),
    },
    isUnsupported:
      type === undefined ||
      (type !== 'data' && (codec === undefined || entryCount !== 1)) ||
      (firstEntry !== undefined &&
        codec !== undefined &&
        isProfessionalProfile(codec, await readProfile(boxes, firstEntry, codec))),
  }
}

/**
 * Returns the duration. Both headers store the time scale and the duration at the same offsets (sections 8.2.2 and
 * 8.4.2).
 */
function readDurationS(header: Buffer): number | undefined {
  const isLong = header.readUInt8(0) === 1
  const timeScale = header.readUInt32BE(isLong ? 20 : 12)
  const ticks = isLong ? Number(header.readBigUInt64BE(24)) : header.readUInt32BE(16)
  return timeScale > 0 ? ticks / timeScale : undefined
}

/**
 * Returns the ISO 639-2 code, which is packed with five bits per character (section 8.4.2). QuickTime also stores
 * smaller numbers, which are not such codes.
 */
function readLanguage(header: Buffer): string {
  const packedLanguage = header.readUInt16BE(header.readUInt8(0) === 1 ? 32 : 20)
  return String.fromCharCode(...[10, 5, 0].map((bits) => ((packedLanguage >> bits) & 31) + 0x60))
}

/**
 * Returns counterclockwise degrees from the first row of the matrix, as ffmpeg's `av_display_rotation_get` does
 * (section 8.3.2).
 */
function readRotation(trackHeader: Buffer): number {
  const matrixOffset = trackHeader.readUInt8(0) === 1 ? 52 : 40
  const [a, b] = [trackHeader.readInt32BE(matrixOffset), trackHeader.readInt32BE(matrixOffset + 4)]
  return a === 0 && b === 0 ? 0 : -Math.round((Math.atan2(b, a) * 180) / Math.PI)
}

/** Boxes with the decoder configuration (ISO 14496-15, 5.3.4.1 and 8.4.1.1). */
const configurationBoxes: Readonly<Record<string, string>> = { h264: 'avcC', hevc: 'hvcC' }

/** Returns the second byte of the decoder configuration, which contains the profile. */
async function readProfile(boxes: Mp4Boxes, entry: Mp4Box, codec: string): Promise<number | undefined> {
  const type = configurationBoxes[codec]
  if (type === undefined) return undefined
  const configuration = await boxes.find({ start: entry.start + visualEntryBytes, end: entry.end }, type)
  return configuration && (await boxes.readStart(configuration, 2))[1]
}

/** Bytes of a video sample entry before its boxes (ISO 14496-12, 12.1.3). */
const visualEntryBytes = 78

async function readCodec(boxes: Mp4Boxes, entry: Mp4Box): Promise<string | undefined> {
  if (entry.type !== 'mp4a') return codecNames[entry.type]
  const version = (await boxes.readStart(entry, 10)).readUInt16BE(8)
  // QuickTime's version 1 is longer and may wrap the description in a `wave` box; version 2 has a different layout.
  if (version > 1) return undefined
  const childRange = { start: entry.start + (version === 1 ? 44 : 28), end: entry.end }
  const description = (await boxes.find(childRange, 'esds')) ?? (await boxes.find(childRange, 'wave', 'esds'))
  return description && mpegAudioCodecs[readObjectType(await boxes.readStart(description, 40))]
}

/** Reads the first byte of the decoder description inside the stream description (ISO 14496-1, 7.2.6.5 and 7.2.6.6). */
function readObjectType(description: Buffer): number {
  const decoderConfigAt = skipDescriptorHeader(description, 4, 3)
  const flags = description.readUInt8(decoderConfigAt + 2)
  // The descriptor has optional fields such as a URL, which are not used in practice.
  if (flags & 0xe0) return 0
  return description.readUInt8(skipDescriptorHeader(description, decoderConfigAt + 3, 4))
}

/** Returns where the content of a descriptor begins; its length has up to four bytes. */
function skipDescriptorHeader(bytes: Buffer, at: number, tag: number): number {
  if (bytes.readUInt8(at) !== tag) throw new RangeError('unexpected descriptor tag')
  let next = at + 1
  while (bytes.readUInt8(next) & 0x80) next++
  return next + 1
}
