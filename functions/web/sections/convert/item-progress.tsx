import { useEffect, useRef, useState } from 'preact/hooks'
import { announce } from '../../shell/announce.ts'
import type { Progress } from './watch-job.ts'
import type { Item } from './item.ts'
import { counts } from './item-list.ts'
import { cancel } from './convert-item.ts'
import words from './words/en.ts'
import { remainingWords, sizeWords, stageWords } from './format-text.ts'

interface Said {
  readonly stage: string
  readonly amount?: string
  readonly rest?: string | undefined
  /** Percent of the upload; undefined while it is not known. */
  readonly sent?: number
  readonly worked: number
}

export function saidOf(progress: Progress): Said {
  switch (progress.stage) {
    case 'waiting':
      return { stage: words.waitingUpload, sent: 0, worked: 0 }
    case 'uploading': {
      const { sentBytes, totalBytes, etaMs, isCut } = progress
      return {
        stage: isCut ? words.interrupted : words.uploading,
        amount: words.ofBytes(sizeWords(sentBytes), sizeWords(totalBytes)),
        rest: etaMs === undefined || isCut ? undefined : remainingWords(etaMs),
        sent: (100 * sentBytes) / Math.max(totalBytes, 1),
        worked: 0,
      }
    }
    case 'starting':
      return { stage: words.checking, sent: 100, worked: 0 }
    case 'running': {
      const { job, isOffline } = progress
      const { etaMs, percent } = job.progress
      return {
        stage: isOffline ? words.noAnswer : stageWords(job),
        amount: `${percent}%`,
        rest: etaMs === null || isOffline ? undefined : remainingWords(etaMs),
        sent: 100,
        worked: percent,
      }
    }
  }
}

/** Upload and conversion each have a bar of their own: bytes that left, and the percent that the service tells. */
export function Busy({ item }: { readonly item: Item }) {
  const [isCancelling, setCancelling] = useState(false)
  const highest = useRef(0)
  const progress = item.progress.value
  const said = saidOf(progress)
  highest.current = Math.max(highest.current, said.worked)
  const worked = highest.current
  const quarter = Math.floor((progress.stage === 'running' ? worked : (said.sent ?? 0)) / 25) * 25
  const isQuiet = progress.stage === 'waiting' || progress.stage === 'starting'
  useEffect(() => {
    // Of several only a digest is told.
    if (isQuiet || counts.value.active > 1) return
    announce(`${item.name}: ${said.stage}${quarter > 0 ? `, ${quarter}%` : ''}`, `${item.key} ${said.stage}`)
  }, [said.stage, quarter])
  const hasUpload = item.file.value !== undefined
  return (
    <div class="busy">
      <p class="progress-words">
        <span class="stage">{said.stage}</span>
        <span class="amount">
          <bdi>{progress.stage === 'running' ? `${worked}%` : said.amount}</bdi>
        </span>
        <span class="rest">{said.rest}</span>
      </p>
      <div class="bars">
        {hasUpload && <progress max={100} value={said.sent} aria-label={words.uploadOf(item.name)} />}
        <progress max={100} value={worked} aria-label={words.conversionOf(item.name)} />
      </div>
      <div class="actions">
        <button
          type="button"
          class="button"
          data-primary
          disabled={isCancelling}
          onClick={() => {
            setCancelling(true)
            void cancel(item).finally(() => setCancelling(false))
          }}
        >
          {isCancelling ? words.cancelling : words.cancel}
        </button>
      </div>
    </div>
  )
}
