import type { AudioCodecId } from './audio-codecs.ts'
import type { VideoCodecId } from './codecs.ts'

/** What ffmpeg writes a format with, and what may be in it. */
export interface Container {
  /** As `ffmpeg -muxers` names it. */
  readonly muxer: string
  readonly args?: readonly string[]
  /** Codecs that it can be asked for, the usual first; none for a format of sound only. */
  readonly video: readonly VideoCodecId[]
  /** None for a bare stream of pictures. */
  readonly audio: readonly AudioCodecId[]
  /** ffprobe's names of codecs that are copied into it as they are. */
  readonly copies: readonly string[]
  /** Holds one sound track only. */
  readonly singleAudioTrack?: true
  /** Encoder for subtitles that are text. */
  readonly subtitles?: 'mov_text' | 'srt' | 'webvtt'
  /** Holds subtitles that are pictures. */
  readonly imageSubtitles?: true
  /** Holds a cover picture: as a stream of its own, or among its texts. */
  readonly cover?: 'stream' | 'text'
  /** Tells players to turn the picture, so that a turned one can be copied. */
  readonly rotation?: true
  /** Holds alpha as its codecs have it. */
  readonly alpha?: true
  /** FourCC of the video, by which players of AVI choose their decoder. */
  readonly videoTag?: string
  readonly maxChannels?: number
  /** Counts pictures instead of timing each, so that a source that names no rate needs one. */
  readonly constantFrameRate?: true
  /** Must have sound: a source without gets silence. */
  readonly requiresAudio?: true
  /** Sample rates in Hz, where the container takes fewer than the codec. */
  readonly sampleRates?: readonly number[]
}
