import { open } from 'node:fs/promises'
import { readEbmlChildren, readEbmlElement } from '../../binary/ebml.ts'
import { Mp4Boxes } from '../../binary/mp4.ts'
import { openRandomAccess, type RandomAccess } from '../../binary/random-access.ts'
import { AppError } from '../../errors.ts'
import { type FormatId, formatById } from '../../formats/index.ts'
import { createFeatureError } from '../unsupported-feature.ts'
import { listDemuxers } from './demuxers.ts'
import { readTransportStreams } from './transport-stream.ts'

/**
 * Finds tracks that ffmpeg cannot decode although the file is intact. ffmpeg would report them as damage, or copy
 * encrypted tracks as if they were not encrypted.
 */

interface Tracks {
  /** Name of the encryption; undefined if the tracks are not encrypted. */
  readonly encryption?: string | undefined
  /**
   * Codec names in the container's notation: sample entry types (MP4), codec ids (Matroska) or stream types (MPEG-TS).
   */
  readonly codecs: readonly string[]
}

const unsupportedCodecNames: Readonly<Record<string, string>> = {
  vvc1: 'H.266 (VVC) video',
  vvi1: 'H.266 (VVC) video',
  'V_MPEGI/ISO/VVC': 'H.266 (VVC) video',
  'ts-33': 'H.266 (VVC) video',
  'ac-4': 'AC-4 audio',
  'ts-ac4': 'AC-4 audio',
  mha1: 'MPEG-H 3D audio',
  mha2: 'MPEG-H 3D audio',
  mhm1: 'MPEG-H 3D audio',
  mhm2: 'MPEG-H 3D audio',
  'ts-2d': 'MPEG-H 3D audio',
  'ts-2e': 'MPEG-H 3D audio',
}

/** DRM systems in a `pssh` box (ISO 23001-7), by the first bytes of their ids at dashif.org. */
const protectionSystems: Readonly<Record<string, string>> = {
  edef8ba9: 'Widevine',
  '9a04f079': 'PlayReady',
  '94ce86fb': 'FairPlay',
  '1077efec': 'clear key',
  e2719d58: 'clear key',
}
/** Sample entries of encrypted tracks: Common Encryption, FairPlay, Audible. */
const encryptionBySampleEntry: Readonly<Record<string, string>> = {
  encv: 'Common Encryption',
  enca: 'Common Encryption',
  enct: 'Common Encryption',
  drmi: 'FairPlay',
  drms: 'FairPlay',
  aavd: 'Audible',
}

type TrackReader = (file: RandomAccess) => Promise<Tracks>

const readers: Readonly<Record<string, TrackReader>> = {
  'mov,mp4,m4a,3gp,3g2,mj2': readMp4Tracks,
  'matroska,webm': readMatroskaTracks,
  mpegts: readTransportStreams,
  asf: readAsfTracks,
}

/** @throws AppError UNSUPPORTED_FORMAT */
export async function rejectEncrypted(path: string, format: FormatId): Promise<void> {
  const encryption = (await readTracks(path, format))?.encryption
  if (encryption === undefined) return
  const { name } = formatById(format)
  const message = `The ${name} (${format}) is encrypted (${encryption}), for example by DRM, so it cannot be converted. Send a copy without encryption.`
  throw new AppError('UNSUPPORTED_FORMAT', message, { field: 'file', format, reason: 'drm', encryption })
}

/** Returns an error that names the codec which ffmpeg lacks, or undefined if there is no such codec. */
export async function findUnsupportedCodec(
  path: string,
  format: FormatId,
  cause: Error,
): Promise<AppError | undefined> {
  const codecs = (await readTracks(path, format))?.codecs.map((codec) => unsupportedCodecNames[codec])
  const codec = codecs?.find((name) => name !== undefined)
  return codec === undefined ? undefined : createFeatureError(format, codec, cause)
}

