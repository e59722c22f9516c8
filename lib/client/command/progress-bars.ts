import { bar } from './terminal.ts'

/** A piece of work that somebody watches. */
export interface ProgressItem {
  readonly shown: string
  /** Milliseconds since 1970. */
  readonly since: number
  stage: string
  /** From 0 to 1. It never falls, so that nobody has to wonder. */
  share: number
  isSent: boolean
}

export const createProgressItem = (shown: string, since: number): ProgressItem => ({
  ...{ shown, since, stage: 'waiting', share: 0, isSent: false },
})

/** What of the bar is the way to the service, where that is told of. */
const uploadShare = 0.4

/** @param share of this stage */
export function updateProgress(item: ProgressItem, stage: string, share: number): void {
  const isUpload = stage === 'upload'
  if (isUpload) item.isSent = true
  const before = item.isSent && !isUpload ? uploadShare : 0
  const width = isUpload ? uploadShare : 1 - before
  Object.assign(item, { stage, share: Math.max(item.share, before + share * width) })
}

const maxBars = 6
/** Milliseconds after which a file has a bar of its own: what is done in a moment would only flicker. */
const minShownMs = 700

/** What stands at the bottom of a terminal. */
export function renderBars(
  active: Iterable<ProgressItem>,
  { finished, total, now }: { readonly finished: number; readonly total: number; readonly now: number },
): string[] {
  const items = [...active]
  const lines = items
    .filter(({ since }) => total === 1 || now - since >= minShownMs)
    .slice(0, maxBars)
    .map(
      ({ shown, stage, share }) =>
        `${bar(share)} ${String(Math.round(share * 100)).padStart(3)} %  ${shown}  ${stage}`,
    )
  if (total === 1) return lines
  const done = finished + items.reduce((sum, { share }) => sum + share, 0)
  return [...lines, `${bar(done / total)} ${String(finished).padStart(3)} of ${total}`]
}
