import type { Progress } from './conversion.ts'
import { element } from './element.ts'
import { remainingWords, sizeWords, stageWords } from './words.ts'

export interface BusyView {
  readonly element: HTMLElement
  update(progress: Progress): void
  /** The cancel button came back without effect. */
  tell(sentence: string): void
}

/**
 * Upload and conversion each have a bar of their own: bytes that left, and the percent that the service tells.
 * @param announce gets what somebody who cannot see the bars should hear
 */
export function busyView(props: {
  readonly name: string
  readonly hasUpload: boolean
  readonly onCancel: () => Promise<void>
  readonly announce: (words: string) => void
}): BusyView {
  const stage = element('span', { class: 'stage' })
  const amount = element('span', { class: 'amount' })
  const rest = element('span', { class: 'rest' })
  const uploadBar = element('progress', { max: 100, 'aria-label': `Upload of ${props.name}` })
  const workBar = element('progress', { max: 100, value: 0, 'aria-label': `Conversion of ${props.name}` })
  const note = element('p', { class: 'hint' })
  const cancel = element('button', { type: 'button', class: 'button', 'data-primary': true }, 'Cancel')
  cancel.addEventListener('click', () => {
    cancel.disabled = true
    cancel.textContent = 'Cancelling'
    void props.onCancel().finally(() => {
      cancel.disabled = false
      cancel.textContent = 'Cancel'
    })
  })

  let spokenStage = ''
  let spokenQuarter = 0
  const speak = (words: string, percent: number) => {
    const quarter = Math.floor(percent / 25)
    if (words === spokenStage && quarter <= spokenQuarter) return
    const isNews = words !== spokenStage
    spokenStage = words
    spokenQuarter = quarter
    props.announce(`${props.name}: ${words}${isNews && percent === 0 ? '' : `, ${percent}%`}`)
  }

  let highest = 0
  const show = (words: { stage: string; amount: string; rest?: string }) => {
    stage.textContent = words.stage
    amount.textContent = words.amount
    rest.textContent = words.rest ?? ''
  }
  return {
    element: element(
      'div',
      { class: 'busy' },
      element('p', { class: 'progress-words' }, stage, amount, rest),
      element('div', { class: 'bars' }, ...(props.hasUpload ? [uploadBar] : []), workBar),
      note,
      element('div', { class: 'actions' }, cancel),
    ),
    update: (progress) => {
      switch (progress.stage) {
        case 'waiting':
          uploadBar.value = 0
          show({ stage: 'Waiting for the uploads before it', amount: '' })
          return
        case 'uploading': {
          const { sentBytes, totalBytes } = progress
          uploadBar.value = (100 * sentBytes) / Math.max(totalBytes, 1)
          show({ stage: 'Uploading', amount: `${sizeWords(sentBytes)} of ${sizeWords(totalBytes)}` })
          speak('Uploading', Math.floor(uploadBar.value))
          return
        }
        case 'starting':
          uploadBar.value = 100
          show({ stage: 'Checking the file', amount: '' })
          return
        case 'running': {
          const { job, isOffline } = progress
          highest = Math.max(highest, job.progress.percent)
          uploadBar.value = 100
          workBar.value = highest
          const { etaMs } = job.progress
          const left = etaMs === null || isOffline ? {} : { rest: remainingWords(etaMs) }
          show({
            stage: isOffline ? 'The service does not answer, asking again' : stageWords(job),
            amount: `${highest}%`,
            ...left,
          })
          speak(stageWords(job), highest)
        }
      }
    },
    tell: (sentence) => {
      note.textContent = sentence
    },
  }
}
