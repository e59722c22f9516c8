import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rename, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isFailure, MutaborError } from '../errors.ts'
import type { Options, RequestOptions } from '../request-body.ts'
import type { Result, ResultFile } from '../result.ts'
import { withFileLock } from './file-lock.ts'
import { removeFile } from './json-files.ts'
import { readLocalFile } from './open-file.ts'
import type { FileSnapshot, ResumeRecords, StoredRecord } from './resume-records.ts'
import { computeShortHash, readSnapshot } from './resume-records.ts'
import { toSafeFileName } from './safe-file-name.ts'
import type { CommandSession } from './session.ts'

/** One conversion, merge or tool run of a command. */
export interface WorkItem {
  /** The files to convert, with absolute paths. */
  readonly sources: readonly FileSnapshot[]
  readonly label: string
  readonly request:
    | { readonly kind: 'convert'; readonly to: string }
    | { readonly kind: 'tool'; readonly tool: string }
    | { readonly kind: 'merge'; readonly to: string | undefined; readonly mergeType: string | undefined }
  readonly options: Options
  /** Absolute path of the result. If undefined, it is saved in `folder` under the name from the service. */
  readonly output: string | undefined
  readonly folder: string
  /** The path that the result will most likely have. */
  readonly expectedPath: string | undefined
}

export interface WorkItemResult {
  readonly item: WorkItem
  readonly outputs: readonly string[]
  readonly totalBytes: number
  /** Whether the output already existed and was current. */
  readonly isUpToDate: boolean
  readonly warnings: readonly string[]
}

interface ProgressReporter {
  /** Reports progress. @param fraction progress of the stage, from 0 to 1 */
  report(stage: string, fraction: number): void
}

interface ItemOptions {
  readonly force: boolean
  readonly progress: ProgressReporter
  /** Called if another process is creating the same result. */
  readonly onWait: (pid: number) => void
}

/**
 * Creates a result unless it is up to date. Resumes the work of an earlier command. If another command is creating the
 * same result, waits for it.
 */
export function runWorkItem(
  item: WorkItem,
  session: CommandSession,
  records: ResumeRecords,
  itemOptions: ItemOptions,
): Promise<WorkItemResult> {
  const { signal } = session
  const lockIdentity = item.output ?? item.expectedPath ?? [item.folder, item.sources]
  const lockOptions = { signal, onWait: itemOptions.onWait }
  return withFileLock(records.getLockPath(lockIdentity), lockOptions, () =>
    runLocked(item, session, records, itemOptions),
  )
}

async function runLocked(
  item: WorkItem,
  session: CommandSession,
  records: ResumeRecords,
  { force, progress }: ItemOptions,
): Promise<WorkItemResult> {
  const { sources, request, options, output, folder } = item
  const record = await records.open(
    [session.client.url, request, options, sources, output ?? folder],
    sources,
  )
  const previousOutput = record.current.output
  if (
    !force &&
    previousOutput &&
    JSON.stringify(await readSnapshot(previousOutput.path)) === JSON.stringify(previousOutput)
  )
    return {
      item,
      outputs: [previousOutput.path],
      totalBytes: previousOutput.size,
      isUpToDate: true,
      warnings: [],
    }
  if (previousOutput) await record.reset()
  await requireWritable(item.output ?? item.expectedPath, records, force)
  const result = await findEarlierResult(record, session, progress)
  const conversionResult = result ?? (await convert(item, record, session, progress))
  const outputs: FileSnapshot[] = []
  for (const file of conversionResult.files) {
    const path =
      output && conversionResult.files.length === 1 ? output : join(folder, toSafeFileName(file.filename))
    await requireWritable(path, records, force)
    if (sources[0] && !records.claimOutput(path, sources[0]))
      throw new MutaborError(
        'CONFLICT',
        `${path} is already the output of another file of this command. Convert the files one at a time, or to different folders.`,
      )
    outputs.push(await save(conversionResult, file, path, session, records))
  }
  const [first] = outputs
  if (first) await record.update({ output: first })
  const totalBytes = outputs.reduce((sum, { size }) => sum + size, 0)
  const warnings = conversionResult.job.warnings.map(({ message }) => message)
  return { item, outputs: outputs.map(({ path }) => path), totalBytes, isUpToDate: false, warnings }
}

async function requireWritable(
  path: string | undefined,
  records: ResumeRecords,
  force: boolean,
): Promise<void> {
  if (path === undefined || force || !(await readSnapshot(path)) || (await records.isOwnOutput(path))) return
  throw new MutaborError(
    'CONFLICT',
    `${path} already exists and was not created by mutabor. Use --force to replace it.`,
  )
}

/** Returns the result of the job that an earlier command started, if it still exists. */
async function findEarlierResult(
  record: StoredRecord,
  { client, signal }: CommandSession,
  progress: ProgressReporter,
): Promise<Result | undefined> {
  const { jobId } = record.current
  if (jobId === undefined) return undefined
  try {
    return await client.result(jobId, { signal, onProgress: toProgressListener(progress) })
  } catch (thrown) {
    if (!isFailure(thrown) || isFailure(thrown, 'UNREACHABLE')) throw thrown
    await record.reset()
    return undefined
  }
}

