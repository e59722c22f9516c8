import type { EngineId } from '../component-ids.ts'
import type { Warning } from '../model/job.ts'

type Options = Readonly<Record<string, unknown>>

/** What a route supports. */
interface SupportedOptions {
  readonly names: readonly string[]
  readonly defaults: Options
  /** Engine of the last step. */
  readonly engine: EngineId
}

interface IgnoredOption {
  readonly option: string
  /** The option that is used instead, or that leaves nothing to do for this one. */
  readonly beside: string
  /** Value of `beside`, which may be its default; any value that was sent if left out. */
  readonly is?: string
  /** For two names of one setting: whether they agree. */
  readonly agree?: (value: unknown, other: unknown) => boolean
  /** The conversion has this option as well: names may mean something else elsewhere. */
  readonly among?: string
  /** The conversion does not have this option. */
  readonly lacks?: string
  /** With one of these options, both have an effect. */
  readonly unless?: readonly string[]
  readonly engines?: readonly EngineId[]
}

const isSame = (value: unknown, other: unknown) => value === other
const meansExact = (value: unknown, layout: unknown) => value === (layout === 'exact')

/** The first row of an option that applies is reported. */
const ignoredOptions: readonly IgnoredOption[] = [
  // With a bit rate, a video has no quality level. The engine reports `twoPass`, which not all codecs support.
  { option: 'bitrate', beside: 'videoBitrate', agree: isSame },
  { option: 'crf', beside: 'videoBitrate' },
  { option: 'crf', beside: 'bitrate' },
  { option: 'quality', beside: 'videoBitrate' },
  { option: 'quality', beside: 'bitrate' },
  { option: 'quality', beside: 'crf' },
  // In a video, `quality` is that of the video track.
  { option: 'quality', beside: 'audioBitrate', lacks: 'preset' },
  // For images, `quality` limits the quality of a result that has to fit a size.
  { option: 'quality', beside: 'targetSize', engines: ['ffmpeg', 'pdf'] },
  { option: 'profile', beside: 'targetSize' },
  { option: 'quality', beside: 'profile' },
  { option: 'quality', beside: 'jpegQuality' },
  { option: 'downscale', beside: 'width', among: 'fit' },
  { option: 'downscale', beside: 'height', among: 'fit' },
  { option: 'fit', beside: 'downscale', unless: ['width', 'height'] },
  { option: 'threshold', beside: 'colorMode', is: 'color' },
  { option: 'colorPrecision', beside: 'colorMode', is: 'bw' },
  { option: 'watermarkScale', beside: 'watermarkText' },
  { option: 'ebookBaseFontSize', beside: 'ebookDisableFontRescaling' },
  { option: 'pageRange', beside: 'pages', agree: isSame },
  { option: 'ocrLanguage', beside: 'language', agree: isSame },
  { option: 'preserveLayout', beside: 'layout', agree: meansExact },
]

/**
 * Warns about options that have no effect beside another one. Options with their default value are no request.
 * @param options only those that the client sent.
 */
export function warnAboutIgnoredOptions(options: Options, supported: SupportedOptions): Warning[] {
  const rows = ignoredOptions.filter((row) => isIgnored(row, options, supported))
  return [...Map.groupBy(rows, ({ option }) => option).values()].flatMap(([row]) => {
    if (!row) return []
    const { option, beside, is } = row
    const other = is === undefined ? beside : `${beside}=${is}`
    const message = `${option} was ignored: it has no effect beside ${other}.`
    return [{ code: 'OPTION_IGNORED', field: option, message }]
  })
}

function isIgnored(
  { option, beside, is, agree, among, lacks, unless = [], engines }: IgnoredOption,
  options: Options,
  { names, defaults, engine }: SupportedOptions,
): boolean {
  const isRequested = (name: string) => options[name] !== undefined && options[name] !== defaults[name]
  const other = options[beside] ?? defaults[beside]
  const isFor =
    (among === undefined || names.includes(among)) &&
    (lacks === undefined || !names.includes(lacks)) &&
    (engines === undefined || engines.includes(engine))
  const isOverridden = is === undefined ? isRequested(beside) && other !== false : other === is
  return (
    isFor &&
    isRequested(option) &&
    isOverridden &&
    !agree?.(options[option], other) &&
    !unless.some((name) => options[name] !== undefined)
  )
}
