import { readEbmlChildren, readEbmlElement } from '../../binary/ebml.ts'
import type { RandomAccess } from '../../binary/random-access.ts'
import type { MediaHeader } from './header.ts'
import { isProfessionalProfile } from './player-support.ts'
import { parseProbe, type StreamInput } from './probe.ts'

/** Element ids of RFC 9559, section 5.1. */
const ids = {
  ebml: 0x1a45dfa3,
  segment: 0x18538067,
  seekHead: 0x114d9b74,
  seek: 0x4dbb,
  seekId: 0x53ab,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackType: 0x83,
  flagEnabled: 0xb9,
  codecId: 0x86,
  codecDelay: 0x56aa,
  codecPrivate: 0x63a2,
  language: 0x22b59c,
  video: 0xe0,
  alphaMode: 0x53c0,
  projection: 0x7670,
  audio: 0xe1,
  channels: 0x9f,
  chapters: 0x1043a770,
  editionEntry: 0x45b9,
  chapterAtom: 0xb6,
  cluster: 0x1f43b675,
  cues: 0x1c53bb6b,
  tags: 0x1254c367,
  void: 0xec,
  crc32: 0xbf,
} as const

const trackTypes: Readonly<Record<number, string>> = { 1: 'video', 2: 'audio', 17: 'subtitle' }

/** ffmpeg's names (libavformat/matroska.c) for the codecs that can be copied to at least one container. */
const codecNames: Readonly<Record<string, string>> = {
  'V_MPEG4/ISO/AVC': 'h264',
  'V_MPEGH/ISO/HEVC': 'hevc',
  V_AV1: 'av1',
  V_VP8: 'vp8',
  V_VP9: 'vp9',
  A_AAC: 'aac',
  'A_MPEG/L3': 'mp3',
  A_AC3: 'ac3',
  A_EAC3: 'eac3',
  A_OPUS: 'opus',
  A_ALAC: 'alac',
  A_VORBIS: 'vorbis',
  A_FLAC: 'flac',
  'S_TEXT/UTF8': 'subrip',
  'S_TEXT/ASS': 'ass',
  'S_TEXT/SSA': 'ass',
  'S_TEXT/WEBVTT': 'webvtt',
  'D_WEBVTT/SUBTITLES': 'webvtt',
  'S_HDMV/PGS': 'hdmv_pgs_subtitle',
  S_VOBSUB: 'dvd_subtitle',
}

const parsedIds: readonly number[] = [ids.seekHead, ids.info, ids.tracks, ids.chapters]
/** Elements that do not affect a copy. Attachments are not listed, because an attachment may be a cover. */
const ignorableIds: readonly number[] = [ids.seekHead, ids.cluster, ids.cues, ids.tags, ids.void, ids.crc32]

const maxHeaderBytes = 1024 * 1024
const maxElements = 100
/** Maximum number of elements in one parent: a file has few tracks, but may have hundreds of chapters. */
const maxChildren = 10_000

/** Reads the header of Matroska and WebM, up to the first cluster (RFC 9559). */
export async function readMatroskaHeader(file: RandomAccess): Promise<MediaHeader | undefined> {
  const header = await readEbmlElement(file, 0)
  const segment = await readEbmlElement(file, header.end)
  if (header.id !== ids.ebml || segment.id !== ids.segment) return undefined
  const elements = await readHeaderElements(file, segment.start)
  const [tracks] = findContents(ids.tracks, elements)
  const [info] = findContents(ids.info, elements)
  if (!tracks || !info) return undefined
  const streams = getChildrenById(readChildren(tracks), ids.trackEntry).map(parseTrack)
  const editions = findContents(ids.chapters, elements).flatMap((chapters) =>
    getChildrenById(readChildren(chapters), ids.editionEntry),
  )
  const handledIds = [...ignorableIds, ...elements.flatMap(({ id, content }) => (content ? [id] : []))]
  const presentIds = [
    ...elements.map(({ id }) => id),
    ...findContents(ids.seekHead, elements).flatMap(listSeekTargets),
  ]
  return {
    media: parseProbe({
      streams: streams.map(({ stream }) => stream),
      chapters: editions.flatMap((edition) => getChildrenById(readChildren(edition), ids.chapterAtom)),
      format: { duration: readDurationS(readChildren(info)) },
    }),
    audioDelayS: Math.max(0, ...streams.map(({ delayS }) => delayS)),
    // Tags may be at the end of the file.
    mayHaveTags: true,
    mayBeIncomplete:
      presentIds.some((id) => !handledIds.includes(id)) || streams.some(({ isUnsupported }) => isUnsupported),
  }
}

