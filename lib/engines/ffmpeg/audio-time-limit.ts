import { AppError } from '../../errors.ts'
import type { EngineWork, Tools, WorkerPool } from '../engine.ts'
import type { AudioCodecId } from './audio-codecs.ts'
import { maxAudioSeconds } from './audio-encode-time.ts'
import { totalDurationS } from './merge.ts'
import { probeMergeInputs } from './merge-inputs.ts'
import { isMidi } from './midi.ts'
import { type MediaOptions, mergeAudioOptions } from './options.ts'
import { buildRecipe } from './plan.ts'
import { predecodeAudio } from './predecode-audio.ts'
import { type MediaInfo, type MediaStream, probeCached } from './probe.ts'
import { readHeader } from './read-header.ts'
import { containerFor, mediaTargetOf } from './transcode.ts'
import { resolveTrim } from './trim.ts'

/** Sound that is to be encoded. */
interface AudioEncoding {
  readonly codec: AudioCodecId | undefined
  readonly channels: number
  /** Samples a second. */
  readonly sampleRate: number
  /** Seconds; undefined where nobody knows. */
  readonly durationS: number | undefined
  /** What lasts so long, and what to do about it, without the formats that would do. */
  readonly subject: string
  readonly advice: string
}

const adviceFor = {
  convert: 'Convert it in parts, with start and end',
  compress: 'Compress parts of it',
} as const

/** Formats that many can use, of codecs that take less time than others. */
const fasterFormats = { mp3: 'mp3', flac: 'flac', wav: 'pcm' } as const

/**
 * Sound is encoded by one worker, as pieces of it could not be joined without gaps.
 * @throws AppError TIMEOUT where it would not end in its time, which is told before it is tried; CORRUPT_FILE.
 */
export async function checkAudioTimeLimit(
  work: EngineWork,
  tools: Tools,
  { timeoutS }: Pick<WorkerPool, 'timeoutS'>,
): Promise<void> {
  if (!Number.isFinite(timeoutS)) return
  const encoding = await (work.operation === 'merge' ? mergeEncoding : fileEncoding)(work, tools)
  if (!encoding?.codec || encoding.durationS === undefined) return
  const { codec, durationS, subject, advice } = encoding
  const maxS = maxAudioSeconds(timeoutS, codec, encoding)
  if (maxS === undefined || durationS <= maxS) return
  const faster = Object.entries(fasterFormats).flatMap(([format, other]) =>
    durationS <= (maxAudioSeconds(timeoutS, other, encoding) ?? 0) ? [format] : [],
  )
  const [maxMin, durationMin] = [maxS, durationS].map((seconds) => Math.round(seconds / 60))
  throw new AppError(
    'TIMEOUT',
    `${subject} ${durationMin} min; of such sound, ${maxMin} min become ${work.to} in the ${timeoutS} s that one machine of this service works on it. ${advice}${faster.length > 0 ? `, or make ${faster.join(' or ')} of it` : ''}.`,
    { limitS: timeoutS, durationS: Math.round(durationS) },
  )
}

/** In the sound of the first. */
async function mergeEncoding(work: EngineWork, tools: Tools): Promise<AudioEncoding | undefined> {
  const mergeInputs = await probeMergeInputs(work, tools)
  const { gap } = mergeAudioOptions.parse(work.options)
  const stream = mergeInputs[0]?.media.audio[0]
  const [codec] = containerFor(work.to).audio
  return (
    stream && {
      ...{ codec, ...audioShape(stream), durationS: totalDurationS(mergeInputs, gap) },
      ...{ subject: 'The pieces last together', advice: 'Merge fewer' },
    }
  )
}

/** Undefined for what is only copied, where there is none, and for notes, whose length is known when they were played. */
async function fileEncoding(work: EngineWork, tools: Tools): Promise<AudioEncoding | undefined> {
  const [input] = work.inputs
  const { operation, to } = work
  if (!input || isMidi(work.from) || !(operation in adviceFor)) return undefined
  const { path, from } = await predecodeAudio(input.path, work.from, tools)
  const container = containerFor(to)
  const options: MediaOptions = operation === 'convert' ? mediaTargetOf(work).options : { mode: 'encode' }
  const isCopied = (media: MediaInfo) =>
    buildRecipe({ media, from, to, container, options, mayCopy: true, keepSubtitles: true }).method ===
    'stream-copy'
  const header = await readHeader(path, from)
  if (header && !header.mayHaveMore && isCopied(header.media)) return undefined
  const media = await probeCached(input, { path, from }, tools)
  const [stream] = media.audio
  if (!stream || isCopied(media)) return undefined
  const { audioCodec, channels, audioSampleRate } = options
  const shape = audioShape(stream)
  return {
    // Others than those of the container are refused before.
    codec: requestedCodec(audioCodec) ?? container.audio[0],
    channels: channels ?? shape.channels,
    sampleRate: audioSampleRate ?? shape.sampleRate,
    durationS: resolveTrim(options, media).durationS,
    ...{ subject: 'The sound lasts', advice: adviceFor[operation as keyof typeof adviceFor] },
  }
}

const requestedCodec = (codec: string | undefined) =>
  codec === 'copy' ? undefined : (codec as AudioCodecId | undefined)

const audioShape = ({ channels = 2, sample_rate: sampleRate = 48_000 }: MediaStream) => ({
  channels,
  sampleRate,
})
