import { batch } from '@preact/signals'
import {
  cancelJob,
  checkWish,
  createJob,
  deleteJob,
  type Job,
  jobStatus,
  Problem,
  problemOf,
  retryJob,
} from '../../api.ts'
import { faultsIn, fieldOf } from '../../options/option-values.ts'
import { announce } from '../../shell/announce.ts'
import { loadOptionsOf } from './choose-target.ts'
import { isPassing, type Progress, pause, watchJob } from './watch-job.ts'
import { wishOf } from './conversion-request.ts'
import { dropDrafts } from './drafts.ts'
import { keepFolder } from './job-folders.ts'
import type { Item } from './item.ts'
import { items, mostCards } from './item-list.ts'
import { join, tellEnd } from './notifications.ts'
import { keep } from './persist-drafts.ts'
import { forget, send } from './upload-file.ts'
import { alone, tellOthers } from './other-tabs.ts'
import words from './words/en.ts'
import { sizeWords } from './format-text.ts'

/** A file on its way: checked, sent, converted, followed to its end. */

const checked = new Map<string, Promise<void>>()

/** Of many files only such sizes are told: smaller ones fit everywhere, and are alike without them. */
const largeBytes = 1e9

/** Asks whether it would work before a byte is sent; what is alike is asked once. */
async function check(item: Item): Promise<void> {
  if (!item.source) return
  const isTold = items.value.length <= mostCards || Number(item.size) > largeBytes
  const wish = { from: item.source.id, ...wishOf(item), size: isTold ? item.size : undefined }
  const key = JSON.stringify(wish)
  const asked = checked.get(key) ?? checkWish(wish)
  checked.set(key, asked)
  asked.catch(() => checked.delete(key))
  await asked
}

/** @returns whether it is on its way; what is wrong is shown at its field. */
async function isFine(item: Item): Promise<boolean> {
  try {
    await loadOptionsOf(item)
    const wrong = faultsIn(item.options.value ?? [], item.values.value)
    item.wrong.value = wrong
    if (Object.keys(wrong).length > 0) return false
    await check(item)
    return true
  } catch (error) {
    // Whether it works is told by the conversion itself, then. Parts of the page need a line as well.
    if (!navigator.onLine || isPassing(error)) return true
    const problem = problemOf(error)
    const field = fieldOf(problem, item.options.value ?? [])
    if (field) item.wrong.value = { [field]: problem.message }
    else item.notice.value = problem
    return false
  }
}

export async function start(item: Item): Promise<void> {
  if (item.phase.value !== 'ready') return
  if (!item.hasBytes.value) return
  item.notice.value = undefined
  if (!item.target.value && !item.tool.value) {
    item.notice.value = new Problem('NO_TARGET', words.chooseFirst)
    return
  }
  const work = new AbortController()
  item.work = work
  if (!(await isFine(item))) return
  const wish = wishOf(item)
  batch(() => {
    join(item)
    item.progress.value = { stage: 'waiting' }
    item.phase.value = 'sending'
  })
  try {
    const job = await alone(item.key, () => made(item, wish, work.signal))
    forgetFailed(item)
    item.job.value = job
    if (item.folder !== undefined) void keepFolder(job.jobId, item.folder)
    await dropDrafts([item.key])
    if (work.signal.aborted) await cancelJob(job.jobId).catch(() => {})
    tellOthers()
    await follow(item, job)
  } catch (error) {
    stop(item, work.signal.aborted ? words.cancelled : problemOf(error))
  }
}

async function made(item: Item, wish: ReturnType<typeof wishOf>, signal: AbortSignal): Promise<Job> {
  const tell = (progress: Progress) => {
    item.progress.value = progress
  }
  if (item.url !== undefined) return starting(item, () => createJob({ fileUrl: item.url ?? '', ...wish }))
  const { sourceJob, fetched } = item
  // Taken once; after that the job has the source.
  const taken = item.job.value
  if (fetched && taken) return starting(item, () => createJob({ sourceJobId: taken.jobId, ...wish }))
  if (fetched) return starting(item, () => createJob({ uploadId: fetched, ...wish }))
  if (sourceJob) return starting(item, () => createJob({ sourceJobId: sourceJob.jobId, ...wish }))
  const file = item.file.value
  if (!file) throw new Problem('NO_FILES', words.chooseAgain)
  const kept = item.unusedUpload
  item.unusedUpload = undefined
  const uploadId =
    kept ??
    (await send({
      file,
      begun: item.begun,
      onBegun: (begun) => {
        item.begun = begun
        void keep(item)
      },
      onProgress: tell,
      signal,
    }))
  item.begun = undefined
  try {
    // Not given up when the user cancels: the answer names the job that then has to be cancelled.
    return await starting(item, () => createJob({ uploadId, ...wish }))
  } catch (error) {
    const isSpent =
      error instanceof Problem && ['CONFLICT', 'UPLOAD_NOT_FOUND', 'UPLOAD_INCOMPLETE'].includes(error.code)
    if (!isSpent) item.unusedUpload = uploadId
    else if (kept) return made(item, wish, signal)
    throw error
  }
}