const toProgressListener =
  (progress: ProgressReporter): NonNullable<RequestOptions['onProgress']> =>
  ({ stage, percent }) =>
    progress.report(stage, percent / 100)

async function convert(
  item: WorkItem,
  record: StoredRecord,
  session: CommandSession,
  progress: ProgressReporter,
): Promise<Result> {
  const { request, options, sources } = item
  const pendingWrites: Promise<void>[] = []
  const update = (changes: Parameters<StoredRecord['update']>[0]) => {
    pendingWrites.push(record.update(changes))
  }
  await record.update({})
  const requestOptions: RequestOptions = {
    signal: session.signal,
    idempotencyKey: record.current.key,
    filename: sources.length === 1 ? basename(sources[0]?.path ?? '') : undefined,
    resume: record.current.upload,
    onState: (upload) => update({ upload }),
    onUpload: (uploadId) => {
      if (sources.length === 1) update({ uploadId })
    },
    onSent: ({ sent, total }) => progress.report('upload', total ? sent / total : 0),
    onProgress: session.terminal.isInteractive ? toProgressListener(progress) : undefined,
    onJob: ({ jobId }) => update({ jobId }),
  }
  const { client } = session
  const sourceFiles = record.current.uploadId
    ? [{ uploadId: record.current.uploadId }]
    : await Promise.all(sources.map(({ path, size }) => readLocalFile(path, size)))
  const [first] = sourceFiles
  if (!first) throw new MutaborError('NO_FILES', 'Expected at least one file to convert, got none.')
  try {
    if (request.kind === 'convert') return await client.convert(first, request.to, options, requestOptions)
    if (request.kind === 'tool')
      return await client.tool(first, request.tool, options, {
        ...requestOptions,
        more: sourceFiles.slice(1),
      })
    const { mergeType, to } = request
    return await client.merge(
      sourceFiles,
      { ...options, mergeType, ...(to && { targetFormat: to }) },
      requestOptions,
    )
  } catch (thrown) {
    await Promise.all(pendingWrites)
    // Resets the record, so that the next attempt creates a new job, unless the current job may still be running.
    if (isFailure(thrown) && !isFailure(thrown, 'UNREACHABLE', 'RATE_LIMITED')) await record.reset()
    throw thrown
  } finally {
    await Promise.all(pendingWrites)
  }
}

async function save(
  result: Result,
  file: ResultFile,
  path: string,
  session: CommandSession,
  records: ResumeRecords,
): Promise<FileSnapshot> {
  await mkdir(dirname(path), { recursive: true })
  // The temporary file always gets the same name, so that after a crash, the next command replaces it. The hash keeps
  // the name short enough.
  const temporaryPath = join(dirname(path), `.${computeShortHash(basename(path))}.mutabor-part`)
  await removeFile(temporaryPath)
  const hash = createHash('sha256')
  const hashStream = new Transform({
    transform: (chunk: Buffer, _, callback) => {
      hash.update(chunk)
      callback(null, chunk)
    },
  })
  // The cast is needed because Node has its own type for web streams.
  const source = Readable.fromWeb(
    result.stream(file, session.signal) as Parameters<typeof Readable.fromWeb>[0],
  )
  try {
    await pipeline(source, hashStream, createWriteStream(temporaryPath, { flags: 'wx' }))
    if (hash.digest('hex') !== file.sha256)
      throw new MutaborError(
        'DAMAGED',
        `The download of ${file.filename} is corrupted: its checksum is wrong. Run the command again.`,
      )
  } catch (thrown) {
    // Frees the space, because the disk may be full.
    await removeFile(temporaryPath)
    throw thrown
  }
  const { mtimeMs, size } = await stat(temporaryPath)
  const snapshot = { path, size, mtimeMs }
  // Recorded before the rename: after a crash in between, the program would otherwise not recognize its own file.
  await records.recordOutput(snapshot)
  await rename(temporaryPath, path)
  return snapshot
}

/** Converts stdin to stdout or to a file, without resume records. */
export async function convertThroughPipe(
  { client, signal }: CommandSession,
  { from, to, options, output }: { from: string; to: string; options: Options; output: string | undefined },
  source: NodeJS.ReadableStream | string = process.stdin,
): Promise<void> {
  const stream = typeof source === 'string' ? createReadStream(source) : source
  const web = Readable.toWeb(stream as Readable) as ReadableStream<Uint8Array> // both kinds of stream carry bytes
  const result = await client.convert(web, to, options, { filename: `stdin.${from}`, signal })
  const [file] = result.files
  if (!file) return
  // The cast is needed because Node has its own type for web streams.
  const bytes = Readable.fromWeb(result.stream(file, signal) as Parameters<typeof Readable.fromWeb>[0])
  await pipeline(bytes, output === undefined ? process.stdout : createWriteStream(output), {
    end: output !== undefined,
  })
}
