/** A subtitle that is shown at one time. */
export interface Cue {
  /** Milliseconds from the start of the video. */
  readonly startMs: number
  readonly endMs: number
  readonly lines: readonly string[]
}

/** How long a cue without an end is shown. */
const defaultCueMs = 4000

const timePattern = String.raw`(\d+):(\d\d):(\d\d),(\d\d\d)`
const timingPattern = new RegExp(String.raw`(?:^|\n)\d+\n${timePattern} --> ${timePattern}[^\n]*(?:\n|$)`)

/** Parses SubRip as written by ffmpeg; cues without text are left out. */
export function parseSubRip(subRip: string): Cue[] {
  // `split` returns each cue as the eight numbers of its times followed by its text.
  const [, ...fields] = subRip.replaceAll('\r', '').split(timingPattern)
  const cues: Cue[] = []
  for (let at = 0; at < fields.length; at += 9) {
    const lines = (fields[at + 8] ?? '')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
    if (lines.length === 0) continue
    const times = fields.slice(at, at + 8).map(Number)
    cues.push({ startMs: toMilliseconds(times.slice(0, 4)), endMs: toMilliseconds(times.slice(4)), lines })
  }
  return cues
}

function toMilliseconds([hours = 0, minutes = 0, seconds = 0, ms = 0]: readonly number[]): number {
  return ((hours * 60 + minutes) * 60 + seconds) * 1000 + ms
}

/** Lyrics have only start times: lines with the same time become one cue, which ends when the next begins. */
export function extendToNextCue(cues: readonly Cue[]): Cue[] {
  const groups = [...Map.groupBy(cues, ({ startMs }) => startMs)].sort(([a], [b]) => a - b)
  return groups.map(([startMs, group], index) => ({
    startMs,
    endMs: groups[index + 1]?.[0] ?? startMs + defaultCueMs,
    lines: group.flatMap(({ lines }) => lines),
  }))
}

const maxCueMs = 3_600_000

/** Whether a cue has no end time; ffmpeg then writes a duration of zero or of thousands of hours. */
export const isOpenEnded = ({ startMs, endMs }: Cue) => endMs <= startMs || endMs - startMs > maxCueMs

/** Ends each open-ended cue when the next one begins, or after a default duration. */
export function closeOpenCues(cues: readonly Cue[]): Cue[] {
  return cues.map((cue, index) => {
    const nextStartMs = cues[index + 1]?.startMs ?? Number.POSITIVE_INFINITY
    const defaultEndMs = cue.startMs + defaultCueMs
    return isOpenEnded(cue)
      ? { ...cue, endMs: nextStartMs > cue.startMs ? Math.min(nextStartMs, defaultEndMs) : defaultEndMs }
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
  const padToTwoDigits = (value: number) => String(Math.floor(value)).padStart(2, '0')
  return `${padToTwoDigits(ms / 3_600_000)}:${padToTwoDigits((ms / 60_000) % 60)}:${padToTwoDigits((ms / 1000) % 60)},${String(ms % 1000).padStart(3, '0')}`
}

/** Returns the text of all cues without their times. */
export function joinCueTexts(cues: readonly Cue[]): string {
  return `${cues.flatMap(({ lines }) => lines).join('\n')}\n`
}
