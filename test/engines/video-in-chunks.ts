import assert from 'node:assert/strict'
import { copyFile, mkdir, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type {
  ChunkResult,
  ChunkSpec,
  EngineResult,
  EngineWork,
  Operation,
  Tools,
  WorkerPool,
} from '../../lib/engines/engine.ts'
import { ffmpeg } from '../../lib/engines/ffmpeg.ts'
import { createTools } from '../../lib/engines/sandbox/exec.ts'
import { type FormatId, formatById } from '../../lib/formats/index.ts'
import { scratchFolder } from '../scratch-folder.ts'
import { timesIn } from './frame-times.ts'

/** Takes films through ffmpeg as one and in parts, and looks whether the same comes of both. */

export interface Asked {
  readonly operation?: Operation
  readonly from: FormatId
  readonly to: FormatId
  readonly options?: Readonly<Record<string, unknown>>
}

interface Step {
  readonly work: EngineWork
  readonly tools: Tools
  readonly warnings: string[]
}

/** A step in a folder of its own, as a worker has it. */
async function step(
  files: readonly string[],
  { operation = 'convert', from, to, options = {} }: Asked,
  chunk?: ChunkSpec,
): Promise<Step> {
  const workDir = scratchFolder('film-part')
  const outDir = join(workDir, 'out')
  await mkdir(outDir)
  const inputs = await Promise.all(
    files.map(async (file, index) => {
      const format = formatById(extname(file).slice(1) as FormatId).id as FormatId // All are named so.
      const path = join(workDir, `source-${index + 1}.${format}`)
      await copyFile(file, path)
      return { path, filename: 'film', format, size: (await stat(path)).size }
    }),
  )
  const capability = ffmpeg.capabilities.find(
    (row) => row.operation === operation && row.from.includes(from) && row.to.includes(to),
  )
  const work: EngineWork = {
    ...{ operation, from, to, outDir, options: capability?.options.parse(options), inputs },
    ...(chunk && { chunk }),
  }
  const { signal } = new AbortController()
  const warnings: string[] = []
  const onWarning = (code: string) => warnings.push(code)
  return { work, tools: createTools({ workDir, signal, limits: ffmpeg.limits, onWarning }), warnings }
}

export interface Made {
  readonly path: string
  readonly told: Omit<EngineResult, 'files'>
  /** Codes, each once. */
  readonly warnings: readonly string[]
}

function made({ files: [{ path }], ...told }: EngineResult, warnings: readonly string[]): Made {
  return { path, told, warnings: [...new Set(warnings)] }
}

export async function whole(files: readonly string[], asked: Asked): Promise<Made> {
  const { work, tools, warnings } = await step(files, asked)
  return made(await ffmpeg.run(work, tools), warnings)
}

export async function split(
  files: readonly string[],
  asked: Asked,
  crew: WorkerPool = { workers: 1, timeoutS: 0.3 },
) {
  const { work, tools } = await step(files, asked)
  return ffmpeg.split?.(work, tools, crew)
}

export async function inParts(
  files: readonly string[],
  asked: Asked,
  crew?: WorkerPool,
): Promise<{ result: Made; parts: number }> {
  const portions = (await split(files, asked, crew)) ?? []
  const joining = await step(files, asked)
  const results: ChunkResult[] = []
  for (const portion of portions) {
    // As it comes back from a record.
    const chunk = JSON.parse(JSON.stringify(portion.spec)) as ChunkSpec
    const { work, tools, warnings } = await step(portion.file ? [portion.file.path] : files, asked, chunk)
    const { files: parts, details } = await ffmpeg.run(work, tools)
    joining.warnings.push(...warnings)
    const format = parts[0].format ?? asked.to
    const path = join(joining.tools.workDir, `part-${results.length}.${format}`)
    await copyFile(parts[0].path, path)
    results.push({ spec: chunk, files: [{ path, filename: 'film', format, size: 1 }], details })
  }
  assert.ok(ffmpeg.join)
  const joined = await ffmpeg.join(joining.work, results, joining.tools)
  return { result: made(joined, joining.warnings), parts: portions.length }
}

/** Each picture and each packet of sound at its time, about as many bytes, and the same said of it. */
export async function assertSameFilm(one: Made, many: Made) {
  const [expected, got] = [timesIn(one.path), timesIn(many.path)]
  assert.equal(got.pictures.length, expected.pictures.length)
  assert.equal(got.sounds.length, expected.sounds.length)
  for (const kind of ['pictures', 'sounds'] as const)
    for (const [at, time] of expected[kind].entries())
      assert.ok(
        Math.abs((got[kind][at] ?? 0) - time) <= 0.002,
        `${kind} ${at}: ${got[kind][at]}, not ${time}`,
      )
  const [sizeOne, sizeMany] = [(await stat(one.path)).size, (await stat(many.path)).size]
  assert.ok(Math.abs(sizeMany / sizeOne - 1) < 0.06, `${sizeMany} bytes, in one piece ${sizeOne}`)
  assert.deepEqual({ ...many.told, warnings: many.warnings }, { ...one.told, warnings: one.warnings })
  return { expected, got }
}
