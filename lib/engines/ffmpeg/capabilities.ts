import * as z from 'zod'
import type { FormatId } from '../../formats/index.ts'
import { keysOf } from '../../validation/keys-of.ts'
import type { Capability } from '../engine.ts'
import { stampInputs } from '../shared/image/watermark-options.ts'
import { audioCodecs } from './audio-codecs.ts'
import { audioContainers } from './audio-containers.ts'
import type { Container } from './containers.ts'
import { mediaMetadataRows } from './metadata.ts'
import {
  animatedPngOptions,
  animatedWebpOptions,
  createAudioOptions,
  createCompressOptions,
  createVideoOptions,
  gifOptions,
  mergeAudioOptions,
  mergeVideoOptions,
  videoWatermarkOptions,
} from './options.ts'
import {
  subtitleOptions,
  subtitleSources,
  subtitleTargets,
  videoSubtitleTargets,
  videosWithSubtitles,
} from './subtitles.ts'
import { createVideoThumbnailRows } from './thumbnail.ts'
import { videoContainers } from './video-containers.ts'
import { createVideoImageRows } from './video-frames.ts'

export const videoFormats = keysOf(videoContainers)
export const audioFormats = keysOf(audioContainers)

const silentVideoFormats: readonly FormatId[] = videoFormats.filter(
  (id) => videoContainers[id].audio.length === 0,
)
const readOnlySilentFormats = ['mp4v', 'h261', 'h263', 'gxf'] as const
const readOnlyVideoFormats = [
  ...(['qt', 'm4s', 'trp', 'tod', 'mod', 'ogx', 'dvr-ms', 'rmvb', 'roq', 'smjpeg'] as const),
  ...readOnlySilentFormats,
]
const readOnlyAudioFormats = [
  ...(['mp4a', 'mpa', 'aptxhd', 'g723_1', 'tracker', '8svx', 'maud', 'avr', 'paf', 'pvf', 'sph'] as const),
  ...(['hcom', 'kvag', 'rso', 'wsaud', 'mid', 'midi', 'kar', 'rmi'] as const),
]
const writeOnlyFormats: readonly FormatId[] = ['mmf']

const videoSources: readonly FormatId[] = [...videoFormats, ...readOnlyVideoFormats]
const isSilent = (id: FormatId) =>
  silentVideoFormats.includes(id) || readOnlySilentFormats.some((format) => format === id)
const audioSources: readonly FormatId[] = [
  ...audioFormats.filter((id) => !writeOnlyFormats.includes(id)),
  ...readOnlyAudioFormats,
]
const videoFormatsWithAudio = videoSources.filter((id) => !isSilent(id))
/** Audio formats that are offered for videos; formats of old computers, telephony and radio are left out. */
const audioTargetsOfVideos: readonly FormatId[] = [
  ...([
    'mp3',
    'wav',
    'flac',
    'aac',
    'm4a',
    'm4b',
    'm4r',
    'alac',
    'ogg',
    'oga',
    'opus',
    'weba',
    'mka',
  ] as const),
  ...(['ac3', 'eac3', 'dts', 'mp2', 'wma', 'aiff', 'au', 'caf', 'amr', '3ga', 'spx', 'wv'] as const),
]

const mergeableVideos = ['mp4', 'mov', 'mkv', 'webm', 'm4v', 'avi'] as const
const mergeableAudios = ['mp3', 'wav', 'flac', 'm4a', 'ogg', 'opus', 'aac'] as const
const moreFiles = { min: 1, max: 49 }

export const capabilities: readonly Capability[] = [
  ...videoFormats.map((to): Capability => {
    const from = [...videoSources, 'gif', 'apng'] as const
    const row = { operation: 'convert', from, to: [to], same: true, cost: 5 } as const
    return addLazyOptions(row, () => createVideoOptions(videoContainers[to]))
  }),
  ...audioFormats.map((to): Capability => {
    const from = audioTargetsOfVideos.includes(to)
      ? [...audioSources, ...videoFormatsWithAudio]
      : audioSources
    const row = { operation: 'convert', from, to: [to], same: true, cost: 0.5 } as const
    return addLazyOptions(row, () => createAudioOptions(audioContainers[to]))
  }),
  { operation: 'convert', from: [...videoSources, 'apng'], to: ['gif'], options: gifOptions, cost: 2 },
  {
    operation: 'convert',
    from: [...videoSources, 'apng'],
    to: ['webp'],
    options: animatedWebpOptions,
    cost: 2,
  },
  {
    operation: 'convert',
    from: [...videoSources, 'gif'],
    to: ['apng'],
    options: animatedPngOptions,
    cost: 2,
  },
  ...createVideoImageRows(videoSources),
  { operation: 'convert', from: ['bmp', 'apng'], to: ['png'], options: z.object({}), cost: 0.2 },
  // Reads image sequences, which libvips does not support.
  { operation: 'convert', from: ['avif'], to: ['png'], options: z.object({}), cost: 3 },
  // Reads compressions that ImageMagick does not support. TIFF is an intermediate format, so that image options apply.
  { operation: 'convert', from: ['dds'], to: ['png', 'tiff'], options: z.object({}), cost: 3 },
  { operation: 'convert', from: subtitleSources, to: subtitleTargets, options: subtitleOptions, cost: 0.3 },
  {
    operation: 'convert',
    from: videosWithSubtitles,
    to: videoSubtitleTargets,
    options: z.object({}),
    cost: 1,
  },
  {
    operation: 'merge',
    from: mergeableVideos,
    to: mergeableVideos,
    same: true,
    more: { from: mergeableVideos, ...moreFiles },
    options: mergeVideoOptions,
    cost: 5,
  },
  {
    operation: 'merge',
    from: mergeableAudios,
    to: mergeableAudios,
    same: true,
    more: { from: mergeableAudios, ...moreFiles },
    options: mergeAudioOptions,
    cost: 2,
  },
  ...createVideoThumbnailRows(videoSources),
  ...videoFormats.map(
    (id): Capability => ({
      operation: 'watermark',
      from: [id],
      to: [id],
      same: true,
      more: stampInputs,
      options: videoWatermarkOptions,
      cost: 5,
    }),
  ),
  ...Object.entries({ ...videoContainers, ...audioContainers }).flatMap(([name, container]) => {
    const id = name as FormatId // Object.entries loses the literal types.
    const row = { operation: 'compress', from: [id], to: [id], same: true, cost: 5 } as const
    return canCompress(container) ? [addLazyOptions(row, () => createCompressOptions(container))] : []
  }),
  ...mediaMetadataRows,
]

/** Creates the option schema on first use: there are dozens of containers, and a conversion needs only one of them. */
function addLazyOptions(
  row: Omit<Capability, 'options'>,
  createOptions: () => Capability['options'],
): Capability {
  let cachedOptions: Capability['options'] | undefined
  return {
    ...row,
    get options() {
      cachedOptions ??= createOptions()
      return cachedOptions
    },
  }
}

/** Whether a container has a codec with a selectable bit rate and can also be used as a source. */
function canCompress({ muxer, video, audio, requiresAudio }: Container): boolean {
  if (video.length === 0) return audio.some((id) => 'kbits' in audioCodecs[id])
  return !requiresAudio && muxer !== 'yuv4mpegpipe'
}
