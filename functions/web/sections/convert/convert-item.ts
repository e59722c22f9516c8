import { batch } from '@preact/signals'
import {
  cancelJob,
  checkConversion,
  createJob,
  createUnlockedJob,
  deleteJob,
  explainError,
  fetchJobStatus,
  getResultBytes,
  type Job,
  type Option,
  Problem,
  retryJob,
  toProblem,
} from '../../api.ts'
import { findProblemOption, validateOptions } from '../../options/option-values.ts'
import { announce } from '../../shell/announce.ts'
import { loadItemOptions } from './choose-target.ts'
import { toConversionSpec } from './conversion-request.ts'
import { deleteDrafts } from './drafts.ts'
import { formatFileSize } from './format-text.ts'
import type { ConversionItem } from './item.ts'
import { items, maxCards } from './item-list.ts'
import { saveFolder } from './job-folders.ts'
import { announceEnd, joinBatch } from './notifications.ts'
import { notifyOtherTabs, withTabLock } from './other-tabs.ts'
import { saveItemDraft } from './persist-drafts.ts'
import { abortUpload, uploadFile } from './upload-file.ts'
import { type ConversionProgress, isTransient, pause, watchJob } from './watch-job.ts'
import words from './words/en.ts'

/** Converts a file: check, upload, convert, and wait for the result. */

const pendingChecks = new Map<string, Promise<void>>()

/** If there are many files, checks only send sizes above this, so that smaller files can share one check. */
const largeFileBytes = 1e9

/** Checks the conversion before uploading; equal checks share a request. */
async function checkBeforeUpload(item: ConversionItem): Promise<void> {
  if (!item.source || item.parts) return
  const sendsSize = items.value.length <= maxCards || Number(item.size) > largeFileBytes
  const spec = { from: item.source.id, ...toConversionSpec(item), size: sendsSize ? item.size : undefined }
  const key = JSON.stringify(spec)
  const pendingCheck = pendingChecks.get(key) ?? checkConversion(spec)
  pendingChecks.set(key, pendingCheck)
  pendingCheck.catch(() => pendingChecks.delete(key))
  await pendingCheck
}

/** Checks a conversion. @returns whether its upload may start; errors are shown at their fields */
async function passesChecks(item: ConversionItem): Promise<boolean> {
  try {
    await loadItemOptions(item)
    const errors = validateOptions(item.options.value ?? [], item.values.value)
    item.fieldErrors.value = errors
    if (Object.keys(errors).length > 0) return false
    await checkBeforeUpload(item)
    return true
  } catch (error) {
    // Upload anyway, because the conversion itself will report errors; loading the lazy chunk needs a connection too.
    if (!navigator.onLine || isTransient(error)) return true
    const problem = toProblem(error)
    const option = findProblemOption(problem, item.options.value ?? [])
    if (option && !isPasswordProblem(problem)) await showFieldError(item, option, problem)
    else item.notice.value = problem
    return false
  }
}

async function showFieldError(item: ConversionItem, option: Option, problem: Problem): Promise<void> {
  // The texts may fail to load, for example without a connection.
  const texts = await import('../../problems/describe-field-problem.ts').catch(() => undefined)
  const { name } = option
  const sentence = texts?.describeFieldProblem(problem.details, option, item.values.value[name])
  item.fieldErrors.value = { [name]: sentence ?? problem.message }
}

/** Whether the problem is that the password is missing or wrong. */
const isPasswordProblem = ({ code }: Problem) => code === 'PDF_ENCRYPTED' || code === 'FILE_ENCRYPTED'

/** Asks for the password in the card, and says so if the previous password was wrong. */
async function askForPassword(item: ConversionItem, problem: Problem): Promise<Problem> {
  const { wrongPassword } = await import('../../problems/describe-problem.ts')
  const hadPassword = Boolean(item.password.value)
  item.password.value = ''
  return new Problem(problem.code, hadPassword ? wrongPassword : problem.message)
}

