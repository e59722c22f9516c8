import type { EngineId } from '../component-ids.ts'
import type { Warning } from '../model/job.ts'

type Options = Readonly<Record<string, unknown>>

/** The options that a route supports. */
interface SupportedOptions {
  readonly names: readonly string[]
  readonly defaults: Options
  /** Engine of the last step. */
  readonly engine: EngineId
}

interface IgnoredOption {
  readonly option: string
  /** The option that is used instead, or that makes this one unnecessary. */
  readonly overriddenBy?: string
  /** Options of which one must be set, if it is not overridden. */
  readonly needs?: readonly string[]
  /** Value of `overriddenBy`, sent or by default; if omitted, any value that the client sent. */
  readonly is?: string
  /** Compares the values of two names of the same setting; if they agree, no warning is needed. */
  readonly valuesAgree?: (value: unknown, otherValue: unknown) => boolean
  /**
   * An option that the conversion must support too, because the names mean something else in conversions without it.
   */
  readonly onlyAmong?: string
  /** An option that the conversion must not support. */
  readonly lacks?: string
  /** If one of these options is set, both options have an effect. */
  readonly unless?: readonly string[]
  readonly engines?: readonly EngineId[]
}

const isSame = (value: unknown, other: unknown) => value === other
const agreesWithLayout = (value: unknown, layout: unknown) => value === (layout === 'exact')

/** Combinations in which an option is ignored. If several rows apply to an option, the first one is reported. */
const ignoredOptions: readonly IgnoredOption[] = [
  // A video with a bit rate has no quality level. The engine itself reports `twoPass`, which not all codecs support.
  { option: 'bitrate', overriddenBy: 'videoBitrate', valuesAgree: isSame },
  { option: 'crf', overriddenBy: 'videoBitrate' },
  { option: 'crf', overriddenBy: 'bitrate' },
  { option: 'quality', overriddenBy: 'videoBitrate' },
  { option: 'quality', overriddenBy: 'bitrate' },
  { option: 'quality', overriddenBy: 'crf' },
  // In a video, `quality` applies to the video track.
  { option: 'quality', overriddenBy: 'audioBitrate', lacks: 'preset' },
  // For images, `quality` limits the quality of a result that has to fit a size.
  { option: 'quality', overriddenBy: 'targetSize', engines: ['ffmpeg', 'pdf'] },
  { option: 'profile', overriddenBy: 'targetSize' },
  { option: 'quality', overriddenBy: 'profile' },
  { option: 'quality', overriddenBy: 'jpegQuality' },
  { option: 'quality', overriddenBy: 'lossless' },
  { option: 'downscale', overriddenBy: 'width', onlyAmong: 'fit' },
  { option: 'downscale', overriddenBy: 'height', onlyAmong: 'fit' },
  { option: 'fit', overriddenBy: 'downscale', unless: ['width', 'height'] },
  { option: 'fit', needs: ['width', 'height'], onlyAmong: 'downscale' },
  { option: 'scale', overriddenBy: 'width', onlyAmong: 'fit' },
  { option: 'scale', overriddenBy: 'height', onlyAmong: 'fit' },
  { option: 'threshold', overriddenBy: 'colorMode', is: 'color' },
  { option: 'colorPrecision', overriddenBy: 'colorMode', is: 'bw' },
  { option: 'watermarkScale', overriddenBy: 'watermarkText' },
  { option: 'watermarkColor', needs: ['watermarkText'] },
  { option: 'watermarkFontSize', needs: ['watermarkText'] },
  { option: 'ebookBaseFontSize', overriddenBy: 'ebookDisableFontRescaling' },
  { option: 'pageRange', overriddenBy: 'pages', valuesAgree: isSame },
  { option: 'ocrLanguage', overriddenBy: 'language', valuesAgree: isSame },
  { option: 'preserveLayout', overriddenBy: 'layout', valuesAgree: agreesWithLayout },
]

/**
 * Warns about options that have no effect together with another option. An option with its default value does not count
 * as requested.
 * @param options only those that the client sent.
 */
export function warnAboutIgnoredOptions(options: Options, supported: SupportedOptions): Warning[] {
  const rows = ignoredOptions.filter((row) => isIgnored(row, options, supported))
  return [...Map.groupBy(rows, ({ option }) => option).values()].flatMap(([row]) => {
    if (!row) return []
    const { option, overriddenBy: beside, needs = [], is } = row
    const other = is === undefined ? beside : `${beside}=${is}`
    const condition = beside === undefined ? `without ${needs.join(' or ')}` : `with ${other}`
    const message = `${option} was ignored: it has no effect ${condition}.`
    return [{ code: 'OPTION_IGNORED', field: option, message }]
  })
}

function isIgnored(
  {
    option,
    overriddenBy: beside,
    needs = [],
    is,
    valuesAgree: agree,
    onlyAmong: among,
    lacks,
    unless = [],
    engines,
  }: IgnoredOption,
  options: Options,
  { names, defaults, engine }: SupportedOptions,
): boolean {
  const isRequested = (name: string) => options[name] !== undefined && options[name] !== defaults[name]
  if (beside === undefined)
    return (
      isRequested(option) &&
      (among === undefined || names.includes(among)) &&
      !needs.some((name) => options[name] !== undefined)
    )
  const other = options[beside] ?? defaults[beside]
  const appliesTo =
    (among === undefined || names.includes(among)) &&
    (lacks === undefined || !names.includes(lacks)) &&
    (engines === undefined || engines.includes(engine))
  const isOverridden = is === undefined ? isRequested(beside) && other !== false : other === is
  return (
    appliesTo &&
    isRequested(option) &&
    isOverridden &&
    !agree?.(options[option], other) &&
    !unless.some((name) => options[name] !== undefined)
  )
}
