import { cancelJob, deleteJob, type Format, type Job, Problem, problemOf } from './api.ts'
import { type BusyView, busyView } from './busy-view.ts'
import type { Catalogue } from './catalogue.ts'
import { startConversion, watchJob } from './conversion.ts'
import { doneView } from './done-view.ts'
import { element, icon, newElementId } from './element.ts'
import { badgeOf } from './preview.ts'
import { noticeOf, type ReadyView, readyView } from './ready-view.ts'
import { preferredTarget, rememberTarget } from './remembered.ts'
import { strandedView } from './stranded-view.ts'
import { sizeWords } from './words.ts'

/** What a card needs from the page. */
export interface Page {
  readonly catalogue: Catalogue
  announce(words: string): void
  chooseFile(): Promise<File | undefined>
  /** A second card, so that the result of the first one stays. */
  addBefore(card: Card, file: File): void
  remove(card: Card): void
  /** A card became ready or ceased to be. */
  changed(): void
}

type Phase = 'ready' | 'sending' | 'running' | 'done' | 'stranded'

/** One file, from being chosen to being downloaded. After a reload it is known by its job only. */
export class Card {
  readonly element: HTMLLIElement
  readonly #page: Page
  readonly #name: string
  readonly #source: Format | undefined
  readonly #badge: ReturnType<typeof badgeOf>
  readonly #body = element('div', { class: 'card-body' })
  readonly #gone = new AbortController()
  #file: File | undefined
  #job: Job | undefined
  #ready: ReadyView | undefined
  #phase: Phase = 'ready'