async function readTracks(path: string, format: FormatId): Promise<Tracks | undefined> {
  const read = readers[listDemuxers(format)]
  if (!read) return undefined
  await using file = await open(path)
  try {
    // Awaits the result here, because `file` is closed when this function returns.
    return await read(await openRandomAccess(file))
  } catch (error) {
    // The bytes contradict the format; ffmpeg decides whether it can read them.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const maxMovieBoxes = 5000

async function readMp4Tracks(file: RandomAccess): Promise<Tracks> {
  const boxes = new Mp4Boxes(file, maxMovieBoxes)
  const movie = await boxes.findTopLevel('moov')
  if (!movie) return { codecs: [] }
  const codecs: string[] = []
  for (const track of (await boxes.list(movie)).filter(({ type }) => type === 'trak')) {
    const description = await boxes.find(track, 'mdia', 'minf', 'stbl', 'stsd')
    if (!description) continue
    const entries = await boxes.list({ start: description.start + 8, end: description.end })
    codecs.push(...entries.map(({ type }) => type))
  }
  const method = codecs.map((codec) => encryptionBySampleEntry[codec]).find((name) => name !== undefined)
  if (method === undefined) return { codecs }
  const protectionBox = (await boxes.find(movie, 'pssh')) ?? (await boxes.findTopLevel('pssh'))
  const systemId = protectionBox && (await boxes.readStart(protectionBox, 8)).toString('hex', 4)
  const systemName = systemId === undefined ? undefined : protectionSystems[systemId]
  return { codecs, encryption: systemName ?? method }
}

/** Element ids of RFC 9559, section 5.1. */
const ids = {
  segment: 0x18538067,
  cluster: 0x1f43b675,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  codecId: 0x86,
  contentEncodings: 0x6d80,
  contentEncoding: 0x6240,
  contentEncryption: 0x5035,
} as const
const maxElements = 1000
const maxTracksBytes = 1024 * 1024

async function readMatroskaTracks(file: RandomAccess): Promise<Tracks> {
  const header = await readEbmlElement(file, 0)
  const segment = await readEbmlElement(file, header.end)
  for (let at = segment.start, count = 0; at < file.size && count < maxElements; count++) {
    const { id, start, end } = await readEbmlElement(file, at)
    if (id === ids.cluster || (id === ids.tracks && end - start > maxTracksBytes)) break
    if (id === ids.tracks) return parseMatroskaTracks(await file.at(start, end - start))
    at = end
  }
  return { codecs: [] }
}

function parseMatroskaTracks(tracks: Buffer): Tracks {
  const getChildren = (parents: readonly Buffer[], id: number) =>
    parents.flatMap((parent) => readEbmlChildren(parent, maxElements).get(id) ?? [])
  const entries = getChildren([tracks], ids.trackEntry)
  const encodings = getChildren(getChildren(entries, ids.contentEncodings), ids.contentEncoding)
  return {
    codecs: getChildren(entries, ids.codecId).map((id) => id.toString('latin1').replace(/\0+$/, '')),
    encryption: getChildren(encodings, ids.contentEncryption).length > 0 ? 'WebM encryption' : undefined,
  }
}

/** GUIDs of the Content Encryption Object and the Extended Content Encryption Object (ASF specification, 10.1). */
const asfEncryptionGuids = ['fbb31122 23bdd211 b4b700a0 c955fc6e', '14e68a29 2226174c b935dae0 7ee9289c'].map(
  (id) => Buffer.from(id.replaceAll(' ', ''), 'hex'),
)
const asfHeaderBytes = 64 * 1024

async function readAsfTracks(file: RandomAccess): Promise<Tracks> {
  const header = await file.at(0, Math.min(file.size, asfHeaderBytes))
  const isEncrypted = asfEncryptionGuids.some((id) => header.includes(id))
  return { codecs: [], encryption: isEncrypted ? 'Windows Media DRM' : undefined }
}
