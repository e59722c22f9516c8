// What is asked of a plan, and what it gives.
import type { FormatId } from '../../formats/index.ts'
import type { Container } from './containers.ts'
import type { MediaOptions } from './options.ts'
import type { MediaInfo } from './probe.ts'
import type { TrackLanguages } from './track-languages.ts'
import type { Overlay } from './video-filters.ts'

export interface MediaWarning {
  readonly code: string
  readonly message: string
}

/** One way to make the target: what ffmpeg is told before and after its input, and what gets lost. */
export interface Recipe {
  readonly input: readonly string[]
  readonly output: readonly string[]
  readonly method: 'stream-copy' | 'encode'
  /** Each stream of the result comes out of an encoder, so that ffmpeg itself knows what is in it. */
  readonly allEncoded: boolean
  /** Run it twice: the first only measures where the bits are needed. */
  readonly twoPass: boolean
  /** The container counts pictures: what is left out shortens the film. */
  readonly constantFrameRate: boolean
  readonly warnings: readonly MediaWarning[]
  /** Streams that the result must have, or it is none. */
  readonly requiredStreams: { readonly video: boolean; readonly audio: number }
  /** Of the tracks that it keeps. */
  readonly languages: TrackLanguages
}

export interface RecipeRequest {
  readonly media: MediaInfo
  readonly from: FormatId
  readonly to: FormatId
  readonly container: Container
  readonly options: MediaOptions
  /** Lies over every picture, which is then encoded. */
  readonly overlay?: Overlay
  /** Path of the cover as a text, for a container that holds it so. */
  readonly coverMetadataPath?: string | undefined
  /** False after copying gave a bad file. */
  readonly mayCopy: boolean
  /** False after subtitles broke it. */
  readonly keepSubtitles: boolean
}
