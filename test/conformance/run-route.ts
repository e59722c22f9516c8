import { copyFile, mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { runEngine } from '../../lib/decoders/run-engine.ts'
import type { Engine, EngineResult, InputFile } from '../../lib/engines/engine.ts'
import { engines } from '../../lib/engines/index.ts'
import { AppError } from '../../lib/errors.ts'
import { type FormatId, formatById } from '../../lib/formats/index.ts'
import type { Conversion, Edge } from '../../lib/plan/index.ts'
import { defined } from '../../lib/validation/defined.ts'

export interface RouteResult {
  readonly path: string
  readonly format: FormatId
  readonly warnings: readonly string[]
  readonly listed?: EngineResult['memberCounts']
}

interface StepResult extends RouteResult {
  readonly folder: string
}

/** Number of attempts for a step that fails with a retryable error, as with the queue. */
const maxAttempts = 3

/**
 * Runs routes step by step like workers, without the queue. First steps that several conversions share only run once,
 * so that the office suite does not create the same PDF for each of forty image formats.
 */
export class RouteRunner {
  readonly #folder: string
  readonly #signal: AbortSignal
  /** Number of conversions that still need the result of some first steps, by the key of these steps. */
  readonly #remainingUses = new Map<string, number>()
  readonly #stepResults = new Map<string, Promise<StepResult>>()

  constructor(folder: string, pairs: readonly Conversion[], signal: AbortSignal) {
    this.#folder = folder
    this.#signal = signal
    for (const key of pairs.flatMap(listPrefixKeys))
      this.#remainingUses.set(key, (this.#remainingUses.get(key) ?? 0) + 1)
  }

  /** Runs the steps of a conversion. The resulting file exists until `release` is called. */
  async run(pair: Conversion, sample: string): Promise<RouteResult> {
    let stepPromise: Promise<StepResult> | undefined
    for (const [index, step] of pair.route.steps.entries()) {
      const key = listPrefixKeys(pair)[index] ?? ''
      const previousStep = await stepPromise
      // There is no `await` between looking up and storing this promise, so that a step is not started twice.
      stepPromise =
        this.#stepResults.get(key) ??
        this.#runStep(step, previousStep?.path ?? sample, previousStep?.warnings ?? [])
      this.#stepResults.set(key, stepPromise)
      await stepPromise
    }
    if (!stepPromise) throw new Error('a route has at least one step')
    return stepPromise
  }

  async release(pair: Conversion): Promise<void> {
    for (const key of listPrefixKeys(pair)) {
      const usesLeft = (this.#remainingUses.get(key) ?? 1) - 1
      this.#remainingUses.set(key, usesLeft)
      if (usesLeft > 0) continue
      const stepResult = await this.#stepResults.get(key)?.catch(() => undefined)
      this.#stepResults.delete(key)
      if (stepResult) await rm(stepResult.folder, { recursive: true, force: true })
    }
  }

  async #runStep(step: Edge, source: string, warnings: readonly string[], attempt = 1): Promise<StepResult> {
    const engine = getEngine(step)
    const workDir = await mkdtemp(join(this.#folder, 'step-'))
    try {
      const warningCodes: string[] = []
      const { files, memberCounts } = await runOn(engine, step, {
        source,
        workDir,
        signal: this.#signal,
        warningCodes,
      })
      const [{ path, format = step.to }] = files
      return {
        path,
        format,
        warnings: [...warnings, ...warningCodes],
        folder: workDir,
        ...defined({ listed: memberCounts }),
      }
    } catch (error) {
      await rm(workDir, { recursive: true, force: true })
      if (error instanceof AppError || attempt === maxAttempts || this.#signal.aborted) throw error
      return this.#runStep(step, source, warnings, attempt + 1)
    }
  }
}

/** Returns a key for each prefix of the route. */
const listPrefixKeys = ({ from, route }: Conversion): string[] =>
  route.steps.map((_, index) =>
    [from, ...route.steps.slice(0, index + 1).map(({ engine, to }) => `${engine}:${to}`)].join(' '),
  )

function getEngine(step: Edge): Engine {
  const engine = engines.find(({ id }) => id === step.engine)
  if (!engine) throw new Error(`The engine ${step.engine} is not in the list of engines.`)
  return engine
}

interface StepRun {
  readonly source: string
  readonly workDir: string
  readonly signal: AbortSignal
  readonly warningCodes: string[]
}

async function runOn(
  engine: Engine,
  { capability, from, to }: Edge,
  { source, workDir, signal, warningCodes }: StepRun,
): Promise<EngineResult> {
  const path = join(workDir, `source-1.${formatById(from).extensions[0] ?? from}`)
  await copyFile(source, path)
  const outDir = join(workDir, 'step-1')
  await mkdir(outDir)
  const input: InputFile = { path, filename: `sample.${from}`, format: from, size: (await stat(path)).size }
  const toolsOptions = {
    workDir,
    signal,
    limits: engine.limits,
    onWarning: (code: string) => warningCodes.push(code),
  }
  const options = capability.options.parse({})
  const work = { operation: 'convert', inputs: [input], from, to, options, outDir } as const
  return runEngine(engine, { method: 'run', work }, toolsOptions)
}
