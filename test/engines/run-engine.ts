import assert from 'node:assert/strict'
import { copyFile, mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Engine, Result } from '../../lib/engines/engine.ts'
import { createTools } from '../../lib/engines/exec.ts'
import { type FormatId, formatByExtension, formatById } from '../../lib/formats/index.ts'

export const fixture = (name: string) => new URL(`../fixtures/${name}`, import.meta.url).pathname

export interface Run {
  readonly result: Result
  /** First file of the result. */
  readonly path: string
  readonly format: FormatId
  readonly warnings: readonly string[]
  readonly progress: readonly number[]
  readonly workDir: string
}

export interface RunSettings {
  readonly from?: FormatId
  readonly options?: Readonly<Record<string, unknown>>
  readonly signal?: AbortSignal
  /** More inputs, after the first. */
  readonly more?: readonly string[]
  readonly onProgress?: (ratio: number) => void
  readonly onFolder?: (workDir: string) => void
}

const folders: string[] = []

/** Removes the folders of all runs; for `after`. */
export async function removeRuns(): Promise<void> {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true })
}

/** One conversion as a worker does it: an own folder, parsed options, one step's tools. */
export async function convert(
  engine: Engine,
  source: string,
  to: FormatId,
  settings: RunSettings = {},
): Promise<Run> {
  const from = settings.from ?? formatByExtension(source)?.id
  assert.ok(from, `${source} has no known extension`)
  const capability = engine.capabilities.find((one) => one.from.includes(from) && one.to.includes(to))
  assert.ok(capability, `${engine.id} does not declare ${from} to ${to}`)
  const workDir = await mkdtemp(join(tmpdir(), 'engine-test-'))
  folders.push(workDir)
  settings.onFolder?.(workDir)
  const outDir = join(workDir, 'out')
  await mkdir(outDir)
  const inputs = []
  for (const [index, file] of [source, ...(settings.more ?? [])].entries()) {
    const path = join(workDir, `input-${index}.${formatById(from).extensions[0]}`)
    await copyFile(file, path)
    inputs.push({ path, name: `in.${from}`, format: from, size: (await stat(path)).size })
  }
  const warnings: string[] = []
  const progress: number[] = []
  const tools = createTools({
    workDir,
    signal: settings.signal ?? new AbortController().signal,
    limits: engine.limits,
    onProgress: (ratio) => {
      progress.push(ratio)
      settings.onProgress?.(ratio)
    },
    onWarning: (code) => warnings.push(code),
  })
  const options = capability.options.parse(settings.options ?? {})
  const result = await engine.run({ operation: 'convert', inputs, from, to, options, outDir }, tools)
  const [{ path, format = to }] = result.files
  return { result, path, format, warnings, progress, workDir }
}
