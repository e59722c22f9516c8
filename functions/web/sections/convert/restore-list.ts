import { signal } from '@preact/signals'
import { type Job, listFormats, listJobs, type Problem, problemOf } from '../../api.ts'
import { add, itemsOf } from './add-items.ts'
import { type Catalogue, createCatalogue } from './format-catalog.ts'
import { keptDrafts } from './drafts.ts'
import { forgetFolders, keptFolders } from './job-folders.ts'
import { Item } from './item.ts'
import { catalogue, items } from './item-list.ts'
import { keepTitleOfWork } from './notifications.ts'
import { lookAtBegun } from './persist-drafts.ts'
import { finishRemoval } from './remove-items.ts'
import { follow } from './convert-item.ts'
import { onOtherTab } from './other-tabs.ts'

/** Fills the list with what is there from before: once for the page, whichever section shows it first. */

export const isThere = signal(false)
/** Why it is not, until somebody asks again. */
export const trouble = signal<{ readonly problem: Problem; readonly retry: () => void } | undefined>(
  undefined,
)

async function untilItWorks<Value>(ask: () => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      const value = await ask()
      trouble.value = undefined
      return value
    } catch (error) {
      await new Promise<void>((retry) => {
        trouble.value = { problem: problemOf(error), retry }
      })
    }
  }
}

let formats: Promise<Catalogue> | undefined
const wanted = Promise.withResolvers<void>()

/** What is known of formats, from the first sign on that it is needed. */
export function wantFormats(): Promise<Catalogue> {
  wanted.resolve()
  formats ??= untilItWorks(listFormats).then((all) => {
    catalogue.value = createCatalogue(all)
    return catalogue.value
  })
  return formats
}

let isBegun = false

export function begin(): void {
  if (isBegun) return
  isBegun = true
  void load()
}

async function load(): Promise<void> {
  keepTitleOfWork()
  window.addEventListener('beforeunload', (event) => {
    if (items.value.some(({ phase }) => phase.value === 'sending')) event.preventDefault()
  })
  window.addEventListener('pagehide', () => void finishRemoval())
  for (const hint of ['pointerdown', 'keydown', 'dragenter', 'paste'])
    window.addEventListener(hint, () => void wantFormats(), { once: true })
  const [drafts, folders, earlier] = await Promise.all([
    keptDrafts(),
    keptFolders(),
    listJobs().catch((error: unknown) => problemOf(error)),
  ])
  const first = 'jobs' in earlier ? earlier : await untilItWorks(() => listJobs())
  // Whoever has no files yet need not wait for, nor load, the names of all formats.
  if (drafts.length + first.jobs.length > 0) wanted.resolve()
  else isThere.value = true
  await wanted.promise
  const known = await wantFormats()
  const restored = await itemsOf(
    // A file that was dropped meanwhile is a draft already.
    drafts
      .filter(({ key }) => !items.value.some((item) => item.key === key))
      .map((draft) => ({ kind: 'draft', draft }) as const),
    known,
  )
  add(restored)
  for (const item of restored) void lookAtBegun(item)
  addJobs(first.jobs, folders)
  isThere.value = true
  for (let cursor = first.nextCursor; cursor !== null; ) {
    const from = cursor
    const page = await untilItWorks(() => listJobs(from))
    addJobs(page.jobs, folders)
    cursor = page.nextCursor
  }
  const there = new Set(items.value.map(({ job }) => job.value?.jobId))
  void forgetFolders([...folders.keys()].filter((jobId) => !there.has(jobId)))
  onOtherTab((gone) => {
    leave(({ job }) => gone.has(job.value?.jobId ?? ''))
    Promise.all([listJobs(), keptFolders(), keptDrafts()]).then(
      ([{ jobs }, kept, waiting]) => {
        const keys = new Set(waiting.map(({ key }) => key))
        // Started or removed there.
        leave(({ draft, phase }) => draft !== undefined && phase.value === 'ready' && !keys.has(draft.key))
        addJobs(jobs, kept)
      },
      () => {},
    )
  })
}

function leave(isGone: (item: Item) => boolean): void {
  for (const item of items.value.filter(isGone)) item.gone.abort()
  items.value = items.value.filter((item) => !isGone(item))
}

/** Those that are not in the page yet, behind what is. */
function addJobs(jobs: readonly Job[], folders: ReadonlyMap<string, string>): void {
  const known = catalogue.value
  if (!known) return
  const there = new Set(items.value.map(({ job }) => job.value?.jobId))
  const added = jobs
    .filter(({ jobId, source }) => !there.has(jobId) && source !== null)
    .map((job) => new Item({ kind: 'job', job, folder: folders.get(job.jobId) }, known))
  items.value = [...items.value, ...added]
  for (const item of added) if (item.job.value) void follow(item, item.job.value)
}
