/** Speakers by ffmpeg's names of layouts, in the order of its channels (`ffmpeg -layouts`). */
const speakersOf = {
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

export type LayoutName = keyof typeof speakersOf

/** Of each number of channels the one that most formats know: those of Vorbis I, section 4.3.9. */
export const usualLayouts = ['mono', 'stereo', '3.0', 'quad', '5.0', '5.1', '6.1', '7.1'] as const

export const channelsIn = (name: LayoutName): number => speakersOf[name].length

/** The channels of a source. */
export interface Channels {
  readonly count: number
  /** As ffprobe names them; empty or a word of its own where the file does not say which speaker each is for. */
  readonly layout: string
}

/** What a codec takes. */
export interface Room {
  /** Channels. */
  readonly most: number
  /** Any layout when left out. */
  readonly layouts?: readonly LayoutName[] | undefined
}

export interface Arrangement {
  /** For ffmpeg's filters. */
  readonly layout: string
  readonly channels: number
  /** The source does not name its channels: they are taken in their order, which mixes none of them. */
  readonly named?: string
}

/**
 * The layout that keeps what each speaker plays: the source's own, else the smallest that has all its speakers, else
 * the fullest that there is room for.
 * @param wanted how many channels are asked for; as many as there are when left out.
 */
export function arranged(source: Channels, { most, layouts }: Room, wanted = source.count): Arrangement {
  const count = Math.min(wanted, most)
  const own = isLayout(source.layout) ? source.layout : undefined
  const guess = usualLayouts[source.count - 1]
  if (count !== source.count) return fullest(count, layouts)
  // More channels than there are names for.
  if (!own && !guess) return layouts ? fullest(count, layouts) : { layout: `${count}c`, channels: count }
  const name = own ?? guess ?? 'stereo'
  const kept = !layouts || layouts.includes(name) ? name : roomiest(name, { most, layouts })
  const arrangement = kept ? { layout: kept, channels: channelsIn(kept) } : fullest(count, layouts)
  return own || isPlain(source) ? arrangement : { ...arrangement, named: name }
}

const isLayout = (name: string): name is LayoutName => Object.hasOwn(speakersOf, name)

/** One or two channels mean the same everywhere. */
const isPlain = ({ count }: Channels) => count <= 2

/** The smallest that has a place for every speaker of this one. */
function roomiest(name: LayoutName, { most, layouts = [] }: Room): LayoutName | undefined {
  const [best] = layouts
    .filter((other) => channelsIn(other) <= most && holds(other, name))
    .sort((a, b) => channelsIn(a) - channelsIn(b))
  return best
}

/** Beside and behind are one place where a layout has only one of them. */
const twins: Readonly<Record<string, string>> = { SL: 'BL', SR: 'BR', BL: 'SL', BR: 'SR' }

function holds(layout: LayoutName, wanted: LayoutName): boolean {
  const places: readonly string[] = speakersOf[layout]
  const speakers: readonly string[] = speakersOf[wanted]
  return speakers.every((speaker) => {
    const twin = twins[speaker] ?? ''
    return places.includes(speaker) || (places.includes(twin) && !speakers.includes(twin))
  })
}

/** With the most channels that are not more than these, or with the fewest that it takes. */
function fullest(count: number, layouts: readonly LayoutName[] = usualLayouts): Arrangement {
  const usual = usualLayouts[count - 1]
  const fitting = layouts.filter((name) => channelsIn(name) <= count)
  const [largest] = fitting.toSorted((a, b) => channelsIn(b) - channelsIn(a))
  const layout = usual && layouts.includes(usual) ? usual : (largest ?? layouts[0] ?? 'stereo')
  return { layout, channels: channelsIn(layout) }
}
