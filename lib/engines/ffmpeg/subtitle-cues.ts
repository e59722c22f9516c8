/** One appearance of words on the screen. */
export interface Cue {
  /** Milliseconds from the start of the film. */
  readonly startMs: number
  readonly endMs: number
  readonly lines: readonly string[]
}

/** How long the last words stay where nothing says so. */
const defaultCueMs = 4000

const time = String.raw`(\d+):(\d\d):(\d\d),(\d\d\d)`
const timing = new RegExp(String.raw`(?:^|\n)\d+\n${time} --> ${time}[^\n]*(?:\n|$)`)

/** Reads SubRip as ffmpeg writes it; cues without words are left out. */
export function parseSubRip(subRip: string): Cue[] {
  // Each cue comes out of `split` as the eight numbers of its times and then its words.
  const [, ...fields] = subRip.replaceAll('\r', '').split(timing)
  const cues: Cue[] = []
  for (let at = 0; at < fields.length; at += 9) {
    const lines = (fields[at + 8] ?? '')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
    if (lines.length === 0) continue
    const times = fields.slice(at, at + 8).map(Number)
    cues.push({ startMs: milliseconds(times.slice(0, 4)), endMs: milliseconds(times.slice(4)), lines })
  }
  return cues
}

function milliseconds([hours = 0, minutes = 0, seconds = 0, rest = 0]: readonly number[]): number {
  return ((hours * 60 + minutes) * 60 + seconds) * 1000 + rest
}

/** Lyrics say only when a line starts: lines of one moment are one cue, which stays until the next. */
export function extendToNextCue(cues: readonly Cue[]): Cue[] {
  const groups = [...Map.groupBy(cues, ({ startMs }) => startMs)].sort(([a], [b]) => a - b)
  return groups.map(([startMs, group], index) => ({
    startMs,
    endMs: groups[index + 1]?.[0] ?? startMs + defaultCueMs,
    lines: group.flatMap(({ lines }) => lines),
  }))
}

const maxCueMs = 3_600_000

/** Whether nothing said when it ends: then ffmpeg writes no time at all, or thousands of hours. */
export const isOpenEnded = ({ startMs, endMs }: Cue) => endMs <= startMs || endMs - startMs > maxCueMs

/** Ends each open cue with the start of the next, or soon. */
export function closeOpenCues(cues: readonly Cue[]): Cue[] {
  return cues.map((cue, index) => {
    const next = cues[index + 1]?.startMs ?? Number.POSITIVE_INFINITY
    const defaultEndMs = cue.startMs + defaultCueMs
    return isOpenEnded(cue)
      ? { ...cue, endMs: next > cue.startMs ? Math.min(next, defaultEndMs) : defaultEndMs }
      : cue
  })
}

export function formatSubRip(cues: readonly Cue[]): string {
  return cues
    .map(
      ({ startMs, endMs, lines }, index) =>
        `${index + 1}\n${formatTimestamp(startMs)} --> ${formatTimestamp(endMs)}\n${lines.join('\n')}\n`,
    )
    .join('\n')
}

function formatTimestamp(ms: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)},${String(ms % 1000).padStart(3, '0')}`
}

/** The words alone, each cue on its lines. */
export function plainText(cues: readonly Cue[]): string {
  return `${cues.flatMap(({ lines }) => lines).join('\n')}\n`
}
