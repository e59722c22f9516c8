import { join } from 'node:path'
import { getOwnerLimits } from '../../accounts/plan-limits.ts'
import { detectFormat } from '../../decoders/detect-format.ts'
import { AppError, type ErrorCode } from '../../errors.ts'
import { isPooled } from '../../io/buffer-pool.ts'
import { createGarbageCollector, tapStream } from '../../io/collect-garbage.ts'
import { requireDiskSpace } from '../../io/disk-space.ts'
import {
  type ExportedFile,
  getJobPrefix,
  type JobState,
  type StoredFile,
  type Task,
} from '../../model/job.ts'
import { createNameFromTemplate, sanitizeFileName } from '../../names/file-name.ts'
import { UniqueNames } from '../../names/unique-names.ts'
import { exportDriveOperation } from '../../tasks/export-drive.ts'
import type { TransferOperation } from '../../tasks/index.ts'
import type { ExportOperation } from '../../tasks/operation.ts'
import { fetchRemoteFile } from '../../transfer/fetch-remote.ts'
import { RemoteError } from '../../transfer/remote-error.ts'
import type {
  OutgoingFile,
  RemoteFile,
  RemoteStore,
  TaskFields,
  TransferDeps,
} from '../../transfer/transfer.ts'
import { toStoredFile } from '../../uploads/to-stored-file.ts'
import { TransientError } from '../failure.ts'
import { maxTaskAttempts } from '../job-state-machine.ts'
import { selectResults } from '../select-results.ts'
import { prepareDelivery } from './deliver-files.ts'
import { countAttempts } from './lost-lease.ts'
import type { TaskServices } from './task-services.ts'

export interface TransferRun {
  readonly services: TaskServices
  readonly task: Task
  readonly state: JobState
  readonly operation: TransferOperation
  readonly workDir: string
  readonly signal: AbortSignal
  progress(percent: number): void
  /** Stores the state of an unfinished upload, for the next attempt. */
  saveUploadState(uploadState: string): Promise<void>
}

/** Seconds to wait before the second and the third attempt. */
const retryDelaysS = [5, 30]

/** Runs a transfer and returns the changes of its task. @throws AppError; TransientError if a retry may succeed. */
export async function runTransfer(run: TransferRun): Promise<Partial<Task>> {
  const { operation, task, services, signal } = run
  const code = getTransferErrorCode(operation)
  if (operation.kind === 'import') requireAttemptLeft(task, code)
  const fields = services.vault.unsealAll(task.spec, task.jobId)
  if ('packs' in operation) return { files: [await packIntoZip(run, fields)] }
  if ('unpacks' in operation) return { files: [...(await prepareDelivery(run, requestsZip(fields))).files] }
  const { GCS_ENDPOINT: gcsEndpoint } = services.config
  // Aborted when the transfer ends, which closes connections that are still open.
  const endController = new AbortController()
  const deps = {
    guardedHttp: (await services.guardedHttp()).forOwner(run.state.job.owner),
    gcsEndpoint,
    signal: AbortSignal.any([signal, endController.signal]),
  }
  try {
    if ('openStore' in operation) return { deliveries: await exportFiles(run, operation, fields, deps) }
    if ('find' in operation)
      return await importFiles(run, await (await operation.find())(fields, deps), fields)
    await requireBrowser(services)
    const { workDir, progress } = run
    const capture = await operation.capture()
    const { file, warnings } = await capture(fields, { ...deps, workDir, progress })
    return { ...(await importFiles(run, [file], fields)), warnings: [...task.warnings, ...warnings] }
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error
    const clientError = new AppError(code, error.message, error.details, { cause: error })
    throw error.isTransient
      ? new TransientError(clientError, retryDelaysS[countAttempts(task) - 1] ?? 0)
      : clientError
  } finally {
    endController.abort()
  }
}

/** Returns the error code of a failed transfer. */
export function getTransferErrorCode(operation: TransferOperation): ErrorCode {
  if ('packs' in operation || 'unpacks' in operation) return 'CONVERSION_FAILED'
  return operation.kind === 'import' ? 'IMPORT_FAILED' : 'EXPORT_FAILED'
}

/**
 * Throws after repeated crashes, because each further attempt may crash another process with everything that runs in
 * it.
 */
