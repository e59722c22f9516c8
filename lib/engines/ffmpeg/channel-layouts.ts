/** Speakers of ffmpeg's channel layouts, in channel order (`ffmpeg -layouts`). */
const speakersByLayout = {
  mono: ['FC'],
  stereo: ['FL', 'FR'],
  '2.1': ['FL', 'FR', 'LFE'],
  '3.0': ['FL', 'FR', 'FC'],
  '3.0(back)': ['FL', 'FR', 'BC'],
  '3.1': ['FL', 'FR', 'FC', 'LFE'],
  '4.0': ['FL', 'FR', 'FC', 'BC'],
  quad: ['FL', 'FR', 'BL', 'BR'],
  'quad(side)': ['FL', 'FR', 'SL', 'SR'],
  '4.1': ['FL', 'FR', 'FC', 'LFE', 'BC'],
  '5.0': ['FL', 'FR', 'FC', 'BL', 'BR'],
  '5.0(side)': ['FL', 'FR', 'FC', 'SL', 'SR'],
  '5.1': ['FL', 'FR', 'FC', 'LFE', 'BL', 'BR'],
  '5.1(side)': ['FL', 'FR', 'FC', 'LFE', 'SL', 'SR'],
  '6.0': ['FL', 'FR', 'FC', 'BC', 'SL', 'SR'],
  hexagonal: ['FL', 'FR', 'FC', 'BL', 'BR', 'BC'],
  '6.1': ['FL', 'FR', 'FC', 'LFE', 'BC', 'SL', 'SR'],
  '6.1(back)': ['FL', 'FR', 'FC', 'LFE', 'BL', 'BR', 'BC'],
  '7.0': ['FL', 'FR', 'FC', 'BL', 'BR', 'SL', 'SR'],
  '7.1': ['FL', 'FR', 'FC', 'LFE', 'BL', 'BR', 'SL', 'SR'],
  '7.1(wide)': ['FL', 'FR', 'FC', 'LFE', 'BL', 'BR', 'FLC', 'FRC'],
  octagonal: ['FL', 'FR', 'FC', 'BL', 'BR', 'BC', 'SL', 'SR'],
} as const satisfies Record<string, readonly string[]>

export type LayoutName = keyof typeof speakersByLayout

/** The most widely supported layout for 1 to 8 channels, as in Vorbis I, section 4.3.9. */
export const defaultLayouts = ['mono', 'stereo', '3.0', 'quad', '5.0', '5.1', '6.1', '7.1'] as const

export const countChannels = (name: LayoutName): number => speakersByLayout[name].length

/** The channels of a source. */
interface Channels {
  readonly count: number
  /** Layout name from ffprobe. If the file does not assign channels to speakers, this is empty or not a layout name. */
  readonly layout: string
}

/** Channels and layouts that a codec supports. */
export interface ChannelLimits {
  readonly maxChannels: number
  /** Supported layouts; all if omitted. */
  readonly layouts?: readonly LayoutName[] | undefined
}

export interface ChannelArrangement {
  /** Layout name for ffmpeg's filters. */
  readonly layout: string
  readonly channels: number
  /**
   * Layout that is assumed for the channels, in order; set only if the source does not assign its channels to speakers.
   */
  readonly assumedLayout?: string
}

/**
 * Chooses the output layout: the source's own if supported, else the smallest supported layout with all of its
 * speakers, else the largest supported layout.
 * @param wantedChannels requested number of channels; defaults to that of the source
 */
export function chooseLayout(
  source: Channels,
  { maxChannels, layouts }: ChannelLimits,
  wantedChannels = source.count,
): ChannelArrangement {
  const count = Math.min(wantedChannels, maxChannels)
  const sourceLayout = isLayout(source.layout) ? source.layout : undefined
  const defaultLayout = defaultLayouts[source.count - 1]
  if (count !== source.count) return findLargestLayout(count, layouts)
  // No layout has a name for this many channels.
  if (!sourceLayout && !defaultLayout)
    return layouts ? findLargestLayout(count, layouts) : { layout: `${count}c`, channels: count }
  const layout = sourceLayout ?? defaultLayout ?? 'stereo'
  const keptLayout =
    !layouts || layouts.includes(layout) ? layout : findSmallestLayout(layout, { maxChannels, layouts })
  const arrangement = keptLayout
    ? { layout: keptLayout, channels: countChannels(keptLayout) }
    : findLargestLayout(count, layouts)
  return sourceLayout || isMonoOrStereo(source) ? arrangement : { ...arrangement, assumedLayout: layout }
}

const isLayout = (name: string): name is LayoutName => Object.hasOwn(speakersByLayout, name)

/** Whether there are one or two channels, whose meaning is the same in all formats. */
const isMonoOrStereo = ({ count }: Channels) => count <= 2

/** Returns the smallest supported layout that contains every speaker of this layout. */
function findSmallestLayout(
  name: LayoutName,
  { maxChannels, layouts = [] }: ChannelLimits,
): LayoutName | undefined {
  const [bestLayout] = layouts
    .filter((other) => countChannels(other) <= maxChannels && hasAllSpeakers(other, name))
    .sort((a, b) => countChannels(a) - countChannels(b))
  return bestLayout
}

/** Side and back speakers are interchangeable if a layout has only one of these pairs. */
const equivalentSpeakers: Readonly<Record<string, string>> = { SL: 'BL', SR: 'BR', BL: 'SL', BR: 'SR' }

function hasAllSpeakers(layout: LayoutName, wantedLayout: LayoutName): boolean {
  const availableSpeakers: readonly string[] = speakersByLayout[layout]
  const speakers: readonly string[] = speakersByLayout[wantedLayout]
  return speakers.every((speaker) => {
    const equivalent = equivalentSpeakers[speaker] ?? ''
    return (
      availableSpeakers.includes(speaker) ||
      (availableSpeakers.includes(equivalent) && !speakers.includes(equivalent))
    )
  })
}

/** Returns the supported layout with the most channels up to `count`, or else the first supported one. */
function findLargestLayout(
  count: number,
  layouts: readonly LayoutName[] = defaultLayouts,
): ChannelArrangement {
  const defaultLayout = defaultLayouts[count - 1]
  const fittingLayouts = layouts.filter((name) => countChannels(name) <= count)
  const [widestLayout] = fittingLayouts.toSorted((a, b) => countChannels(b) - countChannels(a))
  const layout =
    defaultLayout && layouts.includes(defaultLayout)
      ? defaultLayout
      : (widestLayout ?? layouts[0] ?? 'stereo')
  return { layout, channels: countChannels(layout) }
}
