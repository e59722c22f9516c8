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
  /** Only without `overriddenBy`: the option is ignored unless one of these options is set. */
  readonly needs?: readonly string[]
  /**
   * The option is ignored if `overriddenBy` has this value, sent or by default. If `is` is omitted, any sent value of
   * `overriddenBy` has this effect.
   */
  readonly is?: string
  /** Whether the values of both options mean the same, so that no warning is needed. */
  readonly valuesAgree?: (value: unknown, otherValue: unknown) => boolean
  /**
   * The rule only applies to conversions that support this option as well, because the names of the other options mean
   * something else in conversions without it.
   */
  readonly onlyAmong?: string
  /** The rule only applies to conversions that do not support this option. */
  readonly lacks?: string
  /** The rule does not apply if one of these options is set, because then both options have an effect. */
  readonly unless?: readonly string[]
  readonly engines?: readonly EngineId[]
}

const isSame = (value: unknown, other: unknown) => value === other
const agreesWithLayout = (value: unknown, layout: unknown) => value === (layout === 'exact')

/** Rules by which an option is ignored. If several rules apply to an option, the first one is reported. */
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
    const otherOption = is === undefined ? beside : `${beside}=${is}`
    const condition = beside === undefined ? `without ${needs.join(' or ')}` : `with ${otherOption}`
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
  const isSent = (name: string) => options[name] !== undefined
  const applies =
    (among === undefined || names.includes(among)) &&
    (lacks === undefined || !names.includes(lacks)) &&
    (engines === undefined || engines.includes(engine)) &&
    !unless.some(isSent)
  if (!applies || !isRequested(option)) return false
  if (beside === undefined) return !needs.some(isSent)
  const otherValue = options[beside] ?? defaults[beside]
  const isOverridden = is === undefined ? isRequested(beside) && otherValue !== false : otherValue === is
  return isOverridden && !agree?.(options[option], otherValue)
}
