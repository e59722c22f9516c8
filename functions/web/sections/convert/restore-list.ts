import { signal } from '@preact/signals'
import { type Job, listFormats, listJobs, Problem, toProblem } from '../../api.ts'
import { addItems, createItems } from './add-items.ts'
import { convertItem, trackJob } from './convert-item.ts'
import { deleteDrafts, loadDrafts } from './drafts.ts'
import { createFormatCatalog, type FormatCatalog } from './format-catalog.ts'
import { ConversionItem } from './item.ts'
import { catalog, items } from './item-list.ts'
import { deleteFolders, loadFolders } from './job-folders.ts'
import { syncProgressTitle } from './notifications.ts'
import { onOtherTabMessage } from './other-tabs.ts'
import { checkPartialUpload } from './persist-drafts.ts'
import { finishRemoval } from './remove-items.ts'

/** Restores the list from drafts and earlier jobs, once per page load. */

export const isRestored = signal(false)
/** Why loading failed; undefined once the user has retried. */
export const loadProblem = signal<{ readonly problem: Problem; readonly retry: () => void } | undefined>(
  undefined,
)

async function retryUntilSuccess<Value>(request: () => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      const value = await request()
      loadProblem.value = undefined
      return value
    } catch (error) {
      await new Promise<void>((retry) => {
        loadProblem.value = { problem: toProblem(error), retry }
      })
    }
  }
}

let formats: Promise<FormatCatalog> | undefined
const formatsNeededEvent = Promise.withResolvers<void>()

/** Loads the formats when they are first needed. */
export function ensureFormats(): Promise<FormatCatalog> {
  formatsNeededEvent.resolve()
  formats ??= retryUntilSuccess(listFormats).then((listedFormats) => {
    catalog.value = createFormatCatalog(listedFormats)
    return catalog.value
  })
  return formats
}

let isStarted = false

export function startRestoring(): void {
  if (isStarted) return
  isStarted = true
  void restoreList()
}

async function restoreList(): Promise<void> {
  syncProgressTitle()
  window.addEventListener('beforeunload', (event) => {
    if (items.value.some(({ phase }) => phase.value === 'sending')) event.preventDefault()
  })
  window.addEventListener('pagehide', () => void finishRemoval())
  for (const eventType of ['pointerdown', 'keydown', 'dragenter', 'paste'])
    window.addEventListener(eventType, () => void ensureFormats(), { once: true })
  const [drafts, folders, earlierJobs] = await Promise.all([
    loadDrafts(),
    loadFolders(),
    listJobs().catch((error: unknown) => toProblem(error)),
  ])
  const firstPage = 'jobs' in earlierJobs ? earlierJobs : await retryUntilSuccess(() => listJobs())
  // Visitors without files don't need the format names, so their page does not load them yet.
  if (drafts.length + firstPage.jobs.length > 0) formatsNeededEvent.resolve()
  else isRestored.value = true
  await formatsNeededEvent.promise
  const catalog = await ensureFormats()
  const restoredItems = await createItems(
    // Omits drafts of files that were dropped while the list was loading, because they are already listed.
    drafts
      .filter(({ key }) => !items.value.some((item) => item.key === key))
      .map((draft) => ({ kind: 'draft', draft }) as const),
    catalog,
  )
  // The job of a draft may already have been created before the reload. Then only the job is shown.
  const [unambiguousItems, ambiguousItems] = partition(
    restoredItems,
    (item) => item.multipartUpload === undefined || !firstPage.jobs.some((job) => matchesItem(job, item)),
  )
  addItems(unambiguousItems)
  addJobs(firstPage.jobs, folders)
  for (const item of unambiguousItems) void continueDraft(item, folders)
  for (const item of ambiguousItems) void addUnlessConverted(item, folders)
  isRestored.value = true
  for (let cursor = firstPage.nextCursor; cursor !== null; ) {
    const from = cursor
    const page = await retryUntilSuccess(() => listJobs(from))
    addJobs(page.jobs, folders)
    cursor = page.nextCursor
  }
  const knownIds = new Set(items.value.map(({ job }) => job.value?.jobId))
  void deleteFolders([...folders.keys()].filter((jobId) => !knownIds.has(jobId)))
  onOtherTabMessage((deletedIds) => {
    removeFromList(({ job }) => deletedIds.has(job.value?.jobId ?? ''))
    Promise.all([listJobs(), loadFolders(), loadDrafts()]).then(
      ([{ jobs }, storedFolders, storedDrafts]) => {
        const keys = new Set(storedDrafts.map(({ key }) => key))
        // Removes drafts whose conversion another tab has started, and drafts that another tab has removed.
        removeFromList(
          ({ draft, phase }) => draft !== undefined && phase.value === 'ready' && !keys.has(draft.key),
        )
        addJobs(jobs, storedFolders)
      },
      () => {},
    )
  })
}

function partition<Value>(values: readonly Value[], test: (value: Value) => boolean): [Value[], Value[]] {
  return [values.filter(test), values.filter((value) => !test(value))]
}

const matchesItem = ({ source }: Job, { name, size }: ConversionItem) =>
  source?.filename === name && source.size === size

/** Continues with a file whose upload is complete; if another request has already created its job, shows that job. */
async function continueDraft(item: ConversionItem, folders: ReadonlyMap<string, string>): Promise<void> {
  await checkPartialUpload(item)
  if (!item.completedUploadId.value) return
  await convertItem(item)
  const { details } = item.notice.value instanceof Problem ? item.notice.value : {}
  if (details?.['jobId'] === undefined) return
  const { jobs } = await listJobs().catch(() => ({ jobs: [] }))
  if (!jobs.some(({ jobId }) => jobId === details['jobId'])) return
  void deleteDrafts([item.key])
  removeFromList((other) => other === item)
  addJobs(jobs, folders)
}

/**
 * Adds a draft if its upload is still partial. In this case, the job of the same file used another upload: the user has
 * added the file again.
 */
async function addUnlessConverted(item: ConversionItem, folders: ReadonlyMap<string, string>): Promise<void> {
  await checkPartialUpload(item)
  if (item.uploadedBytes.value === undefined) return deleteDrafts([item.key])
  addItems([item])
  return continueDraft(item, folders)
}

function removeFromList(shouldRemove: (item: ConversionItem) => boolean): void {
  for (const item of items.value.filter(shouldRemove)) item.removal.abort()
  items.value = items.value.filter((item) => !shouldRemove(item))
}

/** Appends jobs that are not in the list yet. */
function addJobs(jobs: readonly Job[], folders: ReadonlyMap<string, string>): void {
  const loadedCatalog = catalog.value
  if (!loadedCatalog) return
  const knownIds = new Set(items.value.map(({ job }) => job.value?.jobId))
  const addedItems = jobs
    .filter(({ jobId, source }) => !knownIds.has(jobId) && source !== null)
    .map((job) => new ConversionItem({ kind: 'job', job, folder: folders.get(job.jobId) }, loadedCatalog))
  items.value = [...items.value, ...addedItems]
  for (const item of addedItems) if (item.job.value) void trackJob(item, item.job.value)
}
