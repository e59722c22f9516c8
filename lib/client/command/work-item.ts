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
import type { FileSnapshot, OpenRecord, WorkRecords } from './resume-records.ts'
import { shortHash, snapshotOf } from './resume-records.ts'
import { safeLocalName } from './safe-file-name.ts'
import type { Session } from './session.ts'

/** One result that is wanted. */
export interface Work {
  /** Absolute paths. */
  readonly sources: readonly FileSnapshot[]
  readonly shown: string
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

export interface WorkResult {
  readonly work: Work
  readonly outputs: readonly string[]
  readonly bytes: number
  /** It was there already. */
  readonly isUpToDate: boolean
  readonly warnings: readonly string[]
}

export interface ProgressReporter {
  /** From 0 to 1. */
  progress(stage: string, share: number): void
}

interface PerformOptions {
  readonly force: boolean
  readonly progress: ProgressReporter
  /** Told of another command that is at the same. */
  readonly onWait: (pid: number) => void
}

/** Makes one result, or finds that it is made; goes on where an earlier command has ended, or once another one has. */
export function performWork(
  work: Work,
  session: Session,
  records: WorkRecords,
  performOptions: PerformOptions,
): Promise<WorkResult> {
  const { signal } = session
  const place = work.output ?? work.expected ?? [work.folder, work.sources]
  const waiting = { signal, onWait: performOptions.onWait }
  return withFileLock(records.lockPath(place), waiting, () =>
    performLocked(work, session, records, performOptions),
  )
}

async function performLocked(
  work: Work,
  session: Session,
  records: WorkRecords,
  { force, progress: telling }: PerformOptions,
): Promise<WorkResult> {
  const { sources, request: wish, options, output, folder } = work
  const record = await records.open([session.client.url, wish, options, sources, output ?? folder], sources)
  const previous = record.record.output
  if (!force && previous && JSON.stringify(await snapshotOf(previous.path)) === JSON.stringify(previous))
    return { work, outputs: [previous.path], bytes: previous.size, isUpToDate: true, warnings: [] }
  if (previous) await record.reset()
  await requireWritable(work.output ?? work.expected, records, force)
  const result = await findEarlierResult(record, session, telling)
  const converted = result ?? (await convert(work, record, session, telling))
  const outputs: FileSnapshot[] = []
  for (const file of converted.files) {
    const path = output && converted.files.length === 1 ? output : join(folder, safeLocalName(file.filename))
    await requireWritable(path, records, force)
    if (sources[0] && !records.claim(path, sources[0]))
      throw new MutaborError('CONFLICT', `${path} is the result of another file of this command.`)
    outputs.push(await save(converted, file, path, session, records))
  }
  const [first] = outputs
  if (first) await record.update({ output: first })
  const bytes = outputs.reduce((sum, { size }) => sum + size, 0)
  const warnings = converted.job.warnings.map(({ message }) => message)
  return { work, outputs: outputs.map(({ path }) => path), bytes, isUpToDate: false, warnings }
}

async function requireWritable(
  path: string | undefined,
  records: WorkRecords,
  force: boolean,
): Promise<void> {
  if (path === undefined || force || !(await snapshotOf(path)) || (await records.isOwnOutput(path))) return
  throw new MutaborError('CONFLICT', `${path} is there already, and not from here. --force replaces it.`)
}

/** The result of the job that an earlier command has started, when there is still one. */
async function findEarlierResult(
  record: OpenRecord,
  { client, signal }: Session,
  progress: ProgressReporter,
): Promise<Result | undefined> {
  const { jobId } = record.record
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
    progress.progress(stage, percent / 100)

async function convert(
  work: Work,
  record: OpenRecord,
  session: Session,
  progress: ProgressReporter,
): Promise<Result> {
  const { request: wish, options, sources } = work
  const writes: Promise<void>[] = []
  const update = (changes: Parameters<OpenRecord['update']>[0]) => {
    writes.push(record.update(changes))
  }
  await record.update({})
  const performOptions: How = {
    signal: session.signal,
    idempotencyKey: record.record.key,
    filename: sources.length === 1 ? basename(sources[0]?.path ?? '') : undefined,
    resume: record.record.upload,
    onState: (upload) => update({ upload }),
    onUpload: (uploadId) => {
      if (sources.length === 1) update({ uploadId })
    },
    onSent: ({ sent, total }) => progress.progress('upload', total ? sent / total : 0),
    onProgress: session.terminal.isInteractive ? toProgressListener(progress) : undefined,
    onJob: ({ jobId }) => update({ jobId }),
  }
  const { client } = session
  const sourceFiles = record.record.uploadId
    ? [{ uploadId: record.record.uploadId }]
    : await Promise.all(sources.map(({ path, size }) => openFile(path, size)))
  const [first] = sourceFiles
  if (!first) throw new MutaborError('NO_FILES', 'There is no file to convert.')
  try {
    if (wish.kind === 'convert') return await client.convert(first, wish.to, options, performOptions)
    if (wish.kind === 'tool')
      return await client.tool(first, wish.tool, options, { ...performOptions, more: sourceFiles.slice(1) })
    const { mergeType, to } = wish
    return await client.merge(
      sourceFiles,
      { ...options, mergeType, ...(to && { targetFormat: to }) },
      performOptions,
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
  records: WorkRecords,
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
  await records.addOutput(snapshot)
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