  constructor(page: Page, origin: File | Job) {
    const job = origin instanceof File ? undefined : origin
    const file = origin instanceof File ? origin : undefined
    this.#page = page
    this.#file = file
    this.#job = job
    this.#source = file ? page.catalogue.ofFile(file) : page.catalogue.byId(job?.source?.format ?? '')
    // A job that another program made may still wait for its file.
    this.#name = file?.name ?? job?.source?.filename ?? job?.jobId ?? ''
    this.#badge = badgeOf(file, this.#source)
    const titleId = newElementId('file')
    const size = file?.size ?? job?.source?.size
    const meta = `${this.#source?.name ?? 'Unknown kind'}${size === undefined ? '' : ` ·\u00a0${sizeWords(size)}`}`
    const title = element('h3', { id: titleId, title: this.#name }, this.#name)
    const remove = element(
      'button',
      { type: 'button', class: 'remove', 'aria-label': `Remove ${this.#name}` },
      icon('close'),
    )
    remove.addEventListener('click', () => void this.#remove())
    const words = element('div', { class: 'card-words' }, title, element('p', { class: 'meta' }, meta))
    const head = element('div', { class: 'card-head' }, this.#badge.element, words, remove)
    this.element = element(
      'li',
      { class: 'card' },
      element('article', { 'aria-labelledby': titleId }, head, this.#body),
    )
    if (job) void this.#follow(job, this.#busy(false))
    else this.#showReady()
  }

  get isReady(): boolean {
    return this.#phase === 'ready' && this.targets.length > 0
  }

  /** Leaving the page now would lose the upload. */
  get isSending(): boolean {
    return this.#phase === 'sending'
  }

  get targets(): readonly Format[] {
    return this.#ready?.targets ?? []
  }

  setTarget(target: Format): void {
    this.#ready?.setTarget(target)
  }

  async convert(): Promise<void> {
    const file = this.#file
    const wish = this.#phase === 'ready' ? this.#ready?.wish() : undefined
    if (!file || !wish) return
    const cancelled = new AbortController()
    const view = this.#busy(true, cancelled)
    this.#show('sending', view.element)
    try {
      const job = await startConversion({ file, ...wish }, view.update, cancelled.signal)
      this.#forgetJob()
      this.#job = job
      if (cancelled.signal.aborted) await this.#cancel(job, view)
      await this.#follow(job, view)
    } catch (error) {
      this.#stop(cancelled.signal.aborted ? 'Cancelled.' : problemOf(error))
    }
  }

  async #follow(job: Job, view: BusyView): Promise<void> {
    this.#show('running', view.element)
    try {
      const ended = await watchJob(job, view.update, this.#gone.signal)
      this.#job = ended
      if (ended.status === 'completed' && ended.result) this.#showDone(ended, ended.result)
      else this.#stop(ended.status === 'cancelled' ? 'Cancelled.' : problemIn(ended))
    } catch (error) {
      if (!this.#gone.signal.aborted) this.#stop(problemOf(error))
    }
  }

  #busy(hasUpload: boolean, cancelled?: AbortController): BusyView {
    const view = busyView({
      name: this.#name,
      hasUpload,
      announce: (words) => this.#page.announce(words),
      onCancel: async () => {
        cancelled?.abort()
        // While it is sent there is no job yet, or only the one that failed before.
        if (this.#phase === 'running' && this.#job) await this.#cancel(this.#job, view)
      },
    })
    return view
  }

  async #cancel({ jobId }: Job, view: BusyView): Promise<void> {
    await cancelJob(jobId).catch((error: unknown) => {
      const problem = problemOf(error)
      // A conflict means that it is over already, which the next status shows.
      if (problem.code !== 'CONFLICT') view.tell(problem.message)
    })
  }

  #showReady(notice?: Problem | string): void {
    this.#ready ??= readyView({
      source: this.#source,
      catalogue: this.#page.catalogue,
      preferred: preferredTarget(this.#source?.id),
      onConvert: () => void this.convert(),
      onTarget: (target) => {
        rememberTarget(this.#source?.id, target.id)
        this.#page.changed()
      },
    })
    this.#ready.tell(notice)
    this.#show('ready', this.#ready.element)
  }

  #showDone(job: Job, result: NonNullable<Job['result']>): void {
    const view = doneView({
      job,
      result,
      onAgain: () => void this.#again(),
      onDelete: () => void this.#remove(),
      onExpired: () =>
        this.#stop(
          new Problem('FILE_GONE', 'The time for which the result was kept is over. Convert the file again.'),
        ),
    })
    const isNews = this.#phase === 'running' && this.#file !== undefined
    this.#show('done', view)
    if (isNews)
      this.#page.announce(
        `${this.#name} is converted: ${result.filename}, ${sizeWords(result.size)}, can be downloaded.`,
      )
  }

  /** Ends without a result: back to the form where the file is at hand, else with a way to bring it again. */
  #stop(notice: Problem | string): void {
    if (typeof notice === 'string') this.#page.announce(`${this.#name}: ${notice}`)
    if (this.#file) {
      this.#showReady(notice)
      return
    }
    const actions = { onAgain: () => void this.#again(), onDelete: () => void this.#remove() }
    this.#show('stranded', strandedView({ target: this.#job?.target?.format, notice, ...actions }))
  }

  async #again(): Promise<void> {
    const file = this.#file ?? (await this.#page.chooseFile())
    if (file) this.#page.addBefore(this, file)
  }

  async #remove(): Promise<void> {
    try {
      if (this.#job) await deleteJob(this.#job.jobId)
    } catch (error) {
      this.#body.querySelector(':scope > .notice')?.remove()
      this.#body.append(noticeOf(problemOf(error)))
      return
    }
    this.#gone.abort()
    this.#badge.release()
    this.#page.announce(`${this.#name} is removed.`)
    this.#page.remove(this)
  }

  /** A job that failed has given way to the next one of this card; it would only come back at the next visit. */
  #forgetJob(): void {
    if (this.#job) void deleteJob(this.#job.jobId).catch(() => {})
  }

  #show(phase: Phase, view: HTMLElement): void {
    const hadFocus = this.#body.contains(document.activeElement)
    this.#phase = phase
    this.element.dataset['phase'] = phase
    this.#body.replaceChildren(view)
    if (hadFocus) view.querySelector<HTMLElement>('[data-primary]')?.focus()
    this.#page.changed()
  }
}

function problemIn({ error, jobId }: Job): Problem {
  if (error) return new Problem(error.code, error.message)
  return new Problem(
    'FILE_GONE',
    `The job ${jobId} is over and has no result any more. Convert the file again.`,
  )
}
