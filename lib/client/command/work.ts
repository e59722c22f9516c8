import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rename, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isFailure, MutaborError } from '../failure.ts'
import type { How, Options } from '../request-body.ts'
import type { Result, ResultFile } from '../result.ts'
import { alone } from './alone.ts'
import { fileBlob } from './file-blob.ts'
import { removeFile } from './kept-json.ts'
import { localName } from './local-name.ts'
import type { OpenRecord, Records, Seen } from './records.ts'
import { hashOf, lookAt } from './records.ts'
import type { Session } from './session.ts'

/** One result that is wanted. */
export interface Work {
  /** Absolute paths. */
  readonly sources: readonly Seen[]
  readonly shown: string
  readonly wish:
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

export interface Done {
  readonly work: Work
  readonly outputs: readonly string[]
  readonly bytes: number
  /** It was there already. */
  readonly isOld: boolean
  readonly warnings: readonly string[]
}

export interface Telling {
  /** From 0 to 1. */
  progress(stage: string, share: number): void
}

interface Performing {
  readonly force: boolean
  readonly telling: Telling
  /** Told of another command that is at the same. */
  readonly onWait: (pid: number) => void
}

/** Makes one result, or finds that it is made; goes on where an earlier command has ended, or once another one has. */
export function perform(work: Work, session: Session, records: Records, how: Performing): Promise<Done> {
  const { signal } = session
  const place = work.output ?? work.expected ?? [work.folder, work.sources]
  const waiting = { signal, onWait: how.onWait }
  return alone(records.held(place), waiting, () => performAlone(work, session, records, how))
}

async function performAlone(
  work: Work,
  session: Session,
  records: Records,
  { force, telling }: Performing,
): Promise<Done> {
  const { sources, wish, options, output, folder } = work
  const record = await records.open([session.client.url, wish, options, sources, output ?? folder], sources)
  const old = record.now.output
  if (!force && old && JSON.stringify(await lookAt(old.path)) === JSON.stringify(old))
    return { work, outputs: [old.path], bytes: old.size, isOld: true, warnings: [] }
  if (old) await record.forget()
  await requireFree(work.output ?? work.expected, records, force)
  const result = await madeBefore(record, session, telling)
  const made = result ?? (await make(work, record, session, telling))
  const outputs: Seen[] = []
  for (const file of made.files) {
    const path = output && made.files.length === 1 ? output : join(folder, localName(file.filename))
    await requireFree(path, records, force)
    if (sources[0] && !records.claim(path, sources[0]))
      throw new MutaborError('CONFLICT', `${path} is the result of another file of this command.`)
    outputs.push(await save(made, file, path, session, records))
  }
  const [first] = outputs
  if (first) await record.add({ output: first })
  const bytes = outputs.reduce((sum, { size }) => sum + size, 0)
  const warnings = made.job.warnings.map(({ message }) => message)
  return { work, outputs: outputs.map(({ path }) => path), bytes, isOld: false, warnings }
}

async function requireFree(path: string | undefined, records: Records, force: boolean): Promise<void> {
  if (path === undefined || force || !(await lookAt(path)) || (await records.isOurs(path))) return
  throw new MutaborError('CONFLICT', `${path} is there already, and not from here. --force replaces it.`)
}

/** The result of the job that an earlier command has started, when there is still one. */
async function madeBefore(
  record: OpenRecord,
  { client, signal }: Session,
  telling: Telling,
): Promise<Result | undefined> {
  const { jobId } = record.now
  if (jobId === undefined) return undefined
  try {
    return await client.result(jobId, { signal, onProgress: progressTo(telling) })
  } catch (thrown) {
    if (!isFailure(thrown) || isFailure(thrown, 'UNREACHABLE')) throw thrown
    await record.forget()
    return undefined
  }
}

const progressTo =
  (telling: Telling): NonNullable<How['onProgress']> =>
  ({ stage, percent }) =>
    telling.progress(stage, percent / 100)

async function make(work: Work, record: OpenRecord, session: Session, telling: Telling): Promise<Result> {
  const { wish, options, sources } = work
  const written: Promise<void>[] = []
  const keep = (news: Parameters<OpenRecord['add']>[0]) => {
    written.push(record.add(news))
  }
  await record.add({})
  const how: How = {
    signal: session.signal,
    idempotencyKey: record.now.key,
    filename: sources.length === 1 ? basename(sources[0]?.path ?? '') : undefined,
    resume: record.now.upload,
    onState: (upload) => keep({ upload }),
    onUpload: (uploadId) => {
      if (sources.length === 1) keep({ uploadId })
    },
    onSent: ({ sent, total }) => telling.progress('upload', total ? sent / total : 0),
    onProgress: session.terminal.isWatched ? progressTo(telling) : undefined,
    onJob: ({ jobId }) => keep({ jobId }),
  }
  const { client } = session
  const given = record.now.uploadId
    ? [{ uploadId: record.now.uploadId }]
    : await Promise.all(sources.map(({ path, size }) => fileBlob(path, size)))
  const [first] = given
  if (!first) throw new MutaborError('NO_FILES', 'There is no file to convert.')
  try {
    if (wish.kind === 'convert') return await client.convert(first, wish.to, options, how)
    if (wish.kind === 'tool')
      return await client.tool(first, wish.tool, options, { ...how, more: given.slice(1) })
    const { mergeType, to } = wish
    return await client.merge(given, { ...options, mergeType, ...(to && { targetFormat: to }) }, how)
  } catch (thrown) {
    await Promise.all(written)
    // A new try is a new job, except where nobody knows what became of this one.
    if (isFailure(thrown) && !isFailure(thrown, 'UNREACHABLE', 'RATE_LIMITED')) await record.forget()
    throw thrown
  } finally {
    await Promise.all(written)
  }
}

async function save(
  result: Result,
  file: ResultFile,
  path: string,
  session: Session,
  records: Records,
): Promise<Seen> {
  await mkdir(dirname(path), { recursive: true })
  // Found again, and replaced, by whoever goes on after a kill. Not longer than names may be.
  const draft = join(dirname(path), `.${hashOf(basename(path))}.mutabor-part`)
  await removeFile(draft)
  const hash = createHash('sha256')
  const hashed = new Transform({
    transform: (chunk: Buffer, _, give) => {
      hash.update(chunk)
      give(null, chunk)
    },
  })
  const source = Readable.fromWeb(
    result.stream(file, session.signal) as Parameters<typeof Readable.fromWeb>[0],
  )
  try {
    await pipeline(source, hashed, createWriteStream(draft, { flags: 'wx' }))
    if (hash.digest('hex') !== file.sha256)
      throw new MutaborError('DAMAGED', `${file.filename} did not arrive as it was made.`)
  } catch (thrown) {
    // A full disk is not made fuller.
    await removeFile(draft)
    throw thrown
  }
  const { mtimeMs, size } = await stat(draft)
  const seen = { path, size, mtimeMs }
  // Before it has its name: after a kill in between it would be nobody's.
  await records.written(seen)
  await rename(draft, path)
  return seen
}

/** From stdin to stdout, or to a file: nothing is kept of it. */
export async function throughPipe(
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
