import assert from 'node:assert/strict'
import { copyFile, mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { runEngine } from '../../../lib/decoders/run-engine.ts'
import type { Engine, EngineResult } from '../../../lib/engines/engine.ts'
import { createTools, type ToolsOptions } from '../../../lib/engines/sandbox/exec.ts'
import type { Trait } from '../../../lib/formats/detect/traits.ts'
import { type FormatId, formatByExtension, formatById } from '../../../lib/formats/index.ts'
import type { Operation } from '../../../lib/model/operations.ts'
import type { WarningDetails } from '../../../lib/model/warning-details.ts'

export const fixture = (name: string) => new URL(`../../fixtures/${name}`, import.meta.url).pathname

export interface Run {
  readonly result: EngineResult
  /** First file of the result. */
  readonly path: string
  readonly format: FormatId
  readonly warnings: readonly string[]
  /** Messages of the warnings, in the order of the codes in `warnings`. */
  readonly messages: readonly string[]
  /** Details of the warnings that have details. */
  readonly details: readonly WarningDetails[]
  readonly progress: readonly number[]
  /** Programs that were started, in order. */
  readonly commands: readonly string[]
  /** Commands with their arguments, one per line. */
  readonly lines: readonly string[]
  readonly workDir: string
}

export interface RunSettings {
  readonly from?: FormatId
  readonly options?: Readonly<Record<string, unknown>>
  readonly signal?: AbortSignal
  /** Defaults to `convert`. */
  readonly operation?: Operation
  /** Additional inputs. They have the format of the first one unless their file extension says otherwise. */
  readonly more?: readonly string[]
  /** File names from the client, in order. */
  readonly names?: readonly string[]
  readonly onProgress?: (ratio: number) => void
  readonly onFolder?: (workDir: string) => void
  /** Traits of the first input. */
  readonly traits?: readonly Trait[]
  /** Runs the code of the engine in this process, with its temporary files in `workDir`. */
  readonly runsHere?: boolean
}

const folders: string[] = []

/** Removes the folders of all runs so far. Use it in `after` of test groups that need much disk space. */
export async function removeRuns(): Promise<void> {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true })
}
after(removeRuns)

/** Registers a folder that `removeRuns` removes as well. */
export const removeAfterTests = (folder: string) => folders.push(folder)

/** Runs one conversion as a worker does: with its own folder, parsed options and the tools of one step. */
export async function convert(
  engine: Engine,
  source: string,
  to: FormatId,
  settings: RunSettings = {},
): Promise<Run> {
  const from = settings.from ?? formatByExtension(source)?.id
  assert.ok(from, `${source} has no known extension`)
  const { operation = 'convert' } = settings
  const capability = engine.capabilities.find(
    (one) => one.operation === operation && one.from.includes(from) && one.to.includes(to),
  )
  assert.ok(capability, `${engine.id} does not declare ${operation} of ${from} to ${to}`)
  const workDir = await mkdtemp(join(tmpdir(), 'engine-test-'))
  folders.push(workDir)
  settings.onFolder?.(workDir)
  const outDir = join(workDir, 'out')
  await mkdir(outDir)
  const inputs = []
  for (const [index, file] of [source, ...(settings.more ?? [])].entries()) {
    const format = index === 0 ? from : (formatByExtension(file)?.id ?? from)
    const path = join(workDir, `source-${index + 1}.${formatById(format).extensions[0]}`)
    await copyFile(file, path)
    const filename = settings.names?.[index] ?? `in.${format}`
    const traits = index === 0 ? settings.traits : undefined
    inputs.push({ path, filename, format, size: (await stat(path)).size, traits })
  }
  const warnings: string[] = []
  const messages: string[] = []
  const details: WarningDetails[] = []
  const progress: number[] = []
  const commands: string[] = []
  const lines: string[] = []
  const toolsOptions: ToolsOptions = {
    workDir,
    signal: settings.signal ?? new AbortController().signal,
    limits: engine.limits,
    onProgress: (ratio) => {
      progress.push(ratio)
      settings.onProgress?.(ratio)
    },
    onWarning: (code, message, warningDetails) => {
      warnings.push(code)
      messages.push(message)
      if (warningDetails) details.push(warningDetails)
    },
    onCommand: (bin, args) => {
      commands.push(bin)
      lines.push([bin, ...args].join(' '))
      return { stderr: () => undefined, ended: () => undefined }
    },
  }
  const options = capability.options.parse(settings.options ?? {})
  const work = { operation, inputs, from, to, options, outDir }
  const result = settings.runsHere
    ? await engine.run(work, createTools(toolsOptions))
    : await runEngine(engine, { method: 'run', work }, toolsOptions)
  const [{ path, format = to }] = result.files
  return { result, path, format, warnings, messages, details, progress, commands, lines, workDir }
}

/** Fails unless progress was reported, never decreases and is at most 1. */
export function assertProgressRises({ progress }: Run): void {
  assert.ok(progress.length > 0, 'no progress was reported')
  for (const [at, ratio] of progress.entries())
    assert.ok(ratio >= (progress[at - 1] ?? 0) && ratio <= 1, `${progress}`)
}