export async function convertItem(item: ConversionItem): Promise<void> {
  if (item.phase.value !== 'ready') return
  if (!item.hasBytes.value) return
  item.notice.value = undefined
  if (item.size === 0) {
    item.notice.value = new Problem('EMPTY_FILE', words.emptyFile)
    return
  }
  if (!item.target.value && !item.tool.value) {
    item.notice.value = new Problem('NO_TARGET', words.chooseFirst)
    return
  }
  const controller = new AbortController()
  item.conversion = controller
  if (!(await passesChecks(item))) return
  // The button was pressed again during the checks, so the newer call continues instead of this one.
  if (item.conversion !== controller) return
  const spec = toConversionSpec(item)
  batch(() => {
    joinBatch(item)
    item.progress.value = { stage: 'waiting' }
    item.phase.value = 'sending'
  })
  try {
    const job = await withTabLock(item.key, () => createItemJob(item, spec, controller.signal))
    deletePreviousJob(item)
    item.job.value = job
    if (item.folder !== undefined) void saveFolder(job.jobId, item.folder)
    await deleteDrafts([item.key])
    if (controller.signal.aborted) await cancelJob(job.jobId).catch(() => {})
    notifyOtherTabs()
    await trackJob(item, job)
  } catch (error) {
    const problem = toProblem(error)
    const shownProblem = isPasswordProblem(problem) ? await askForPassword(item, problem) : problem
    const option = findProblemOption(shownProblem, item.options.value ?? [])
    if (option && !isPasswordProblem(shownProblem)) {
      await showFieldError(item, option, shownProblem)
      item.phase.value = 'ready'
    } else endWithoutResult(item, controller.signal.aborted ? words.cancelled : shownProblem)
  }
}

/** Whether the conversion itself opens locked files; otherwise, the file is unlocked first. */
const acceptsPassword = (item: ConversionItem) =>
  item.options.value?.some(({ name }) => name === 'password') ?? false

async function createItemJob(
  item: ConversionItem,
  spec: ReturnType<typeof toConversionSpec>,
  signal: AbortSignal,
): Promise<Job> {
  const onProgress = (progress: ConversionProgress) => {
    item.progress.value = progress
  }
  if (item.url !== undefined)
    return createWithProgress(item, () => createJob({ fileUrl: item.url ?? '', ...spec }))
  if (item.parts)
    return (await import('./combined-job.ts')).createCombinedJob(item.parts, {
      options: item.mergeOptions,
      onProgress,
      signal,
    })
  const { sourceJob, importedUploadId = item.completedUploadId.value } = item
  // An upload can be used by one job only; after that, the job stores the source.
  const previousJob = item.job.value
  if (importedUploadId && previousJob)
    return createWithProgress(item, () => createJob({ sourceJobId: previousJob.jobId, ...spec }))
  if (importedUploadId)
    return createWithProgress(item, () => createJob({ uploadId: importedUploadId, ...spec }))
  if (sourceJob) return createWithProgress(item, () => createJob({ sourceJobId: sourceJob.jobId, ...spec }))
  const file = item.file.value
  if (!file) throw new Problem('NO_FILES', words.chooseAgain)
  const unusedUpload = item.unusedUpload
  item.unusedUpload = undefined
  const uploadId =
    unusedUpload ??
    (await uploadFile({
      file,
      multipartUpload: item.multipartUpload,
      onMultipartStart: (startedUpload) => {
        item.multipartUpload = startedUpload
        void saveItemDraft(item)
      },
      onProgress,
      signal,
    }))
  item.multipartUpload = undefined
  try {
    // Creating the job is not aborted when the user cancels, because the reply contains the id of the job to cancel.
    const { value: password } = item.password
    return await createWithProgress(item, () =>
      password && !acceptsPassword(item)
        ? createUnlockedJob(uploadId, spec, password)
        : createJob({ uploadId, ...spec }),
    )
  } catch (error) {
    const isUploadUsed =
      error instanceof Problem && ['CONFLICT', 'UPLOAD_NOT_FOUND', 'UPLOAD_INCOMPLETE'].includes(error.code)
    if (!isUploadUsed) item.unusedUpload = uploadId
    else if (unusedUpload) return createItemJob(item, spec, signal)
    throw error
  }
}

function createWithProgress(item: ConversionItem, create: () => Promise<Job>): Promise<Job> {
  item.progress.value = { stage: 'starting' }
  return create()
}

