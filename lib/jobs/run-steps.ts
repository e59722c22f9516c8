import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Capability, Engine, ImageId, InputFile, OutputFile, Result, Work } from '../engines/engine.ts'
import { createTools } from '../engines/exec.ts'
import { engines } from '../engines/index.ts'
import { engineVersion } from '../engines/version.ts'
import { AppError } from '../errors.ts'
import { withExtension } from '../file-name.ts'
import { type FormatId, formatById, isFormatId } from '../formats/index.ts'
import type { Log } from '../log.ts'
import type { Services } from '../services.ts'
import { type Job, jobPrefix, type Step, type StoredFile, type Task, type Warning } from './job.ts'
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
  const { services, task, signal, workDir } = run
  let inputs = await Promise.all(
    task.files.map(async (source, index): Promise<InputFile> => {
      const format = formatId(source.format)
      const path = join(workDir, `source-${index + 1}.${extensionOf(format)}`)
      await services.files.getFile(source.key, path, signal)
      return { path, name: source.filename, format, size: source.size }
    }),
  )
  const warnings: Warning[] = []
  let at = task.step
  for (;;) {
    const step = task.steps[at]
    if (!step) throw new Error(`the task has no step ${at}`)
    const done = await runStep(run, step, at, inputs, warnings)
    at += 1
    const isLast = at === task.steps.length
    if (isLast || task.steps[at]?.image !== run.image) {
      const files = await store(run, done, formatId(step.to), at)
      const outcome = {
        files,
        warnings,
        ...(await engineOf(done)),
        method: done.result.method,
        details: done.result.details,
      }
      return { outcome, nextStep: at, isLast }
    }
    inputs = [await nextInput(done.result.files[0], inputs[0]?.name ?? '', formatId(step.to))]
  }
}

interface StepDone {
  readonly engine: Engine
  readonly result: Result
}

async function runStep(
  run: StepsRun,
  step: Step,
  at: number,
  inputs: readonly InputFile[],
  warnings: Warning[],
): Promise<StepDone> {
  const { task, workDir, signal, log } = run
  const { engine, capability } = capabilityOf(step)
  const outDir = join(workDir, `step-${at + 1}`)
  await mkdir(outDir)
  const tools = createTools({
    workDir,
    signal,
    limits: engine.limits,
    onProgress: (ratio, stage) =>
      run.progress(((at + Math.min(1, Math.max(0, ratio))) / task.steps.length) * 100, stage ?? 'convert'),
    onWarning: (code, message) => warnings.push({ code, message }),
  })
  const work: Work = {
    operation: step.operation,
    inputs,
    from: formatId(step.from),
    to: formatId(step.to),
    options: capability.options.parse(step.options),
    outDir,
  }
  const started = performance.now()
  const result = await engine.run(work, tools)
  const ms = Math.round(performance.now() - started)
  log.info({ engine: engine.id, from: step.from, to: step.to, ms, method: result.method }, 'step done')
  return { engine, result }
}

/** @throws AppError UNSUPPORTED_CONVERSION for a step that was planned by another version of the service. */
function capabilityOf(step: Step): { engine: Engine; capability: Capability } {
  const engine = engines.find(({ id }) => id === step.engine)
  const capability = engine?.capabilities.find(
    ({ operation, from, to }) =>
      operation === step.operation && from.some((id) => id === step.from) && to.some((id) => id === step.to),
  )
  if (engine && capability) return { engine, capability }
  throw new AppError(
    'UNSUPPORTED_CONVERSION',
    `The engine ${step.engine} no longer converts ${step.from} to ${step.to}. Send the file again.`,
  )
}

const engineOf = async ({ engine }: StepDone) => ({
  engine: engine.id,
  engineVersion: await engineVersion(engine),
})

function formatId(id: string): FormatId {
  if (isFormatId(id)) return id
  throw new AppError('UNSUPPORTED_FORMAT', `The format ${id} is no longer supported.`)
}

const extensionOf = (id: FormatId): string => formatById(id).extensions[0] ?? id

async function nextInput(output: OutputFile, name: string, to: FormatId): Promise<InputFile> {
  const format = output.format ?? to
  const { size } = await stat(output.path)
  return { path: output.path, name: withExtension(name, extensionOf(format)), format, size }
}

async function store(run: StepsRun, { result }: StepDone, to: FormatId, at: number): Promise<StoredFile[]> {
  const { services, job, task } = run
  return Promise.all(
    result.files.map(async (file, index) => {
      const format = formatById(file.format ?? to)
      const extension = format.extensions[0] ?? format.id
      const mimeType = format.mimeTypes[0] ?? 'application/octet-stream'
      // Another attempt writes elsewhere, so a late worker never replaces what is a result already.
      const key = `${jobPrefix(job.id)}${task.name}/${at}-${task.attempt}-${index}.${extension}`
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

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