function requireAttemptLeft(task: Task, code: ErrorCode): void {
  if (countAttempts(task) <= maxTaskAttempts) return
  const sentence = 'The transfer crashed in all three attempts. Try again later, or with smaller files.'
  throw new AppError(code, sentence, { reason: 'incomplete' })
}

async function requireBrowser(services: TaskServices): Promise<void> {
  const engines = await services.engines()
  if (engines.some(({ id }) => id === 'chromium')) return
  throw new AppError('UNSUPPORTED_CONVERSION', 'This service has no browser for capturing websites.')
}

type StoreExport = ExportOperation & { readonly openStore: NonNullable<ExportOperation['openStore']> }

async function importFiles(
  run: TransferRun,
  remoteFiles: readonly RemoteFile[],
  fields: TaskFields,
): Promise<Partial<Task>> {
  const { services, task } = run
  await requireDiskSpace(services.config)
  const total = sumSizes(remoteFiles)
  const upload = task.uploadId === undefined ? undefined : await services.uploads.get(task.uploadId)
  let transferredBytes = 0
  const collectGarbage = createBufferCollector()
  const files: StoredFile[] = []
  try {
    for (const [index, file] of remoteFiles.entries()) {
      const key = upload?.key ?? `${getJobPrefix(task.jobId)}${task.number}/import-${task.attempt}-${index}`
      const onBytes = (chunk: Buffer) => {
        transferredBytes += chunk.length
        collectGarbage(chunk)
        if (total !== undefined) run.progress((transferredBytes / total) * 100)
      }
      files.push(
        await importFile(run, file, { key, path: join(run.workDir, `import-${index}`), fields, onBytes }),
      )
    }
  } catch (error) {
    await services.files.delete(files.map(({ key }) => key))
    throw error
  }
  if (!upload) return { files }
  // The file now belongs to the upload, and remains when this job is deleted.
  const [file] = files
  if (!file) return { files: [] }
  await services.uploads.attachFetchedFile(upload, file)
  return { files: [], brought: file }
}

/** Packs the files of a task into a ZIP. The code is loaded on demand, because few tasks need it. */
async function packIntoZip(run: TransferRun, fields: TaskFields): Promise<StoredFile> {
  const { services, task, signal, workDir } = run
  const { packResultsIntoZip } = await import('./pack-results.ts')
  const key = `${getJobPrefix(task.jobId)}${task.number}/pack-${task.attempt}`
  const progress = (percent: number) => run.progress(percent)
  return packResultsIntoZip(fields, { services, key, path: join(workDir, 'pack'), signal, progress })
}

interface ImportTarget {
  readonly key: string
  readonly path: string
  readonly fields: TaskFields
  readonly onBytes: (chunk: Buffer) => void
}

async function importFile(
  { services, state, signal }: TransferRun,
  file: RemoteFile,
  { key, path, fields, onBytes }: ImportTarget,
): Promise<StoredFile> {
  const { files } = services
  const { maxFileBytes } = await getOwnerLimits(state.job.owner, services)
  // The fields were parsed when the task was created.
  const { max_size = Number.POSITIVE_INFINITY, sha256: expectedSha256 } = fields as {
    max_size?: number
    sha256?: string
  }
  const maxBytes = Math.min(maxFileBytes, max_size)
  const storeOptions = { path, size: file.size, contentType: 'application/octet-stream', signal }
  const store = (body: AsyncIterable<Buffer>) => files.receive(key, body, storeOptions)
  const { size, sha256 } = await fetchRemoteFile(file, { maxBytes, signal, onChunk: onBytes, store })
  try {
    if (expectedSha256 !== undefined && expectedSha256.toLowerCase() !== sha256)
      throw new RemoteError('incomplete', `The file has the SHA-256 ${sha256}, not the expected one.`, {
        isTransient: false,
        sha256,
      })
    const read = (start: number, end: number) => files.read(key, start, end)
    const source = { filename: sanitizeFileName(file.filename), key, size, sha256, read }
    return toStoredFile(source, await detectFormat(source, { mayBeLocked: true }))
  } catch (error) {
    await files.delete([key])
    throw error
  }
}

/** Returns a function that counts received bytes for garbage collection, except those in pooled buffers. */
function createBufferCollector(): (chunk: Buffer) => void {
  const collectGarbage = createGarbageCollector()
  return (chunk) => {
    if (!isPooled(chunk)) collectGarbage(chunk.length)
  }
}

