import { type Job, listFormats, listJobs, problemOf } from './api.ts'
import { Card, type Page } from './card.ts'
import { type Catalogue, createCatalogue } from './catalogue.ts'
import { element } from './element.ts'
import { chooseFiles, mostFiles, onDroppedFiles, onPastedFiles } from './incoming.ts'
import { showKinds } from './kinds.ts'
import { noticeOf } from './ready-view.ts'
import { showTogether } from './together.ts'

/** @throws when the page and its script do not belong together. */
function part<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id)
  if (found instanceof kind) return found
  throw new Error(`index.html has no ${kind.name} with the id "${id}"`)
}

const list = part('cards', HTMLUListElement)
const filesSection = part('files', HTMLElement)
const together = part('together', HTMLElement)
const older = part('older', HTMLButtonElement)
const notices = part('notices', HTMLElement)
const chooseButton = part('choose', HTMLButtonElement)
const manyInput = part('many', HTMLInputElement)
const oneInput = part('one', HTMLInputElement)
const said = part('said', HTMLElement)

let cards: readonly Card[] = []

function createPage(catalogue: Catalogue): Page {
  const page: Page = {
    catalogue,
    announce: (words) => {
      said.textContent = words
    },
    chooseFile: async () => (await chooseFiles(oneInput))[0],
    addBefore: (card, file) => {
      const added = new Card(page, file)
      card.element.before(added.element)
      cards = cards.flatMap((other) => (other === card ? [added, other] : [other]))
      show(added)
    },
    remove: (card) => {
      const hadFocus = card.element.contains(document.activeElement)
      const next = card.element.nextElementSibling ?? card.element.previousElementSibling
      card.element.remove()
      cards = cards.filter((other) => other !== card)
      changed()
      // Who works by keyboard goes on where the card was.
      if (hadFocus) (next?.querySelector<HTMLElement>('[data-primary]') ?? chooseButton).focus()
    },
    changed,
  }
  return page
}

function changed(): void {
  filesSection.hidden = cards.length === 0
  document.documentElement.dataset['files'] = String(cards.length > 0)
  showTogether(together, cards)
}

function show(card: Card): void {
  changed()
  card.element.scrollIntoView({ block: 'nearest' })
  card.element
    .querySelector<HTMLElement>('.chip input:checked, [role="combobox"]')
    ?.focus({ preventScroll: true })
}

function addFiles(page: Page, files: readonly File[]): void {
  if (files.length === 0) return
  const taken = files.slice(0, mostFiles)
  const added = taken.map((file) => new Card(page, file))
  list.prepend(...added.map((card) => card.element))
  cards = [...added, ...cards]
  page.announce(taken.length === 1 ? `${taken[0]?.name} is added.` : `${taken.length} files are added.`)
  if (files.length > taken.length)
    tell(`Only the first ${mostFiles} files were taken. Add the others when these are done.`)
  if (added[0]) show(added[0])
}

function addJobs(page: Page, jobs: readonly Job[]): void {
  const added = jobs.map((job) => new Card(page, job))
  list.append(...added.map((card) => card.element))
  cards = [...cards, ...added]
  changed()
}

function tell(words: string): void {
  notices.replaceChildren(element('p', { class: 'notice', role: 'status' }, words))
}

/** Asks until it works; the notice has the button that asks again. */
async function untilItWorks<Value>(ask: () => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      const value = await ask()
      notices.replaceChildren()
      return value
    } catch (error) {
      const retry = element('button', { type: 'button', class: 'button' }, 'Try again')
      notices.replaceChildren(noticeOf(problemOf(error)), retry)
      await new Promise((resolve) => retry.addEventListener('click', resolve, { once: true }))
    }
  }
}

async function showEarlierJobs(page: Page): Promise<void> {
  let { jobs, nextCursor } = await untilItWorks(() => listJobs())
  addJobs(page, jobs)
  while (nextCursor !== null) {
    const cursor = nextCursor
    older.hidden = false
    await new Promise((resolve) => older.addEventListener('click', resolve, { once: true }))
    older.hidden = true
    ;({ jobs, nextCursor } = await untilItWorks(() => listJobs(cursor)))
    addJobs(page, jobs)
  }
}

async function start(): Promise<void> {
  // Files that come before the formats are known must not be lost, and not open in place of the page.
  const ready = Promise.withResolvers<Page>()
  const take = (files: readonly File[]) => void ready.promise.then((page) => addFiles(page, files))
  onDroppedFiles(take)
  onPastedFiles(take)
  chooseButton.addEventListener('click', () => void chooseFiles(manyInput).then(take))
  window.addEventListener('beforeunload', (event) => {
    if (cards.some((card) => card.isSending)) event.preventDefault()
  })
  part('origin', HTMLElement).textContent = location.origin

  const catalogue = createCatalogue(await untilItWorks(listFormats))
  showKinds(part('kinds', HTMLDListElement), catalogue.formats)
  const page = createPage(catalogue)
  ready.resolve(page)
  await showEarlierJobs(page)
}

void start()
