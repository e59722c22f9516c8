import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Files } from '../../aws/files.ts'
import type { ImageId, InputFile, OutputFile } from '../../engines/engine.ts'
import { engineVersion } from '../../engines/version.ts'
import { AppError } from '../../errors.ts'
import { nameFromTemplate, withExtension, withSuffix } from '../../file-name.ts'
import { detectFormat } from '../../formats/detect.ts'
import { type FormatId, formatById } from '../../formats/index.ts'
import type { Log } from '../../log.ts'
import type { Services } from '../../services.ts'
import { Spec } from '../../tasks/operation.ts'
import { jobPrefix, type Piece, type StoredFile, type Task, type Warning } from '../job.ts'
import { convertFiles, extensionOf, type FilesDone, formatId } from './convert-files.ts'

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

const isDone = ({ steps, step }: Piece) => step >= steps.length

/** Takes each piece as far as this image goes, and stores what comes out. */
export async function runPieces(run: PiecesRun): Promise<PiecesResult> {
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
    const files = await store(run, piece, at, done)
    made.push(...files.map(({ key }) => key))
    warnings.push(...done.warnings)
    facts = await factsOf(facts, done)
    pieces.push({ ...piece, step: done.nextStep, files })
  }
  return { pieces, warnings, facts, made, isLast: pieces.every(isDone) }
}

async function runPiece(run: PiecesRun, { steps, step, files }: Piece): Promise<FilesDone> {
  const { services, image, workDir, signal, log, progress } = run
  const inputs = await fetchInputs(services.files, files, workDir, signal)
  const { engines } = services
  return convertFiles({ steps, from: step, image, inputs, workDir, signal, log, engines, progress })
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

export function fetchInputs(
  files: Files,
  sources: readonly StoredFile[],
  workDir: string,
  signal: AbortSignal,
): Promise<InputFile[]> {
  return Promise.all(
    sources.map(async (source, index) => {
      const format = formatId(source.format)
      const path = join(workDir, `source-${index + 1}.${extensionOf(format)}`)
      await files.getFile(source, path, signal)
      return { path, filename: source.filename, format, size: source.size }
    }),
  )
}

async function store(run: PiecesRun, piece: Piece, at: number, done: FilesDone): Promise<StoredFile[]> {
  const { services, task } = run
  const { result, nextStep } = done
  const source = piece.files[0]?.filename ?? 'file'
  const isFinal = nextStep === piece.steps.length
  return Promise.all(
    result.files.map(async (file, index) => {
      const type = await typeOf(file, done.format)
      // Another attempt writes elsewhere, so a late worker never replaces what is a result already.
      const place = [task.part ?? 0, at, nextStep, task.attempt, index].join('-')
      const key = `${jobPrefix(task.jobId)}${task.number}/${place}.${type.extension}`
      const [sha256, { size }] = await Promise.all([
        sha256Of(file.path),
        stat(file.path),
        services.files.putFile(key, file.path, type.mimeType),
      ])
      const name = file.filename ?? withExtension(withSuffix(source, file.suffix), type.extension)
      const filename = isFinal ? named(name, task, at + index) : name
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

/** Lower-case hex. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
