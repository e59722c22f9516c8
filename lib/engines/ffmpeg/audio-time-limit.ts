import { AppError } from '../../errors.ts'
import type { EngineWork, Tools, WorkerPool } from '../engine.ts'
import type { AudioCodecId } from './audio-codecs.ts'
import { soundWithin } from './audio-encode-time.ts'
import { totalS } from './merge.ts'
import { partsOf } from './merge-inputs.ts'
import { isMidi } from './midi.ts'
import { type MediaOptions, mergeSoundOptions } from './options.ts'
import { recipeFor } from './plan.ts'
import { playable } from './predecode-audio.ts'
import { type Media, type MediaStream, probedOnce } from './probe.ts'
import { headerOf } from './read-header.ts'
import { containerOf, targetOf } from './transcode.ts'
import { cutOf } from './trim.ts'

/** Sound that is to be encoded. */
interface Encoding {
  readonly codec: AudioCodecId | undefined
  readonly channels: number
  /** Samples a second. */
  readonly rate: number
  /** Seconds; undefined where nobody knows. */
  readonly lastsS: number | undefined
  /** What lasts so long, and what to do about it, without the formats that would do. */
  readonly what: string
  readonly wayOut: string
}

const waysOut = {
  convert: 'Convert it in parts, with start and end',
  compress: 'Compress parts of it',
} as const

/** Formats that many can use, of codecs that take less time than others. */
const quickFormats = { mp3: 'mp3', flac: 'flac', wav: 'pcm' } as const

/**
 * Sound is encoded by one worker, as pieces of it could not be joined without gaps.
 * @throws AppError TIMEOUT where it would not end in its time, which is told before it is tried; CORRUPT_FILE.
 */
export async function requireTimeForSound(
  work: EngineWork,
  tools: Tools,
  { timeoutS }: Pick<WorkerPool, 'timeoutS'>,
): Promise<void> {
  if (!Number.isFinite(timeoutS)) return
  const encoding = await (work.operation === 'merge' ? mergedSound : singleSound)(work, tools)
  if (!encoding?.codec || encoding.lastsS === undefined) return
  const { codec, lastsS, what, wayOut } = encoding
  const mostS = soundWithin(timeoutS, codec, encoding)
  if (mostS === undefined || lastsS <= mostS) return
  const quicker = Object.entries(quickFormats).flatMap(([format, other]) =>
    lastsS <= (soundWithin(timeoutS, other, encoding) ?? 0) ? [format] : [],
  )
  const [most, lasts] = [mostS, lastsS].map((seconds) => Math.round(seconds / 60))
  throw new AppError(
    'TIMEOUT',
    `${what} ${lasts} min; of such sound, ${most} min become ${work.to} in the ${timeoutS} s that one machine of this service works on it. ${wayOut}${quicker.length > 0 ? `, or make ${quicker.join(' or ')} of it` : ''}.`,
    { limitS: timeoutS, durationS: Math.round(lastsS) },
  )
}

/** In the sound of the first. */
async function mergedSound(work: EngineWork, tools: Tools): Promise<Encoding | undefined> {
  const parts = await partsOf(work, tools)
  const { gap } = mergeSoundOptions.parse(work.options)
  const stream = parts[0]?.media.audio[0]
  const [codec] = containerOf(work.to).audio
  return (
    stream && {
      ...{ codec, ...shapeOf(stream), lastsS: totalS(parts, gap) },
      ...{ what: 'The pieces last together', wayOut: 'Merge fewer' },
    }
  )
}

/** Undefined for what is only copied, where there is none, and for notes, whose length is known when they were played. */
async function singleSound(work: EngineWork, tools: Tools): Promise<Encoding | undefined> {
  const [input] = work.inputs
  const { operation, to } = work
  if (!input || isMidi(work.from) || !(operation in waysOut)) return undefined
  const { path, from } = await playable(input.path, work.from, tools)
  const container = containerOf(to)
  const options: MediaOptions = operation === 'convert' ? targetOf(work).options : { mode: 'encode' }
  const isCopied = (media: Media) =>
    recipeFor({ media, from, to, container, options, mayCopy: true, keepSubtitles: true }).method ===
    'stream-copy'
  const header = await headerOf(path, from)
  if (header && !header.hasMore && isCopied(header.media)) return undefined
  const media = await probedOnce(input, { path, from }, tools)
  const [stream] = media.audio
  if (!stream || isCopied(media)) return undefined
  const { audioCodec, channels, audioSampleRate } = options
  const shape = shapeOf(stream)
  return {
    // Others than those of the container are refused before.
    codec: asked(audioCodec) ?? container.audio[0],
    channels: channels ?? shape.channels,
    rate: audioSampleRate ?? shape.rate,
    lastsS: cutOf(options, media).durationS,
    ...{ what: 'The sound lasts', wayOut: waysOut[operation as keyof typeof waysOut] },
  }
}

const asked = (codec: string | undefined) =>
  codec === 'copy' ? undefined : (codec as AudioCodecId | undefined)

const shapeOf = ({ channels = 2, sample_rate: rate = 48_000 }: MediaStream) => ({ channels, rate })