export async function trackJob(item: ConversionItem, job: Job): Promise<void> {
  item.phase.value = 'running'
  const shouldAnnounceEnd =
    item.file.value !== undefined || item.url !== undefined || item.sourceJob !== undefined
  try {
    const onProgress = (progress: ConversionProgress) => {
      item.progress.value = progress
    }
    const finishedJob = await watchJob(job, onProgress, item.removal.signal)
    item.job.value = finishedJob
    if (finishedJob.status === 'completed' && finishedJob.result) {
      const { filename } = finishedJob.result
      item.phase.value = 'done'
      watchExpiry(item, finishedJob).catch(() => {}) // rejects if the item is removed meanwhile
      if (shouldAnnounceEnd)
        announceEnd(words.converted(item.name, filename, formatFileSize(getResultBytes(finishedJob.result))))
    } else
      endWithoutResult(
        item,
        finishedJob.status === 'cancelled' ? words.cancelled : await toJobProblem(finishedJob),
      )
  } catch (error) {
    if (!item.removal.signal.aborted) endWithoutResult(item, toProblem(error))
  }
}

/** Minimum wait before checking whether a result still exists, because visitors' clocks may be wrong. */
const minPauseS = 60
/** The longest timeout that browsers support, about 24 days. */
const maxPauseS = (2 ** 31 - 1) / 1000

/** Returns the item to its form once the service confirms that the result has expired. */
async function watchExpiry(item: ConversionItem, { jobId, expiresAt }: Job): Promise<void> {
  const { signal } = item.removal
  // The wait doubles, so that a fast clock does not cause a request every minute.
  for (let minS = minPauseS; item.job.value?.jobId === jobId; minS *= 2) {
    const remainingS = (Date.parse(expiresAt) - Date.now()) / 1000
    await pause(Math.min(maxPauseS, Math.max(minS, remainingS)), signal)
    const isExpired = await fetchJobStatus(jobId, signal).then(
      ({ data }) => !data.result,
      (error: unknown) => toProblem(error).code === 'JOB_NOT_FOUND',
    )
    if (isExpired) return endWithoutResult(item, new Problem('FILE_GONE', words.expired))
  }
}

/**
 * Ends a conversion without a result. The item returns to its form if the bytes are available; else the user must
 * choose the file again.
 */
function endWithoutResult(item: ConversionItem, notice: Problem | string): void {
  batch(() => {
    item.notice.value = notice
    item.phase.value = item.hasBytes.value || item.draft ? 'ready' : 'stranded'
  })
  const sentence = typeof notice === 'string' ? notice : notice.message
  announceEnd(words.failed(item.name, sentence))
}

async function toJobProblem({ error, jobId }: Job): Promise<Problem> {
  if (error) return explainError(error)
  return new Problem('FILE_GONE', words.jobExpired(jobId))
}

/** Deletes the failed job that a new job replaces; otherwise it would reappear after a reload. */
function deletePreviousJob(item: ConversionItem): void {
  const previousJob = item.job.value
  if (previousJob) void deleteJob(previousJob.jobId).catch(() => {})
}

/** Retries with the same settings, from the local bytes or the stored source. */
export async function retryItem(item: ConversionItem): Promise<void> {
  const previousJob = item.job.value
  if (item.phase.value === 'ready' || !previousJob) return convertItem(item)
  item.notice.value = undefined
  item.phase.value = 'sending'
  item.progress.value = { stage: 'starting' }
  joinBatch(item)
  try {
    const job = await retryJob(previousJob.jobId)
    deletePreviousJob(item)
    item.job.value = job
    if (item.folder !== undefined) void saveFolder(job.jobId, item.folder)
    notifyOtherTabs()
    await trackJob(item, job)
  } catch (error) {
    endWithoutResult(item, toProblem(error))
  }
}

export async function cancelItem(item: ConversionItem): Promise<void> {
  item.conversion?.abort()
  if (item.multipartUpload && item.phase.value === 'sending') {
    abortUpload(item.multipartUpload.uploadId)
    item.multipartUpload = undefined
  }
  // During the upload there is no job yet, or only an earlier one that failed.
  const job = item.job.value
  if (item.phase.value !== 'running' || !job) return
  await cancelJob(job.jobId).catch((error: unknown) => {
    const problem = toProblem(error)
    // A conflict means that the job is already finished; polling will show it.
    if (problem.code !== 'CONFLICT') announce(problem.message)
  })
}

/** Attaches the file to a draft when the user chooses it again. */
export function attachFile(item: ConversionItem, file: File): void {
  const { name, size } = item
  if (file.name === name && file.size === size) {
    item.notice.value = undefined
    item.file.value = file
    // Resumes an interrupted upload immediately.
    if (item.multipartUpload) void convertItem(item)
  } else item.notice.value = new Problem('OTHER_FILE', words.otherFile)
}
