/** Speakers by ffmpeg's names of layouts, in the order of its channels (`ffmpeg -layouts`). */
const layoutSpeakers = {
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

export type LayoutName = keyof typeof layoutSpeakers

/** Of each number of channels the one that most formats know: those of Vorbis I, section 4.3.9. */
export const defaultLayouts = ['mono', 'stereo', '3.0', 'quad', '5.0', '5.1', '6.1', '7.1'] as const

export const channelsIn = (name: LayoutName): number => layoutSpeakers[name].length

/** The channels of a source. */
export interface Channels {
  readonly count: number
  /** As ffprobe names them; empty or a word of its own where the file does not say which speaker each is for. */
  readonly layout: string
}

/** What a codec takes. */
export interface ChannelLimits {
  /** Channels. */
  readonly maxChannels: number
  /** Any layout when left out. */
  readonly layouts?: readonly LayoutName[] | undefined
}

export interface ChannelArrangement {
  /** For ffmpeg's filters. */
  readonly layout: string
  readonly channels: number
  /** The source does not name its channels: they are taken in their order, which mixes none of them. */
  readonly assumedLayout?: string
}

/**
 * The layout that keeps what each speaker plays: the source's own, else the smallest that has all its speakers, else
 * the fullest that there is room for.
 * @param wanted how many channels are asked for; as many as there are when left out.
 */
export function chooseLayout(
  source: Channels,
  { maxChannels, layouts }: ChannelLimits,
  wanted = source.count,
): ChannelArrangement {
  const count = Math.min(wanted, maxChannels)
  const sourceLayout = isLayout(source.layout) ? source.layout : undefined
  const defaultLayout = defaultLayouts[source.count - 1]
  if (count !== source.count) return largestLayout(count, layouts)
  // More channels than there are names for.
  if (!sourceLayout && !defaultLayout)
    return layouts ? largestLayout(count, layouts) : { layout: `${count}c`, channels: count }
  const layout = sourceLayout ?? defaultLayout ?? 'stereo'
  const keptLayout =
    !layouts || layouts.includes(layout) ? layout : smallestLayoutWith(layout, { maxChannels, layouts })
  const arrangement = keptLayout
    ? { layout: keptLayout, channels: channelsIn(keptLayout) }
    : largestLayout(count, layouts)
  return sourceLayout || isMonoOrStereo(source) ? arrangement : { ...arrangement, assumedLayout: layout }
}

const isLayout = (name: string): name is LayoutName => Object.hasOwn(layoutSpeakers, name)

/** One or two channels mean the same everywhere. */
const isMonoOrStereo = ({ count }: Channels) => count <= 2

/** The smallest that has a place for every speaker of this one. */
function smallestLayoutWith(
  name: LayoutName,
  { maxChannels, layouts = [] }: ChannelLimits,
): LayoutName | undefined {
  const [best] = layouts
    .filter((other) => channelsIn(other) <= maxChannels && hasAllSpeakers(other, name))
    .sort((a, b) => channelsIn(a) - channelsIn(b))
  return best
}

/** Beside and behind are one place where a layout has only one of them. */
const equivalentSpeakers: Readonly<Record<string, string>> = { SL: 'BL', SR: 'BR', BL: 'SL', BR: 'SR' }

function hasAllSpeakers(layout: LayoutName, wanted: LayoutName): boolean {
  const available: readonly string[] = layoutSpeakers[layout]
  const speakers: readonly string[] = layoutSpeakers[wanted]
  return speakers.every((speaker) => {
    const equivalent = equivalentSpeakers[speaker] ?? ''
    return available.includes(speaker) || (available.includes(equivalent) && !speakers.includes(equivalent))
  })
}

/** With the most channels that are not more than these, or with the fewest that it takes. */
function largestLayout(count: number, layouts: readonly LayoutName[] = defaultLayouts): ChannelArrangement {
  const defaultLayout = defaultLayouts[count - 1]
  const fitting = layouts.filter((name) => channelsIn(name) <= count)
  const [largest] = fitting.toSorted((a, b) => channelsIn(b) - channelsIn(a))
  const layout =
    defaultLayout && layouts.includes(defaultLayout) ? defaultLayout : (largest ?? layouts[0] ?? 'stereo')
  return { layout, channels: channelsIn(layout) }
}
