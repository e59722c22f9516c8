/** One appearance of words on the screen. */
export interface Cue {
  /** Milliseconds from the start of the film. */
  readonly startMs: number
  readonly endMs: number
  readonly lines: readonly string[]
}

/** How long the last words stay where nothing says so. */
const lastStaysMs = 4000

const time = String.raw`(\d+):(\d\d):(\d\d),(\d\d\d)`
const timing = new RegExp(String.raw`(?:^|\n)\d+\n${time} --> ${time}[^\n]*(?:\n|$)`)

/** Reads SubRip as ffmpeg writes it; cues without words are left out. */
export function cuesOf(subRip: string): Cue[] {
  // Each cue comes out of `split` as the eight numbers of its times and then its words.
  const [, ...parts] = subRip.replaceAll('\r', '').split(timing)
  const cues: Cue[] = []
  for (let at = 0; at < parts.length; at += 9) {
    const lines = (parts[at + 8] ?? '')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
    if (lines.length === 0) continue
    const numbers = parts.slice(at, at + 8).map(Number)
    cues.push({ startMs: milliseconds(numbers.slice(0, 4)), endMs: milliseconds(numbers.slice(4)), lines })
  }
  return cues
}

function milliseconds([hours = 0, minutes = 0, seconds = 0, rest = 0]: readonly number[]): number {
  return ((hours * 60 + minutes) * 60 + seconds) * 1000 + rest
}

/** Lyrics say only when a line starts: lines of one moment are one cue, which stays until the next. */
export function untilNext(cues: readonly Cue[]): Cue[] {
  const moments = [...Map.groupBy(cues, ({ startMs }) => startMs)].sort(([a], [b]) => a - b)
  return moments.map(([startMs, together], index) => ({
    startMs,
    endMs: moments[index + 1]?.[0] ?? startMs + lastStaysMs,
    lines: together.flatMap(({ lines }) => lines),
  }))
}

const longestMs = 3_600_000

/** Whether nothing said when it ends: then ffmpeg writes no time at all, or thousands of hours. */
export const isOpen = ({ startMs, endMs }: Cue) => endMs <= startMs || endMs - startMs > longestMs

/** Ends each open cue with the start of the next, or soon. */
export function closed(cues: readonly Cue[]): Cue[] {
  return cues.map((cue, index) => {
    const next = cues[index + 1]?.startMs ?? Number.POSITIVE_INFINITY
    const soon = cue.startMs + lastStaysMs
    return isOpen(cue) ? { ...cue, endMs: next > cue.startMs ? Math.min(next, soon) : soon } : cue
  })
}

export function subRipOf(cues: readonly Cue[]): string {
  return cues
    .map(
      ({ startMs, endMs, lines }, index) =>
        `${index + 1}\n${clock(startMs)} --> ${clock(endMs)}\n${lines.join('\n')}\n`,
    )
    .join('\n')
}

function clock(ms: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)},${String(ms % 1000).padStart(3, '0')}`
}

/** The words alone, each cue on its lines. */
export function wordsOf(cues: readonly Cue[]): string {
  return `${cues.flatMap(({ lines }) => lines).join('\n')}\n`
}