interface HeaderElement {
  readonly id: number
  /** Only set for elements that are parsed. */
  readonly content: Buffer | undefined
}

async function readHeaderElements(file: RandomAccess, from: number): Promise<HeaderElement[]> {
  const elements: HeaderElement[] = []
  for (let at = from; at < file.size; ) {
    const { id, start, end } = await readEbmlElement(file, at)
    if (id === ids.cluster) return elements
    const isRead = parsedIds.includes(id)
    if (elements.length === maxElements || (isRead && end - start > maxHeaderBytes)) break
    elements.push({ id, content: isRead ? await file.at(start, end - start) : undefined })
    at = end
  }
  throw new RangeError('no cluster after the header')
}

const findContents = (id: number, elements: readonly HeaderElement[]) =>
  elements.flatMap(({ id: found, content }) => (found === id && content ? [content] : []))

interface ParsedTrack {
  readonly stream: StreamInput
  readonly delayS: number
  readonly isUnsupported: boolean
}

function parseTrack(entry: Buffer, index: number): ParsedTrack {
  const fields = readChildren(entry)
  const type = trackTypes[readNumber(getFirstChild(fields, ids.trackType)) ?? 0]
  // The codec id of AAC may have a suffix for its profile.
  const codecId = (getFirstChild(fields, ids.codecId)?.toString('latin1') ?? '')
    .replace(/\0+$/, '')
    .replace(/^(A_AAC)\/.*/, '$1')
  const codec = codecNames[codecId]
  const [video, audio] = [getFirstChild(fields, ids.video), getFirstChild(fields, ids.audio)].map(
    (part) => part && readChildren(part),
  )
  const hasAlpha = video !== undefined && (readNumber(getFirstChild(video, ids.alphaMode)) ?? 0) > 0
  return {
    stream: {
      index,
      codec_type: type,
      codec_name: codec,
      ...(type === 'audio' && { channels: (audio && readNumber(getFirstChild(audio, ids.channels))) ?? 1 }),
      tags: { language: readTrackLanguage(fields), ...(hasAlpha && { alpha_mode: '1' }) },
    },
    delayS: (readNumber(getFirstChild(fields, ids.codecDelay)) ?? 0) / 1e9,
    isUnsupported:
      type === undefined ||
      codec === undefined ||
      readNumber(getFirstChild(fields, ids.flagEnabled)) === 0 ||
      isProfessionalProfile(codec, getFirstChild(fields, ids.codecPrivate)?.[1]) ||
      // A projection may rotate the video.
      (video !== undefined && getFirstChild(video, ids.projection) !== undefined),
  }
}

/** Returns the language of a track, which is English by default (RFC 9559, 5.1.4.1.19). */
const readTrackLanguage = (fields: Children) =>
  getFirstChild(fields, ids.language)?.toString('latin1').replace(/\0+$/, '') ?? 'eng'

/** Returns the duration in seconds. */
function readDurationS(info: Children): number | undefined {
  const ticks = getFirstChild(info, ids.duration)
  if (!ticks) return undefined
  const nsPerTick = readNumber(getFirstChild(info, ids.timestampScale)) ?? 1_000_000
  return ((ticks.length === 4 ? ticks.readFloatBE() : ticks.readDoubleBE()) * nsPerTick) / 1e9
}

/** Returns the ids of the elements that a SeekHead points to. */
const listSeekTargets = (seekHead: Buffer) =>
  getChildrenById(readChildren(seekHead), ids.seek).map(
    (seek) => readNumber(getFirstChild(readChildren(seek), ids.seekId)) ?? 0,
  )

function readNumber(bytes: Buffer | undefined): number | undefined {
  return bytes?.reduce((number, byte) => number * 256 + byte, 0)
}

type Children = ReturnType<typeof readEbmlChildren>

const readChildren = (parent: Buffer): Children => readEbmlChildren(parent, maxChildren)
const getChildrenById = (children: Children, id: number): readonly Buffer[] => children.get(id) ?? []
const getFirstChild = (children: Children, id: number): Buffer | undefined => children.get(id)?.[0]
