import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Files } from '../aws/files.ts'
import type { ImageId, InputFile } from '../engines/engine.ts'
import { engineVersion } from '../engines/version.ts'
import { withExtension } from '../file-name.ts'
import { formatById } from '../formats/index.ts'
import type { Log } from '../log.ts'
import type { Services } from '../services.ts'
import { convertFiles, extensionOf, type FilesDone, formatId } from './convert-files.ts'
import { type Job, jobPrefix, type StoredFile, type Task } from './job.ts'
import type { StepOutcome } from './machine.ts'

export interface StepsRun {
  readonly services: Services
  readonly image: ImageId
  readonly job: Job
  readonly task: Task
  readonly workDir: string
  readonly signal: AbortSignal
  readonly log: Log
  progress(percent: number, stage: string): void
}

export interface StepsResult {
  readonly outcome: StepOutcome
  readonly nextStep: number
  readonly isLast: boolean
}

/** Fetches the input, runs step after step as long as they belong to this image, stores the result. */
export async function runSteps(run: StepsRun): Promise<StepsResult> {
  const { services, image, task, workDir, signal, log } = run
  const { steps, step: from } = task
  const inputs = await fetchInputs(services.files, task.files, workDir, signal)
  const { progress } = run
  const done = await convertFiles({ steps, from, image, inputs, workDir, signal, log, progress })
  const { engine, result, warnings, nextStep } = done
  const outcome: StepOutcome = {
    files: await store(run, done),
    warnings,
    engine: engine.id,
    engineVersion: await engineVersion(engine),
    method: result.method,
    details: result.details,
  }
  return { outcome, nextStep, isLast: nextStep === steps.length }
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
      await files.getFile(source.key, path, signal)
      return { path, filename: source.filename, format, size: source.size }
    }),
  )
}

async function store(
  { services, job, task }: StepsRun,
  { result, format: to, nextStep }: FilesDone,
): Promise<StoredFile[]> {
  return Promise.all(
    result.files.map(async (file, index) => {
      const format = formatById(file.format ?? to)
      const extension = format.extensions[0] ?? format.id
      const mimeType = format.mimeTypes[0] ?? 'application/octet-stream'
      // Another attempt writes elsewhere, so a late worker never replaces what is a result already.
      const key = `${jobPrefix(job.id)}${task.name}/${nextStep}-${task.attempt}-${index}.${extension}`
      const [sha256, { size }] = await Promise.all([
        sha256Of(file.path),
        stat(file.path),
        services.files.putFile(key, file.path, mimeType),
      ])
      const filename = withExtension(withSuffix(job.source.filename, file.suffix), extension)
      return { key, filename, format: format.id, mimeType, size, sha256 }
    }),
  )
}

function withSuffix(name: string, suffix: string | undefined): string {
  if (!suffix) return name
  const dot = name.lastIndexOf('.')
  return dot > 0 ? `${name.slice(0, dot)}${suffix}${name.slice(dot)}` : `${name}${suffix}`
}

/** Lower-case hex. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
