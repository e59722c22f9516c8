import { useEffect, useRef, useState } from 'preact/hooks'
import { announce } from '../../shell/announce.ts'
import { cancelItem } from './convert-item.ts'
import { describeStage, describeTimeLeft, formatFileSize } from './format-text.ts'
import type { ConversionItem } from './item.ts'
import { counts } from './item-list.ts'
import type { ConversionProgress } from './watch-job.ts'
import words from './words/en.ts'

interface ProgressText {
  readonly stage: string
  readonly amount?: string
  readonly timeLeft?: string | undefined
  /** Upload progress in percent; undefined if it is unknown. */
  readonly sentPercent?: number
  readonly convertedPercent: number
}

export function describeProgress(progress: ConversionProgress): ProgressText {
  switch (progress.stage) {
    case 'waiting':
      return { stage: words.waitingUpload, sentPercent: 0, convertedPercent: 0 }
    case 'uploading': {
      const { sentBytes, totalBytes, etaMs, isInterrupted } = progress
      return {
        stage: isInterrupted ? words.interrupted : words.uploading,
        amount: words.ofBytes(formatFileSize(sentBytes), formatFileSize(totalBytes)),
        timeLeft: etaMs === undefined || isInterrupted ? undefined : describeTimeLeft(etaMs),
        sentPercent: (100 * sentBytes) / Math.max(totalBytes, 1),
        convertedPercent: 0,
      }
    }
    case 'starting':
      return { stage: words.checking, sentPercent: 100, convertedPercent: 0 }
    case 'running': {
      const { job, isOffline } = progress
      const { etaMs, percent } = job.progress
      return {
        stage: isOffline ? words.noReply : describeStage(job),
        amount: `${percent}%`,
        timeLeft: etaMs === null || isOffline ? undefined : describeTimeLeft(etaMs),
        sentPercent: 100,
        convertedPercent: percent,
      }
    }
  }
}

/** The progress bars of an item: one for the bytes uploaded, one for the percentage that the service reports. */
export function ItemProgress({ item }: { readonly item: ConversionItem }) {
  const [isCancelling, setCancelling] = useState(false)
  const highestPercent = useRef(0)
  const progress = item.progress.value
  const progressText = describeProgress(progress)
  highestPercent.current = Math.max(highestPercent.current, progressText.convertedPercent)
  const convertedPercent = highestPercent.current
  const roundedPercent =
    Math.floor((progress.stage === 'running' ? convertedPercent : (progressText.sentPercent ?? 0)) / 25) * 25
  const isQuiet = progress.stage === 'waiting' || progress.stage === 'starting'
  useEffect(() => {
    // With several files, only a summary is announced to screen readers.
    if (isQuiet || counts.value.active > 1) return
    announce(
      `${item.name}: ${progressText.stage}${roundedPercent > 0 ? `, ${roundedPercent}%` : ''}`,
      `${item.key} ${progressText.stage}`,
    )
  }, [progressText.stage, roundedPercent])
  const hasUpload = item.file.value !== undefined
  return (
    <div class="busy">
      <p class="progress-words">
        <span class="stage">{progressText.stage}</span>
        <span class="amount">
          <bdi>{progress.stage === 'running' ? `${convertedPercent}%` : progressText.amount}</bdi>
        </span>
        <span class="rest">{progressText.timeLeft}</span>
      </p>
      <div class="bars">
        {hasUpload && (
          <progress max={100} value={progressText.sentPercent} aria-label={words.uploadOf(item.name)} />
        )}
        <progress max={100} value={convertedPercent} aria-label={words.conversionOf(item.name)} />
      </div>
      <div class="actions">
        <button
          type="button"
          class="button"
          data-primary
          disabled={isCancelling}
          onClick={() => {
            setCancelling(true)
            void cancelItem(item).finally(() => setCancelling(false))
          }}
        >
          {isCancelling ? words.cancelling : words.cancel}
        </button>
      </div>
    </div>
  )
}