function starting(item: Item, create: () => Promise<Job>): Promise<Job> {
  item.progress.value = { stage: 'starting' }
  return create()
}

export async function follow(item: Item, job: Job): Promise<void> {
  item.phase.value = 'running'
  const isNews = item.file.value !== undefined || item.url !== undefined || item.sourceJob !== undefined
  try {
    const tell = (progress: Progress) => {
      item.progress.value = progress
    }
    const ended = await watchJob(job, tell, item.gone.signal)
    item.job.value = ended
    if (ended.status === 'completed' && ended.result) {
      const { filename, size } = ended.result
      item.phase.value = 'done'
      expireInTime(item, ended).catch(() => {}) // it has left the list
      if (isNews) tellEnd(words.converted(item.name, filename, sizeWords(size)))
    } else stop(item, ended.status === 'cancelled' ? words.cancelled : problemIn(ended))
  } catch (error) {
    if (!item.gone.signal.aborted) stop(item, problemOf(error))
  }
}

/** Seconds after which it is asked once more whether a result is there: clocks of visitors are wrong, too. */
const leastPauseS = 60
/** The longest that a timer runs, about 24 days. */
const longestPauseS = (2 ** 31 - 1) / 1000

/** When the time of its result is over, and the service says so, a file is as it was before. */
async function expireInTime(item: Item, { jobId, expiresAt }: Job): Promise<void> {
  const { signal } = item.gone
  // By a clock that is hours ahead nothing is asked each minute.
  for (let leastS = leastPauseS; item.job.value?.jobId === jobId; leastS *= 2) {
    const leftS = (Date.parse(expiresAt) - Date.now()) / 1000
    await pause(Math.min(longestPauseS, Math.max(leastS, leftS)), signal)
    const isGone = await jobStatus(jobId, signal).then(
      ({ data }) => !data.result,
      (error: unknown) => problemOf(error).code === 'JOB_NOT_FOUND',
    )
    if (isGone) return stop(item, new Problem('FILE_GONE', words.gone))
  }
}

/** Ends without a result: back to the form where the bytes are at hand, else with a way to bring them again. */
function stop(item: Item, notice: Problem | string): void {
  batch(() => {
    item.notice.value = notice
    item.phase.value = item.hasBytes.value || item.draft ? 'ready' : 'stranded'
  })
  const sentence = typeof notice === 'string' ? notice : notice.message
  tellEnd(words.failed(item.name, sentence))
}

function problemIn({ error, jobId }: Job): Problem {
  if (error) return new Problem(error.code, error.message)
  return new Problem('FILE_GONE', words.overWithout(jobId))
}

/** A job that failed has given way to the next one of this file; it would only come back at the next visit. */
function forgetFailed(item: Item): void {
  const old = item.job.value
  if (old) void deleteJob(old.jobId).catch(() => {})
}

/** Once more as it was: from the bytes of the page, else from the source that the service still has. */
export async function retry(item: Item): Promise<void> {
  const old = item.job.value
  if (item.phase.value === 'ready' || !old) return start(item)
  item.notice.value = undefined
  item.phase.value = 'sending'
  item.progress.value = { stage: 'starting' }
  join(item)
  try {
    const job = await retryJob(old.jobId)
    forgetFailed(item)
    item.job.value = job
    if (item.folder !== undefined) void keepFolder(job.jobId, item.folder)
    tellOthers()
    await follow(item, job)
  } catch (error) {
    stop(item, problemOf(error))
  }
}

export async function cancel(item: Item): Promise<void> {
  item.work?.abort()
  if (item.begun && item.phase.value === 'sending') {
    forget(item.begun.uploadId)
    item.begun = undefined
  }
  // While it is sent there is no job yet, or only the one that failed before.
  const job = item.job.value
  if (item.phase.value !== 'running' || !job) return
  await cancelJob(job.jobId).catch((error: unknown) => {
    const problem = problemOf(error)
    // A conflict means that it is over already, which the next status shows.
    if (problem.code !== 'CONFLICT') announce(problem.message)
  })
}

/** The file of a draft, brought by its owner. */
export function bringBack(item: Item, file: File): void {
  const { name, size } = item
  if (file.name === name && file.size === size) {
    item.notice.value = undefined
    item.file.value = file
    // What was on its way goes on by itself.
    if (item.begun) void start(item)
  } else item.notice.value = new Problem('OTHER_FILE', words.otherFile)
}
