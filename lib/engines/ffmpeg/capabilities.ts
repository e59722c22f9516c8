import * as z from 'zod'
import type { FormatId } from '../../formats/index.ts'
import type { Capability } from '../engine.ts'
import { stampInputs } from '../image/watermark-options.ts'
import { audioCodecs } from './audio-codecs.ts'
import { audioContainers } from './audio-containers.ts'
import type { Container } from './containers.ts'
import { metadataRows } from './metadata.ts'
import {
  animatedPngOptions,
  animatedWebpOptions,
  audioOptions,
  compressOptions,
  filmWatermarkOptions,
  gifOptions,
  mergeSoundOptions,
  mergeVideoOptions,
  videoOptions,
} from './options.ts'
import {
  filmSubtitles,
  subtitledFilms,
  subtitleOptions,
  subtitleSources,
  subtitleTargets,
} from './subtitles.ts'
import { filmThumbnailRows } from './thumbnail.ts'
import { videoContainers } from './video-containers.ts'
import { filmPictureRows } from './video-frames.ts'

export const videos = Object.keys(videoContainers) as (keyof typeof videoContainers)[] // Object.keys forgets the names.
export const audios = Object.keys(audioContainers) as (keyof typeof audioContainers)[]

const silent: readonly FormatId[] = videos.filter((id) => videoContainers[id].audio.length === 0)
const readOnlySilent = ['mp4v', 'h261', 'h263', 'gxf'] as const
const readOnlyVideos = [
  ...(['qt', 'm4s', 'trp', 'tod', 'mod', 'ogx', 'dvr-ms', 'rmvb', 'roq', 'smjpeg'] as const),
  ...readOnlySilent,
]
const readOnlyAudios = [
  ...(['mp4a', 'mpa', 'aptxhd', 'g723_1', 'tracker', '8svx', 'maud', 'avr', 'paf', 'pvf', 'sph'] as const),
  ...(['hcom', 'kvag', 'rso', 'wsaud', 'mid', 'midi', 'kar', 'rmi'] as const),
]
const writeOnly: readonly FormatId[] = ['mmf']

const videoSources: readonly FormatId[] = [...videos, ...readOnlyVideos]
const isSilent = (id: FormatId) => silent.includes(id) || readOnlySilent.some((one) => one === id)
const sounds: readonly FormatId[] = [...audios.filter((id) => !writeOnly.includes(id)), ...readOnlyAudios]
const soundingVideos = videoSources.filter((id) => !isSilent(id))
/** What the sound of a film is wanted as; the formats of old machines, telephones and radios are not among them. */
const soundOfFilms: readonly FormatId[] = [
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

const mergedVideos = ['mp4', 'mov', 'mkv', 'webm', 'm4v', 'avi'] as const
const mergedAudios = ['mp3', 'wav', 'flac', 'm4a', 'ogg', 'opus', 'aac'] as const
const others = { min: 1, max: 49 }

export const capabilities: readonly Capability[] = [
  ...videos.map((to): Capability => {
    const from = [...videoSources, 'gif', 'apng'] as const
    const row = { operation: 'convert', from, to: [to], same: true, cost: 5 } as const
    return withOptions(row, () => videoOptions(videoContainers[to]))
  }),
  ...audios.map((to): Capability => {
    const from = soundOfFilms.includes(to) ? [...sounds, ...soundingVideos] : sounds
    const row = { operation: 'convert', from, to: [to], same: true, cost: 0.5 } as const
    return withOptions(row, () => audioOptions(audioContainers[to]))
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
  ...filmPictureRows(videoSources),
  { operation: 'convert', from: ['bmp', 'apng'], to: ['png'], options: z.object({}), cost: 0.2 },
  // Where ImageMagick does not know the compression: by way of TIFF the options of a PNG are taken, too.
  { operation: 'convert', from: ['dds'], to: ['png', 'tiff'], options: z.object({}), cost: 3 },
  { operation: 'convert', from: subtitleSources, to: subtitleTargets, options: subtitleOptions, cost: 0.3 },
  { operation: 'convert', from: subtitledFilms, to: filmSubtitles, options: z.object({}), cost: 1 },
  {
    operation: 'merge',
    from: mergedVideos,
    to: mergedVideos,
    same: true,
    more: { from: mergedVideos, ...others },
    options: mergeVideoOptions,
    cost: 5,
  },
  {
    operation: 'merge',
    from: mergedAudios,
    to: mergedAudios,
    same: true,
    more: { from: mergedAudios, ...others },
    options: mergeSoundOptions,
    cost: 2,
  },
  ...filmThumbnailRows(videoSources),
  ...videos.map(
    (id): Capability => ({
      operation: 'watermark',
      from: [id],
      to: [id],
      same: true,
      more: stampInputs,
      options: filmWatermarkOptions,
      cost: 5,
    }),
  ),
  ...Object.entries({ ...videoContainers, ...audioContainers }).flatMap(([name, container]) => {
    const id = name as FormatId // Object.entries forgets the names.
    const row = { operation: 'compress', from: [id], to: [id], same: true, cost: 5 } as const
    return canShrink(container) ? [withOptions(row, () => compressOptions(container))] : []
  }),
  ...metadataRows,
]

/** Made when they are first wanted: there are dozens of containers, and a file becomes one of them. */
function withOptions(row: Omit<Capability, 'options'>, make: () => Capability['options']): Capability {
  let made: Capability['options'] | undefined
  return {
    ...row,
    get options() {
      made ??= make()
      return made
    },
  }
}

/** What has a choice of bits, and can be read again. */
function canShrink({ muxer, video, audio, needsSound }: Container): boolean {
  if (video.length === 0) return audio.some((id) => 'kbits' in audioCodecs[id])
  return !needsSound && muxer !== 'yuv4mpegpipe'
}
