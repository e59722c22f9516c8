import { bar } from './terminal.ts'

/** A piece of work that somebody watches. */
export interface Watched {
  readonly shown: string
  /** Milliseconds since 1970. */
  readonly since: number
  stage: string
  /** From 0 to 1. It never falls, so that nobody has to wonder. */
  share: number
  isSent: boolean
}

export const watched = (shown: string, since: number): Watched => ({
  ...{ shown, since, stage: 'waiting', share: 0, isSent: false },
})

/** What of the bar is the way to the service, where that is told of. */
const sending = 0.4

/** @param share of this stage */
export function told(one: Watched, stage: string, share: number): void {
  const isUpload = stage === 'upload'
  if (isUpload) one.isSent = true
  const before = one.isSent && !isUpload ? sending : 0
  const width = isUpload ? sending : 1 - before
  Object.assign(one, { stage, share: Math.max(one.share, before + share * width) })
}

const mostBars = 6
/** Milliseconds after which a file has a bar of its own: what is done in a moment would only flicker. */
const soonMs = 700

/** What stands at the bottom of a terminal. */
export function picture(
  active: Iterable<Watched>,
  { over, all, now }: { readonly over: number; readonly all: number; readonly now: number },
): string[] {
  const these = [...active]
  const lines = these
    .filter(({ since }) => all === 1 || now - since >= soonMs)
    .slice(0, mostBars)
    .map(
      ({ shown, stage, share }) =>
        `${bar(share)} ${String(Math.round(share * 100)).padStart(3)} %  ${shown}  ${stage}`,
    )
  if (all === 1) return lines
  const done = over + these.reduce((sum, { share }) => sum + share, 0)
  return [...lines, `${bar(done / all)} ${String(over).padStart(3)} of ${all}`]
}
