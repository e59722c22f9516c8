import assert from 'node:assert/strict'
import { copyFile, mkdir, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type {
  ChunkResult,
  ChunkSpec,
  EngineResult,
  EngineWork,
  Tools,
  WorkerPool,
} from '../../../lib/engines/engine.ts'
import { ffmpeg } from '../../../lib/engines/ffmpeg.ts'
import { createTools } from '../../../lib/engines/sandbox/exec.ts'
import { type FormatId, formatById } from '../../../lib/formats/index.ts'
import type { Operation } from '../../../lib/model/operations.ts'
import { defined } from '../../../lib/validation/defined.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { readPacketTimes } from './frame-times.ts'

/** Converts videos with ffmpeg as a whole and in chunks, and compares the results. */

export interface VideoRequest {
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

/** Prepares a step in its own folder, as a worker does. */
async function prepareStep(
  files: readonly string[],
  { operation = 'convert', from, to, options = {} }: VideoRequest,
  chunk?: ChunkSpec,
): Promise<Step> {
  const workDir = scratchFolder('video-chunk')
  const outDir = join(workDir, 'out')
  await mkdir(outDir)
  const inputs = await Promise.all(
    files.map(async (file, index) => {
      const format = formatById(extname(file).slice(1) as FormatId).id as FormatId // The extensions of all files are format ids.
      const path = join(workDir, `source-${index + 1}.${format}`)
      await copyFile(file, path)
      return { path, filename: 'video', format, size: (await stat(path)).size }
    }),
  )
  const capability = ffmpeg.capabilities.find(
    (row) => row.operation === operation && row.from.includes(from) && row.to.includes(to),
  )
  const work: EngineWork = {
    operation,
    from,
    to,
    outDir,
    options: capability?.options.parse(options),
    inputs,
    ...defined({ chunk }),
  }
  const { signal } = new AbortController()
  const warnings: string[] = []
  const onWarning = (code: string) => warnings.push(code)
  return { work, tools: createTools({ workDir, signal, limits: ffmpeg.limits, onWarning }), warnings }
}

export interface ConvertedVideo {
  readonly path: string
  readonly result: Omit<EngineResult, 'files'>
  /** Distinct warning codes. */
  readonly warnings: readonly string[]
}

function summarize(
  { files: [{ path }], ...result }: EngineResult,
  warnings: readonly string[],
): ConvertedVideo {
  return { path, result, warnings: [...new Set(warnings)] }
}

export async function convertWhole(files: readonly string[], request: VideoRequest): Promise<ConvertedVideo> {
  const { work, tools, warnings } = await prepareStep(files, request)
  return summarize(await ffmpeg.run(work, tools), warnings)
}

export async function splitTestVideo(
  files: readonly string[],
  request: VideoRequest,
  pool: WorkerPool = { workers: 1, timeoutS: 0.3 },
) {
  const { work, tools } = await prepareStep(files, request)
  return ffmpeg.split?.(work, tools, pool)
}

export async function convertInChunks(
  files: readonly string[],
  request: VideoRequest,
  pool?: WorkerPool,
): Promise<{ result: ConvertedVideo; chunkCount: number }> {
  const chunks = (await splitTestVideo(files, request, pool)) ?? []
  const joining = await prepareStep(files, request)
  const results: ChunkResult[] = []
  for (const chunk of chunks) {
    // Imitates a spec that was read back from a stored record.
    const spec = JSON.parse(JSON.stringify(chunk.spec)) as ChunkSpec
    const { work, tools, warnings } = await prepareStep(chunk.file ? [chunk.file.path] : files, request, spec)
    const { files: outputs, details } = await ffmpeg.run(work, tools)
    joining.warnings.push(...warnings)
    const format = outputs[0].format ?? request.to
    const path = join(joining.tools.workDir, `chunk-${results.length}.${format}`)
    await copyFile(outputs[0].path, path)
    results.push({ spec, files: [{ path, filename: 'video', format, size: 1 }], details })
  }
  assert.ok(ffmpeg.join)
  const joinedResult = await ffmpeg.join(joining.work, results, joining.tools)
  return { result: summarize(joinedResult, joining.warnings), chunkCount: chunks.length }
}

/** Fails unless all video frames and audio packets have the same times, and sizes, details and warnings match. */
export async function assertSameVideo(wholeVideo: ConvertedVideo, chunkedVideo: ConvertedVideo) {
  const [expectedPackets, actualPackets] = [
    readPacketTimes(wholeVideo.path),
    readPacketTimes(chunkedVideo.path),
  ]
  assert.equal(actualPackets.video.length, expectedPackets.video.length)
  assert.equal(actualPackets.audio.length, expectedPackets.audio.length)
  for (const kind of ['video', 'audio'] as const)
    for (const [at, time] of expectedPackets[kind].entries())
      assert.ok(
        Math.abs((actualPackets[kind][at] ?? 0) - time) <= 0.002,
        `${kind} ${at}: ${actualPackets[kind][at]}, not ${time}`,
      )
  const [wholeSize, chunkedSize] = [(await stat(wholeVideo.path)).size, (await stat(chunkedVideo.path)).size]
  assert.ok(Math.abs(chunkedSize / wholeSize - 1) < 0.06, `${chunkedSize} bytes, as a whole ${wholeSize}`)
  assert.deepEqual(
    { ...chunkedVideo.result, warnings: chunkedVideo.warnings },
    { ...wholeVideo.result, warnings: wholeVideo.warnings },
  )
  return { expected: expectedPackets, got: actualPackets }
}
