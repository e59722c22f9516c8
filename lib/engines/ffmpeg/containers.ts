import type { AudioCodecId } from './audio-codecs.ts'
import type { VideoCodecId } from './codecs.ts'

/** How ffmpeg writes a container format, and what the format supports. */
export interface Container {
  /** Name of the muxer in `ffmpeg -muxers`. */
  readonly muxer: string
  readonly args?: readonly string[]
  /** Video codecs that clients can select, the default first; empty for audio formats. */
  readonly video: readonly VideoCodecId[]
  /** Audio codecs that clients can select, the default first; empty for raw video streams. */
  readonly audio: readonly AudioCodecId[]
  /** Codecs (ffprobe names) that can be copied into the container without encoding. */
  readonly copyableCodecs: readonly string[]
  /** The container supports only one audio track. */
  readonly singleAudioTrack?: true
  /** Encoder for text subtitles. */
  readonly subtitles?: 'mov_text' | 'srt' | 'webvtt'
  /** The container supports image subtitles. */
  readonly imageSubtitles?: true
  /** Support for cover images: as a separate stream, or as a metadata tag. */
  readonly cover?: 'stream' | 'text'
  /** The container stores the rotation, so that a rotated video can be copied. */
  readonly rotation?: true
  /** The container preserves the alpha channel of its codecs. */
  readonly alpha?: true
  /** FourCC of the video, by which AVI players select the decoder. */
  readonly videoTag?: string
  readonly maxChannels?: number
  /** Frames have no timestamps, so a source without a frame rate needs one. */
  readonly constantFrameRate?: true
  /** The container requires audio; a silent track is added if the source has none. */
  readonly requiresAudio?: true
  /** Sample rates in Hz, if the container supports fewer than the codec. */
  readonly sampleRates?: readonly number[]
}
