import type { Job } from './api.ts'
import { element, icon } from './element.ts'
import { droppedWords, keptWords } from './kept-words.ts'
import { changeWords, momentWords, sizeWords } from './words.ts'

type Result = NonNullable<Job['result']>

/** The result: how it compares to the source, what the service warns of, where it is. */
export function doneView(props: {
  readonly job: Job
  readonly result: Result
  readonly onAgain: () => void
  readonly onDelete: () => void
  /** The files are deleted by now; a link would lead to an error. */
  readonly onExpired: () => void
}): HTMLElement {
  const { job, result } = props
  const followed = (event: Event) => {
    if (Date.parse(job.expiresAt) > Date.now()) return
    event.preventDefault()
    props.onExpired()
  }
  const download = (url: string, filename: string, words: string, attributes = {}) =>
    element('a', { href: url, download: filename, onclick: followed, ...attributes }, words)
  const main = download(result.downloadUrl, result.filename, 'Download', {
    class: 'button primary',
    'data-primary': true,
  })
  main.prepend(icon('download'))
  main.append(...ofFile(result.filename))
  const again = element(
    'button',
    { type: 'button', class: 'button', onclick: props.onAgain },
    'Convert again',
  )
  again.append(...ofFile(job.source?.filename ?? job.jobId))
  const remove = element(
    'button',
    { type: 'button', class: 'button quiet', onclick: props.onDelete },
    'Delete',
  )
  remove.append(...ofFile(result.filename))
  remove.title = 'Deletes the result and the source from the service'

  const note = element('div', { class: 'hint note' }, ...footnotes(job, result))

  const name = element('span', { class: 'outcome-name' }, result.filename)
  const outcome = element(
    'div',
    { class: 'outcome' },
    element('p', { class: 'outcome-words' }, icon('check'), name),
    element('p', { class: 'sizes' }, ...sizes(job, result)),
  )
  const several = result.files.length > 1 ? result.files : []
  const links = several.map(({ downloadUrl, filename, size }) =>
    element('li', {}, download(downloadUrl, filename, filename), ` ${sizeWords(size)}`),
  )
  return element(
    'div',
    { class: 'done' },
    outcome,
    kept(job, result),
    links.length > 0 ? element('ul', { class: 'files' }, ...links) : undefined,
    warnings(job),
    element('div', { class: 'actions' }, main, again, remove, note),
  )
}

/** Several cards on one page have the same buttons; their names must tell them apart. */
const ofFile = (filename: string) => [element('span', { class: 'visually-hidden' }, ` ${filename}`)]

function sizes(job: Job, result: Result): (Node | string)[] {
  const after = result.files.reduce((sum, { size }) => sum + size, 0) || result.size
  const before = job.source?.size
  if (before === undefined) return [element('strong', {}, sizeWords(after))]
  return [
    element('span', { class: 'visually-hidden' }, 'Before '),
    sizeWords(before),
    ' ',
    icon('arrow'),
    element('span', { class: 'visually-hidden' }, ', after '),
    element('strong', {}, sizeWords(after)),
    element('span', { class: 'change' }, changeWords(before, after)),
  ]
}

function kept(job: Job, { fidelity }: Result): HTMLElement | undefined {
  if (!fidelity) return undefined
  const lines = [keptWords(fidelity), droppedWords(fidelity, job.target?.format)]
  const said = lines.filter((line) => line !== undefined).map((line) => element('p', {}, line))
  return said.length > 0 ? element('div', { class: 'hint kept' }, ...said) : undefined
}

function warnings(job: Job): HTMLElement | undefined {
  if (job.warnings.length === 0) return undefined
  const rows = job.warnings.map(({ message, code }) =>
    element('li', { 'data-code': code }, icon('warning'), element('span', {}, message)),
  )
  return element('ul', { class: 'warnings', 'aria-label': 'Warnings' }, ...rows)
}

function footnotes(job: Job, result: Result): HTMLElement[] {
  const how = result.method === 'stream-copy' ? ', copied without encoding anew' : ''
  const words = [
    result.engine && `Made by ${result.engine}${how}.`,
    `Kept until ${momentWords(job.expiresAt)}.`,
  ]
  return words.filter((line) => line !== undefined).map((line) => element('p', {}, line))
}
