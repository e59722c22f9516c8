import { execFile } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { lazyAsync } from '../async/lazy-async.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Below `node_modules`, so that it finds packages. */
export const bundledProgram = `${root}node_modules/.cache/mutabor/decoder.mjs`
export const inputList = `${root}node_modules/.cache/mutabor/decoder.json`

/** Packages that load their own files, or are too large to be read at each start. */
export const separatePackages = ['unpdf', 'wasmagic'] as const

/** A source file of the bundle, as it was when it was built. */
export type Input = readonly [path: string, mtimeMs: number, size: number]

export interface Program {
  /** What Node runs. */
  readonly file: string
  /** What the program reads of this machine; it contains nothing secret. */
  readonly files: readonly string[]
}

/**
 * Returns the program of decoder processes. On one machine it is bundled when its source has changed; on AWS the
 * package contains it (lib/deployment/lambda-layers.ts replaces this module).
 */
export const findProgram = lazyAsync(async (): Promise<Program> => {
  if (!(await isUpToDate()))
    await promisify(execFile)(process.execPath, [
      '--disable-warning=ExperimentalWarning',
      fileURLToPath(new URL('./build-program.ts', import.meta.url)),
    ]).catch(() => undefined)
  if (await isUpToDate())
    return {
      file: bundledProgram,
      files: [bundledProgram, ...separatePackages.map((name) => `${root}node_modules/${name}`)],
    }
  // Where that folder can't be written, the sources run as they are.
  return {
    file: `${root}lib/decoders/program.ts`,
    files: ['lib', 'node_modules', 'package.json'].map((path) => root + path),
  }
})

async function isUpToDate(): Promise<boolean> {
  const list = await readFile(inputList, 'utf8').catch(() => undefined)
  if (list === undefined) return false
  // Only build-program.ts writes the file.
  const checks = (JSON.parse(list) as readonly Input[]).map(async ([path, mtimeMs, size]) => {
    const found = await stat(root + path).catch(() => undefined)
    return found?.mtimeMs === mtimeMs && found.size === size
  })
  return (await Promise.all(checks)).every(Boolean)
}
