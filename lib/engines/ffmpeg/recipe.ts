// Input and result of `buildRecipe`.
import type { FormatId } from '../../formats/index.ts'
import type { WarningDetails } from '../../model/warning-details.ts'
import type { Container } from './containers.ts'
import type { MediaOptions } from './options.ts'
import type { MediaInfo } from './probe.ts'
import type { TrackLanguages } from './track-languages.ts'
import type { Overlay } from './video-filters.ts'

export interface MediaWarning {
  readonly code: string
  readonly message: string
  readonly details?: WarningDetails
}

/** Arguments for ffmpeg before and after its input, and warnings about losses. */
export interface Recipe {
  readonly input: readonly string[]
  readonly output: readonly string[]
  readonly method: 'stream-copy' | 'encode'
  /** Whether all streams of the result are encoded, so that ffmpeg's own statistics describe them. */
  readonly allEncoded: boolean
  /** Whether ffmpeg must run twice: the first pass only measures where bits are needed. */
  readonly twoPass: boolean
  /** Whether the container stores no timestamps, so that dropped frames would shorten the video. */
  readonly constantFrameRate: boolean
  readonly warnings: readonly MediaWarning[]
  /** Streams without which the result is incomplete. */
  readonly requiredStreams: { readonly video: boolean; readonly audio: number }
  /** Languages of the tracks in the result. */
  readonly languages: TrackLanguages
}

export interface RecipeRequest {
  readonly media: MediaInfo
  readonly from: FormatId
  readonly to: FormatId
  readonly container: Container
  readonly options: MediaOptions
  /** Image that is drawn over every frame; requires encoding. */
  readonly overlay?: Overlay
  /** Path of the metadata file with the cover, for containers that store it as a tag. */
  readonly coverMetadataPath?: string | undefined
  /** Whether streams may be copied; false after copied streams gave an incomplete result. */
  readonly mayCopy: boolean
  /** Whether to keep subtitles; false after a conversion with subtitles failed. */
  readonly keepSubtitles: boolean
}
