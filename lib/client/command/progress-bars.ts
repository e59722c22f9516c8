import { renderBar } from './terminal.ts'

/** A work item with a progress bar. */
export interface ProgressItem {
  readonly label: string
  /** When the work started, in milliseconds since 1970. */
  readonly startedAt: number
  stage: string
  /** Progress from 0 to 1; it never decreases. */
  fraction: number
  hasUpload: boolean
}

export const createProgressItem = (label: string, startedAt: number): ProgressItem => ({
  label,
  startedAt,
  stage: 'waiting',
  fraction: 0,
  hasUpload: false,
})

/** The share of the bar that shows the upload, if its progress is reported. */
const uploadFraction = 0.4

/** Updates the progress of a work item. @param fraction progress of this stage, from 0 to 1 */
export function updateProgress(item: ProgressItem, stage: string, fraction: number): void {
  const isUpload = stage === 'upload'
  if (isUpload) item.hasUpload = true
  const startFraction = item.hasUpload && !isUpload ? uploadFraction : 0
  const width = isUpload ? uploadFraction : 1 - startFraction
  Object.assign(item, { stage, fraction: Math.max(item.fraction, startFraction + fraction * width) })
}

const maxBars = 6
/** A file gets its own bar after this time; bars of quick conversions would only flicker. */
const minVisibleMs = 700

/** Returns the lines shown at the bottom of the terminal. */
export function renderBars(
  activeItems: Iterable<ProgressItem>,
  { finished, total, now }: { readonly finished: number; readonly total: number; readonly now: number },
): string[] {
  const items = [...activeItems]
  const lines = items
    .filter(({ startedAt }) => total === 1 || now - startedAt >= minVisibleMs)
    .slice(0, maxBars)
    .map(
      ({ label, stage, fraction }) =>
        `${renderBar(fraction)} ${String(Math.round(fraction * 100)).padStart(3)} %  ${label}  ${stage}`,
    )
  if (total === 1) return lines
  const completedCount = finished + items.reduce((sum, { fraction }) => sum + fraction, 0)
  return [...lines, `${renderBar(completedCount / total)} ${String(finished).padStart(3)} of ${total}`]
}
