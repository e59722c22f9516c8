import { AppError } from '../../errors.ts'
import type { EngineWork, Tools, WorkerPool } from '../engine.ts'
import type { AudioCodecId } from './audio-codecs.ts'
import { computeMaxAudioSeconds } from './audio-encode-time.ts'
import { sumDurationsS } from './merge.ts'
import { probeMergeInputs } from './merge-inputs.ts'
import { isMidi } from './midi.ts'
import { type MediaOptions, mergeAudioOptions } from './options.ts'
import { buildRecipe } from './plan.ts'
import { predecodeAudio } from './predecode-audio.ts'
import { type MediaInfo, type MediaStream, probeCached } from './probe.ts'
import { readHeader } from './read-header.ts'
import { getContainer, parseMediaTarget } from './transcode.ts'
import { resolveTrim } from './trim.ts'

/** Audio that must be encoded. */
interface AudioEncoding {
  readonly codec: AudioCodecId | undefined
  readonly channels: number
  /** Samples per second. */
  readonly sampleRate: number
  /** Duration in seconds; undefined if unknown. */
  readonly durationS: number | undefined
  /** Start of the error message, which the duration follows. */
  readonly subject: string
  /** Last sentence of the error message, without its period; formats with faster encoders are appended to it. */
  readonly advice: string
}

const adviceByOperation = {
  convert: 'Convert it in parts with the options start and end',
  compress: 'Compress parts of it',
} as const

/** Widely supported formats with fast encoders. */
const fastCodecByFormat = { mp3: 'mp3', flac: 'flac', wav: 'pcm' } as const

/**
 * Rejects audio that could not be encoded within the time limit. Audio is encoded by a single worker, as separately
 * encoded segments could not be joined without gaps.
 * @throws AppError TIMEOUT, before the encoding starts; CORRUPT_FILE.
 */
export async function checkAudioTimeLimit(
  work: EngineWork,
  tools: Tools,
  { timeoutS }: Pick<WorkerPool, 'timeoutS'>,
): Promise<void> {
  if (!Number.isFinite(timeoutS)) return
  const encoding = await (work.operation === 'merge' ? describeMergeEncoding : describeFileEncoding)(
    work,
    tools,
  )
  if (!encoding?.codec || encoding.durationS === undefined) return
  const { codec, durationS, subject, advice } = encoding
  const maxS = computeMaxAudioSeconds(timeoutS, codec, encoding)
  if (maxS === undefined || durationS <= maxS) return
  const fasterTargets = Object.entries(fastCodecByFormat).flatMap(([format, fastCodec]) =>
    durationS <= (computeMaxAudioSeconds(timeoutS, fastCodec, encoding) ?? 0) ? [format] : [],
  )
  const [maxMin, durationMin] = [maxS, durationS].map((seconds) => Math.round(seconds / 60))
  throw new AppError(
    'TIMEOUT',
    `${subject} ${durationMin} min long; at most ${maxMin} min of such audio can be converted to ${work.to} within the time limit of ${timeoutS} s. ${advice}${fasterTargets.length > 0 ? `, or convert it to ${fasterTargets.join(' or ')}` : ''}.`,
    { limitS: timeoutS, durationS: Math.round(durationS) },
  )
}

/** Describes a merge, which is encoded with the audio properties of its first file. */
async function describeMergeEncoding(work: EngineWork, tools: Tools): Promise<AudioEncoding | undefined> {
  const mergeInputs = await probeMergeInputs(work, tools)
  const { gap } = mergeAudioOptions.parse(work.options)
  const stream = mergeInputs[0]?.media.audio[0]
  const [codec] = getContainer(work.to).audio
  return (
    stream && {
      codec,
      ...readAudioShape(stream),
      durationS: sumDurationsS(mergeInputs, gap),
      subject: 'The merged files are',
      advice: 'Merge fewer files',
    }
  )
}

/**
 * Returns undefined if there is no audio or it is only copied, and for MIDI, whose duration is unknown before
 * rendering.
 */
async function describeFileEncoding(work: EngineWork, tools: Tools): Promise<AudioEncoding | undefined> {
  const [input] = work.inputs
  const { operation, to } = work
  if (!input || isMidi(work.from) || !(operation in adviceByOperation)) return undefined
  const { path, from } = await predecodeAudio(input.path, work.from, tools)
  const container = getContainer(to)
  const options: MediaOptions = operation === 'convert' ? parseMediaTarget(work).options : { mode: 'encode' }
  const isCopied = (media: MediaInfo) =>
    buildRecipe({ media, from, to, container, options, mayCopy: true, keepSubtitles: true }).method ===
    'stream-copy'
  const header = await readHeader(path, from)
  if (header && !header.mayBeIncomplete && isCopied(header.media)) return undefined
  const media = await probeCached(input, { path, from }, tools)
  const [stream] = media.audio
  if (!stream || isCopied(media)) return undefined
  const { audioCodec, channels, audioSampleRate } = options
  const shape = readAudioShape(stream)
  return {
    // Codecs that the container does not support have been refused before.
    codec: parseCodecOption(audioCodec) ?? container.audio[0],
    channels: channels ?? shape.channels,
    sampleRate: audioSampleRate ?? shape.sampleRate,
    durationS: resolveTrim(options, media).durationS,
    subject: 'The audio is',
    advice: adviceByOperation[operation as keyof typeof adviceByOperation], // The `in` check above limits the operation to these keys.
  }
}

// The cast is safe, because the options of a container allow only its own codecs.
const parseCodecOption = (codec: string | undefined) =>
  codec === 'copy' ? undefined : (codec as AudioCodecId | undefined)

const readAudioShape = ({ channels = 2, sample_rate: sampleRate = 48_000 }: MediaStream) => ({
  channels,
  sampleRate,
})
