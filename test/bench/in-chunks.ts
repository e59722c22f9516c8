import { copyFile, mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type {
  ChunkResult,
  ChunkSpec,
  Engine,
  EngineResult,
  EngineWork,
  InputFile,
  Tools,
  WorkerPool,
} from '../../lib/engines/engine.ts'
import { computeEffectiveLimits } from '../../lib/engines/host-limits.ts'
import { createTools } from '../../lib/engines/sandbox/exec.ts'
import { type FormatId, formatByExtension } from '../../lib/formats/index.ts'
import type { Operation } from '../../lib/model/operations.ts'
import { defined } from '../../lib/validation/defined.ts'
import type { ChunkTimes, TimeSpent } from './chunk-model.ts'
import { readCpuMsOfBench } from './process-tree.ts'

/** A conversion that its engine can split into chunks. */
export interface ChunkedConversion {
  readonly engine: Engine
  /** The operation; `convert` by default. */
  readonly operation?: Operation
  readonly path: string
  readonly to: FormatId
  readonly options: Readonly<Record<string, unknown>>
  /** The worker pool for which the conversion is split. */
  readonly pool: WorkerPool
}

export interface ChunkedResult extends ChunkTimes {
  /** Size of the result. */
  readonly bytes: { readonly whole: number; readonly parts: number }
}

/** Runs a conversion as a whole and in chunks, one after another, each in a separate folder like a worker. */
export async function measureInChunks(conversion: ChunkedConversion, folder: string): Promise<ChunkedResult> {
  const { engine } = conversion
  const source = await createInput(conversion.path)
  const wholeStep = await createStep(conversion, [source], folder)
  const wholeTime = await measure(() => engine.run(wholeStep.work, wholeStep.tools))
  const splitStep = await createStep(conversion, [source], folder)
  const splitTime = await measure(async () =>
    engine.split?.(splitStep.work, splitStep.tools, conversion.pool),
  )
  if (!splitTime.result || !engine.join)
    throw new Error(`${basename(conversion.path)} was not split into chunks`)
  const chunkTimes: TimeSpent[] = []
  const results: ChunkResult[] = []
  for (const { spec, file } of splitTime.result) {
    const inputs = [file?.format ? await createInput(file.path, file.format) : source]
    const { work, tools } = await createStep(conversion, inputs, folder, spec)
    const runTime = await measure(() => engine.run(work, tools))
    chunkTimes.push(runTime.spent)
    const files = runTime.result.files.map(({ path, format = conversion.to }) => createInput(path, format))
    results.push({ spec, files: await Promise.all(files), details: runTime.result.details })
  }
  const joinStep = await createStep(conversion, [source], folder, undefined, results)
  const joinTime = await measure(async () => engine.join?.(joinStep.work, joinStep.results, joinStep.tools))
  const bytes = {
    whole: await getResultSize(wholeTime.result),
    parts: joinTime.result ? await getResultSize(joinTime.result) : 0,
  }
  await rm(folder, { recursive: true })
  return { whole: wholeTime.spent, cut: splitTime.spent, chunkTimes, join: joinTime.spent, bytes }
}

const getResultSize = async ({ files }: EngineResult) => (await stat(files[0].path)).size

async function createInput(path: string, format = formatByExtension(path)?.id): Promise<InputFile> {
  if (!format) throw new Error(`${path} has no known extension`)
  return { path, filename: basename(path), format: format as FormatId, size: (await stat(path)).size }
}

async function createStep(
  { engine, operation = 'convert', path, to, options }: ChunkedConversion,
  sources: readonly InputFile[],
  folder: string,
  spec?: ChunkSpec,
  results: readonly ChunkResult[] = [],
): Promise<{ work: EngineWork; tools: Tools; results: readonly ChunkResult[] }> {
  const workDir = await mkdtemp(join(folder, 'run-'))
  const outDir = join(workDir, 'out')
  await mkdir(outDir)
  // An engine only reads files in its folder.
  const stageFile = async (file: InputFile, name: string) => {
    const stagedPath = join(workDir, `${name}.${file.format}`)
    await copyFile(file.path, stagedPath)
    return { ...file, path: stagedPath }
  }
  const inputs = await Promise.all(sources.map((file, at) => stageFile(file, `source-${at + 1}`)))
  const from = (await createInput(path)).format
  const row = engine.capabilities.find(
    (capability) =>
      capability.operation === operation && capability.from.includes(from) && capability.to.includes(to),
  )
  const work: EngineWork = {
    operation,
    inputs,
    from,
    to,
    outDir,
    options: row?.options.parse(options),
    ...defined({ chunk: spec }),
  }
  const { signal } = new AbortController()
  return {
    work,
    tools: createTools({ workDir, signal, limits: computeEffectiveLimits(engine.limits) }),
    results: await Promise.all(
      results.map(async (result, at) => ({
        ...result,
        files: await Promise.all(result.files.map((file, index) => stageFile(file, `part-${at}-${index}`))),
      })),
    ),
  }
}

async function measure<T>(action: () => Promise<T>): Promise<{ result: T; spent: TimeSpent }> {
  const [wall, cpu] = [performance.now(), readCpuMsOfBench()]
  const result = await action()
  return { result, spent: { wall: performance.now() - wall, cpu: readCpuMsOfBench() - cpu } }
}