/** Returns the total size in bytes; undefined if a size is unknown. */
function sumSizes(files: readonly { readonly size: number | undefined }[]): number | undefined {
  let total = 0
  for (const { size } of files) {
    if (size === undefined) return undefined
    total += size
  }
  return total
}

async function exportFiles(
  run: TransferRun,
  { openStore, pathFields, sendsResults }: StoreExport,
  fields: TaskFields,
  deps: TransferDeps,
): Promise<ExportedFile[]> {
  const { task, services, signal } = run
  const { files, createdFiles } = sendsResults
    ? { files: await findResults(run, fields), createdFiles: [] }
    : await prepareDelivery(run, requestsZip(fields))
  const paths = createExportPaths(files, fields, pathFields, task)
  const total = files.reduce((sum, { size }) => sum + size, 0)
  const onUploadState = (state: string) => run.saveUploadState(state)
  const store: RemoteStore = await (await openStore())(fields, { ...deps, onStarted: onUploadState })
  const deliveries: ExportedFile[] = []
  let transferredBytes = 0
  const collectGarbage = createBufferCollector()
  const onBytes = (bytes: number) => {
    transferredBytes += bytes
    run.progress((transferredBytes / Math.max(1, total)) * 100)
  }
  try {
    if (task.begun !== undefined) await store.cleanUp?.(task.begun)
    requireAttemptLeft(task, 'EXPORT_FAILED')
    for (const [index, file] of files.entries()) {
      const { size, mimeType, sha256, filename } = file
      const openRange: OutgoingFile['open'] = async (range) =>
        tapStream(await services.files.stream(file, range, signal), collectGarbage)
      const url = await store.put(
        { path: paths[index] ?? filename, size, mimeType, sha256, open: openRange },
        onBytes,
      )
      deliveries.push({ url, filename, size, mimeType, sha256 })
    }
  } finally {
    await store.close()
    if (createdFiles.length > 0) await services.files.delete(createdFiles.map(({ key }) => key))
  }
  return deliveries
}

/** Returns the results of the jobs that the export names. @throws AppError FILE_GONE if one was deleted meanwhile. */
async function findResults({ services }: TransferRun, fields: TaskFields): Promise<StoredFile[]> {
  const { jobIds, ...selection } = exportDriveOperation.fields.parse(fields)
  const files: StoredFile[] = []
  for (const jobId of jobIds) {
    const jobFiles = selectResults(jobId, await services.jobs.store.getState(jobId), selection)
    if (jobFiles.length === 0) {
      const sentence = `The files of the job ${jobId} were deleted before they could be saved. Save the results of the other jobs without this one.`
      throw new AppError('FILE_GONE', sentence, { jobId })
    }
    files.push(...jobFiles)
  }
  return files
}

/** Whether to pack several files into a ZIP; undefined if the request does not say so. */
const requestsZip = ({ archive_multiple_files: value }: TaskFields) => value as boolean | undefined // by its schema

/** Returns the target path of each file: from the template, or its own name below the prefix. */
export function createExportPaths(
  files: readonly Pick<StoredFile, 'filename'>[],
  fields: TaskFields,
  pathFields: ExportOperation['pathFields'],
  { jobId, createdAt }: Pick<Task, 'jobId' | 'createdAt'>,
): string[] {
  const template = pathFields && fields[pathFields.path]
  const prefixTemplate = String((pathFields && fields[pathFields.prefix]) ?? '')
  const prefix = pathFields?.isFolder && /[^/]$/.test(prefixTemplate) ? `${prefixTemplate}/` : prefixTemplate
  const paths = new UniqueNames()
  return files.map(({ filename }, index) => {
    const templateValues = { name: filename, jobId, index, date: createdAt }
    const path =
      typeof template === 'string'
        ? template
            .split('/')
            .map((segment, at, all) =>
              segment.includes('{') ? fillTemplate(segment, at === all.length - 1, templateValues) : segment,
            )
            .join('/')
        : `${prefix}${filename}`
    return paths.createUniqueName(path)
  })
}

/** Fills in a template. In names of folders, `{name}` has no extension. */
const fillTemplate = (
  templatePart: string,
  isLast: boolean,
  parts: Parameters<typeof createNameFromTemplate>[1],
) =>
  isLast
    ? createNameFromTemplate(templatePart, parts)
    : createNameFromTemplate(templatePart, { ...parts, name: parts.name.replace(/\.[^.]*$/, '') })
