import { createHash, hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { ImageId, OutputFile, Share } from '../../engines/engine.ts'
import { engineVersion } from '../../engines/version.ts'
import { AppError } from '../../errors.ts'
import { nameFromTemplate, withExtension, withSuffix } from '../../file-name.ts'
import { detectFormat } from '../../formats/detect.ts'
import { type FormatId, formatById } from '../../formats/index.ts'
import type { Log } from '../../log.ts'
import type { Services } from '../../services.ts'
import { Spec } from '../../tasks/operation.ts'
import { jobPrefix, type Piece, type StoredFile, type Task, type Warning } from '../job.ts'
import { convertFiles, type FilesDone, type FilesRun, splitFiles } from './convert-files.ts'
import { fetchInputs, inputsOf } from './fetch-inputs.ts'
import { freeWorkers } from './free-workers.ts'
import { fetchResults } from './parts.ts'

export interface PiecesRun {
  readonly services: Services
  readonly image: ImageId
  readonly task: Task
  /** Secrets opened. */
  readonly pieces: readonly Piece[]
  readonly workDir: string
  readonly signal: AbortSignal
  readonly log: Log
  progress(percent: number, stage: string): void
}

export interface PiecesResult {
  readonly pieces: readonly Piece[]
  readonly warnings: readonly Warning[]
  /** What the record of the task says of how it was done. */
  readonly facts: Pick<Task, 'engine' | 'engineVersion' | 'method' | 'details'>
  /** Keys of all that was stored. */
  readonly made: readonly string[]
  readonly isLast: boolean
}

/** The next step of the only piece is better shared out among workers: nothing was done of it. */
export interface SharedOut {
  readonly shares: readonly Share[]
}

const isDone = ({ steps, step }: Piece) => step >= steps.length

/** Takes each piece as far as this image goes, and stores what comes out. */
export async function runPieces(run: PiecesRun): Promise<PiecesResult | SharedOut> {
  const { image, pieces: given } = run
  const pieces: Piece[] = []
  const warnings: Warning[] = []
  const made: string[] = []
  let facts: PiecesResult['facts'] = {}
  for (const [at, piece] of given.entries()) {
    if (isDone(piece) || piece.steps[piece.step]?.image !== image) {
      pieces.push(piece)
      continue
    }
    const workDir = join(run.workDir, `piece-${at + 1}`)
    await mkdir(workDir)
    const progress = (percent: number, stage: string) =>
      run.progress((at * 100 + percent) / given.length, stage)
    const done = await runPiece({ ...run, workDir, progress }, piece)
    if ('shares' in done) return done
    const files = await store(run, piece, at, done)
    made.push(...files.map(({ key }) => key))
    warnings.push(...done.warnings)
    facts = await factsOf(facts, done)
    pieces.push({ ...piece, step: done.nextStep, files })
  }
  return { pieces, warnings, facts, made, isLast: pieces.every(isDone) }
}

async function runPiece(run: PiecesRun, { steps, step, files }: Piece): Promise<FilesDone | SharedOut> {
  const { services, image, task, workDir, signal, log, progress } = run
  const { engines } = services
  const filesRun = { steps, from: step, image, workDir, signal, log, engines, progress }
  if (task.expandedBy !== undefined) {
    const { results, warnings } = await fetchResults(task, { services, workDir, signal })
    const done = await convertFiles({ ...filesRun, inputs: inputsOf(files, workDir), results })
    return { ...done, warnings: [...warnings, ...done.warnings] }
  }
  const inputs = await fetchInputs(services.files, files, workDir, signal)
  if (task.part !== undefined) return convertFiles({ ...filesRun, inputs, share: task.spec })
  const shares = await sharesOf({ ...filesRun, inputs }, run)
  return shares ? { shares } : convertFiles({ ...filesRun, inputs })
}

/** One of several pieces is not worth it. */
async function sharesOf(filesRun: FilesRun, { pieces, image, services }: PiecesRun) {
  if (pieces.length > 1) return undefined
  return splitFiles(filesRun, () => freeWorkers(image, services))
}

async function factsOf(before: PiecesResult['facts'], { engine, result }: FilesDone) {
  return {
    ...before,
    engine: engine.id,
    engineVersion: await engineVersion(engine),
    ...(result.method && { method: result.method }),
    ...(result.details && { details: { ...before.details, ...result.details } }),
  }
}

async function store(run: PiecesRun, piece: Piece, at: number, done: FilesDone): Promise<StoredFile[]> {
  const { services, task } = run
  const { result, nextStep } = done
  const source = piece.files[0]?.filename ?? 'file'
  const isFinal = nextStep === piece.steps.length
  return Promise.all(
    result.files.map(async (file, index) => {
      const type = await typeOf(file, done.format)
      // Another attempt writes elsewhere, so a late worker never replaces what is a result already. Those of a task
      // that has split are counted anew.
      const attempt = `${task.expandedBy ?? 0}.${task.attempt}`
      const place = [task.part ?? 0, at, nextStep, attempt, index].join('-')
      const key = `${jobPrefix(task.jobId)}${task.number}/${place}.${type.extension}`
      const { size } = await stat(file.path)
      const hashing = sha256Of(file.path, size)
      const [sha256] = await Promise.all([
        hashing,
        services.files.putFile(key, file.path, type.mimeType, hashing),
      ])
      const name = file.filename ?? withExtension(withSuffix(source, file.suffix), type.extension)
      const filename = isFinal && task.part === undefined ? named(name, task, at + index) : name
      return { key, filename, format: type.format, mimeType: type.mimeType, size, sha256 }
    }),
  )
}

/** As the task wants its files named. */
function named(name: string, { spec, jobId, createdAt }: Task, index: number): string {
  const { filename: template } = Spec.parse(spec)
  return template === undefined ? name : nameFromTemplate(template, { name, jobId, index, date: createdAt })
}

interface FileType {
  readonly format: string
  readonly mimeType: string
  readonly extension: string
}

/** A member of an archive is what its bytes say; it may be nothing that we know. */
async function typeOf(file: OutputFile, made: FormatId): Promise<FileType> {
  if (file.filename === undefined || file.format) return known(file.format ?? made)
  const { size } = await stat(file.path)
  const handle = await open(file.path)
  const read = async (start: number, end: number) => {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(end - start), 0, end - start, start)
    return buffer.subarray(0, bytesRead)
  }
  try {
    return known((await detectFormat({ filename: file.filename, size, read })).format)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const extension = /\.([a-z0-9]{1,16})$/i.exec(file.filename)?.[1]?.toLowerCase() ?? 'bin'
    return { format: 'unknown', mimeType: 'application/octet-stream', extension }
  } finally {
    await handle.close()
  }
}

function known(id: FormatId): FileType {
  const { extensions, mimeTypes } = formatById(id)
  return { format: id, mimeType: mimeTypes[0] ?? 'application/octet-stream', extension: extensions[0] ?? id }
}

/** Bytes of a file that is read at once, which is quicker than as a stream. */
const mostAtOnce = 1024 * 1024

/** Lower-case hex. */
export async function sha256Of(path: string, size: number): Promise<string> {
  if (size <= mostAtOnce) return hash('sha256', await readFile(path))
  const sum = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: mostAtOnce }), sum)
  return sum.digest('hex')
}
