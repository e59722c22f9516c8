import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rename, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isFailure, MutaborError } from '../errors.ts'
import type { How, Options } from '../request-body.ts'
import type { Result, ResultFile } from '../result.ts'
import { withFileLock } from './file-lock.ts'
import { removeFile } from './json-files.ts'
import { openFile } from './open-file.ts'
import type { FileSnapshot, ResumeRecords, StoredRecord } from './resume-records.ts'
import { shortHash, snapshotOf } from './resume-records.ts'
import { safeFileName } from './safe-file-name.ts'
import type { Session } from './session.ts'

/** One result that is wanted. */
export interface WorkItem {
  /** Absolute paths. */
  readonly sources: readonly FileSnapshot[]
  readonly label: string
  readonly request:
    | { readonly kind: 'convert'; readonly to: string }
    | { readonly kind: 'tool'; readonly tool: string }
    | { readonly kind: 'merge'; readonly to: string | undefined; readonly mergeType: string | undefined }
  readonly options: Options
  /** Absolute; the name of the result is that of the service in `folder` when none is given. */
  readonly output: string | undefined
  readonly folder: string
  /** What the result will most likely be. */
  readonly expected: string | undefined
}

export interface ItemResult {
  readonly item: WorkItem
  readonly outputs: readonly string[]
  readonly totalBytes: number
  /** It was there already. */
  readonly isUpToDate: boolean
  readonly warnings: readonly string[]
}

export interface ProgressReporter {
  /** From 0 to 1. */
  report(stage: string, fraction: number): void
}

interface ItemOptions {
  readonly force: boolean
  readonly progress: ProgressReporter
  /** Told of another command that is at the same. */
  readonly onWait: (pid: number) => void
}

/** Makes one result, or finds that it is made; goes on where an earlier command has ended, or once another one has. */
export function runWorkItem(
  item: WorkItem,
  session: Session,
  records: ResumeRecords,
  itemOptions: ItemOptions,
): Promise<ItemResult> {
  const { signal } = session
  const lockIdentity = item.output ?? item.expected ?? [item.folder, item.sources]
  const lockOptions = { signal, onWait: itemOptions.onWait }
  return withFileLock(records.lockPath(lockIdentity), lockOptions, () =>
    runLocked(item, session, records, itemOptions),
  )
}

async function runLocked(
  item: WorkItem,
  session: Session,
  records: ResumeRecords,
  { force, progress }: ItemOptions,
): Promise<ItemResult> {
  const { sources, request, options, output, folder } = item
  const record = await records.open(
    [session.client.url, request, options, sources, output ?? folder],
    sources,
  )
  const previous = record.current.output
  if (!force && previous && JSON.stringify(await snapshotOf(previous.path)) === JSON.stringify(previous))
    return { item, outputs: [previous.path], totalBytes: previous.size, isUpToDate: true, warnings: [] }
  if (previous) await record.reset()
  await requireWritable(item.output ?? item.expected, records, force)
  const result = await findEarlierResult(record, session, progress)
  const converted = result ?? (await convert(item, record, session, progress))
  const outputs: FileSnapshot[] = []
  for (const file of converted.files) {
    const path = output && converted.files.length === 1 ? output : join(folder, safeFileName(file.filename))
    await requireWritable(path, records, force)
    if (sources[0] && !records.claimOutput(path, sources[0]))
      throw new MutaborError('CONFLICT', `${path} is the result of another file of this command.`)
    outputs.push(await save(converted, file, path, session, records))
  }
  const [first] = outputs
  if (first) await record.update({ output: first })
  const totalBytes = outputs.reduce((sum, { size }) => sum + size, 0)
  const warnings = converted.job.warnings.map(({ message }) => message)
  return { item, outputs: outputs.map(({ path }) => path), totalBytes, isUpToDate: false, warnings }
}

async function requireWritable(
  path: string | undefined,
  records: ResumeRecords,
  force: boolean,
): Promise<void> {
  if (path === undefined || force || !(await snapshotOf(path)) || (await records.isOwnOutput(path))) return
  throw new MutaborError('CONFLICT', `${path} is there already, and not from here. --force replaces it.`)
}

/** The result of the job that an earlier command has started, when there is still one. */
async function findEarlierResult(
  record: StoredRecord,
  { client, signal }: Session,
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
  (progress: ProgressReporter): NonNullable<How['onProgress']> =>
  ({ stage, percent }) =>
    progress.report(stage, percent / 100)

async function convert(
  item: WorkItem,
  record: StoredRecord,
  session: Session,
  progress: ProgressReporter,
): Promise<Result> {
  const { request, options, sources } = item
  const writes: Promise<void>[] = []
  const update = (changes: Parameters<StoredRecord['update']>[0]) => {
    writes.push(record.update(changes))
  }
  await record.update({})
  const requestOptions: How = {
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
    : await Promise.all(sources.map(({ path, size }) => openFile(path, size)))
  const [first] = sourceFiles
  if (!first) throw new MutaborError('NO_FILES', 'There is no file to convert.')
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
    await Promise.all(writes)
    // A new try is a new job, except where nobody knows what became of this one.
    if (isFailure(thrown) && !isFailure(thrown, 'UNREACHABLE', 'RATE_LIMITED')) await record.reset()
    throw thrown
  } finally {
    await Promise.all(writes)
  }
}

async function save(
  result: Result,
  file: ResultFile,
  path: string,
  session: Session,
  records: ResumeRecords,
): Promise<FileSnapshot> {
  await mkdir(dirname(path), { recursive: true })
  // Found again, and replaced, by whoever goes on after a kill. Not longer than names may be.
  const temporary = join(dirname(path), `.${shortHash(basename(path))}.mutabor-part`)
  await removeFile(temporary)
  const hash = createHash('sha256')
  const hashStream = new Transform({
    transform: (chunk: Buffer, _, callback) => {
      hash.update(chunk)
      callback(null, chunk)
    },
  })
  const source = Readable.fromWeb(
    result.stream(file, session.signal) as Parameters<typeof Readable.fromWeb>[0],
  )
  try {
    await pipeline(source, hashStream, createWriteStream(temporary, { flags: 'wx' }))
    if (hash.digest('hex') !== file.sha256)
      throw new MutaborError('DAMAGED', `${file.filename} did not arrive as it was made.`)
  } catch (thrown) {
    // A full disk is not made fuller.
    await removeFile(temporary)
    throw thrown
  }
  const { mtimeMs, size } = await stat(temporary)
  const snapshot = { path, size, mtimeMs }
  // Before it has its name: after a kill in between it would be nobody's.
  await records.recordOutput(snapshot)
  await rename(temporary, path)
  return snapshot
}

/** From stdin to stdout, or to a file: nothing is kept of it. */
export async function convertThroughPipe(
  { client, signal }: Session,
  { from, to, options, output }: { from: string; to: string; options: Options; output: string | undefined },
  source: NodeJS.ReadableStream | string = process.stdin,
): Promise<void> {
  const stream = typeof source === 'string' ? createReadStream(source) : source
  const web = Readable.toWeb(stream as Readable) as ReadableStream<Uint8Array>
  const result = await client.convert(web, to, options, { filename: `stdin.${from}`, signal })
  const [file] = result.files
  if (!file) return
  const bytes = Readable.fromWeb(result.stream(file, signal) as Parameters<typeof Readable.fromWeb>[0])
  await pipeline(bytes, output === undefined ? process.stdout : createWriteStream(output), {
    end: output !== undefined,
  })
}
