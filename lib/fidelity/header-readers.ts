import { parseHeader } from '../engines/ffmpeg/read-header.ts'
import { type FormatId, formatById } from '../formats/index.ts'
import {
  countArEntries,
  countCabEntries,
  countComicPages,
  countCpioEntries,
  countTarEntries,
  countZipEntries,
} from './archives.ts'
import type { FileBytes } from './bytes.ts'
import type { ContentSummary } from './content-summary.ts'
import {
  readEmbeddedOpenType,
  readFontCollection,
  readMacFont,
  readUnifiedFontObject,
} from './fonts/font-containers.ts'
import { readOpenType } from './fonts/fonts.ts'
import { readAiff, readFlac, readMp3, readOgg, readWav } from './media/audio.ts'
import { readGif, readPng, readTiff, readWebp, summarizeSingleImage } from './media/images.ts'
import {
  readAc3,
  readAdts,
  readAmr,
  readAu,
  readCoreAudio,
  readTrueAudio,
  readWave64,
  readWavPack,
} from './media/raw-audio.ts'
import { readAvi, readFlashVideo, readWindowsMedia } from './media/video.ts'

type HeaderReader = (bytes: FileBytes) => Promise<ContentSummary | undefined>

/** Readers that examine only headers and directories, which takes milliseconds for any file. */
const readers: readonly { readonly formats: readonly FormatId[]; readonly read: HeaderReader }[] = [
  { formats: ['cbz'], read: countComicPages },
  { formats: ['wav'], read: readWav },
  { formats: ['aiff', 'aif', 'aifc'], read: readAiff },
  { formats: ['flac'], read: readFlac },
  { formats: ['ogg', 'oga', 'opus'], read: readOgg },
  { formats: ['mp3'], read: readMp3 },
  { formats: ['ac3'], read: readAc3 },
  { formats: ['aac'], read: readAdts },
  { formats: ['amr', 'awb'], read: readAmr },
  { formats: ['au', 'snd'], read: readAu },
  { formats: ['w64'], read: readWave64 },
  { formats: ['caf'], read: readCoreAudio },
  { formats: ['wv'], read: readWavPack },
  { formats: ['tta'], read: readTrueAudio },
  { formats: ['avi', 'divx', 'xvid'], read: readAvi },
  { formats: ['wmv', 'wma', 'asf'], read: readWindowsMedia },
  { formats: ['flv'], read: readFlashVideo },
  { formats: ['gif'], read: readGif },
  { formats: ['webp'], read: readWebp },
  { formats: ['png', 'apng'], read: readPng },
  {
    formats: ['jpg', 'bmp', 'bmp2', 'bmp3', 'hdr', 'pcx', 'ppm', 'pgm', 'pbm', 'pnm', 'xbm', 'ras'],
    read: summarizeSingleImage,
  },
  { formats: ['tiff'], read: readTiff },
  { formats: ['ttf', 'otf'], read: readOpenType },
  { formats: ['ttc'], read: readFontCollection },
  { formats: ['dfont'], read: readMacFont },
  { formats: ['eot'], read: readEmbeddedOpenType },
  { formats: ['ufo'], read: readUnifiedFontObject },
  { formats: ['zip', 'jar'], read: countZipEntries },
  { formats: ['tar'], read: countTarEntries },
  { formats: ['cpio'], read: countCpioEntries },
  { formats: ['cab'], read: countCabEntries },
  { formats: ['ar', 'deb'], read: countArEntries },
]

const byFormat: ReadonlyMap<FormatId, HeaderReader> = new Map(
  readers.flatMap(({ formats, read }) => formats.map((format) => [format, read] as const)),
)

/** Summarizes a file by its headers; undefined if that is not possible. */
export async function readHeaders(bytes: FileBytes, format: FormatId): Promise<ContentSummary | undefined> {
  const { category } = formatById(format)
  const read = byFormat.get(format)
  if (read) return read(bytes)
  return category === 'video' || category === 'audio' ? readMediaSummary(bytes, format) : undefined
}

async function readMediaSummary(bytes: FileBytes, format: FormatId): Promise<ContentSummary | undefined> {
  const header = await parseHeader(bytes, format)
  if (!header) return undefined
  const { durationS, video, audio } = header.media
  const frames = video?.nb_read_packets
  const audioDurations = video ? audio.flatMap(({ duration }) => duration ?? []) : []
  return {
    // Channels are omitted, because an MP4 header always states two.
    counts: frames === undefined ? {} : { frames },
    ...(durationS !== undefined && { seconds: durationS }),
    ...(audioDurations.length > 0 &&
      audioDurations.length === audio.length && { soundSeconds: Math.max(...audioDurations) }),
    features: [...(video ? (['film'] as const) : []), ...(audio.length > 0 ? (['sound'] as const) : [])],
  }
}
