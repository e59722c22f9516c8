import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { lazyAsync } from '../async/lazy-async.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Folder of the bundled programs. It is below `node_modules`, so that the programs find packages. */
export const bundleFolder = `${root}node_modules/.cache/mutabor/decoders`
export const inputListFile = `${bundleFolder}/inputs.json`
/** Folder of the bundle in container images; it does not exist elsewhere. */
const packagedFolder = `${root}lib/decoders/bundle`

/** Packages that load their own files, or are too large to be read at each start. */
export const separatePackages = ['unpdf', 'wasmagic'] as const
/** Packages that only the engine program loads. They are not bundled, for the same reasons as `separatePackages`. */
export const programPackages = ['sharp'] as const

/** A source file of the bundle, with its modification time and size when the bundle was built. */
export type Input = readonly [path: string, mtimeMs: number, size: number]

export interface Program {
  /** The script that Node runs. */
  readonly file: string
  /** Files and folders that the program may read; they contain no secrets. */
  readonly files: readonly string[]
}

/**
 * Returns the folder of the bundled programs. On a single machine, they are bundled when their sources have changed;
 * container images contain them.
 */
const findBundle = lazyAsync(async (): Promise<string | undefined> => {
  if (existsSync(packagedFolder)) return packagedFolder
  if (!(await isUpToDate()))
    await promisify(execFile)(process.execPath, [
      '--disable-warning=ExperimentalWarning',
      fileURLToPath(new URL('./build-program.ts', import.meta.url)),
    ]).catch(() => undefined)
  return (await isUpToDate()) ? bundleFolder : undefined
})

// If the folder of the bundle is not writable, the programs run from these sources.
const sources = ['lib', 'layers', 'node_modules', 'package.json'].map((path) => root + path)

/** Returns the program of decoder processes. In zip packages, lib/deployment/lambda-layers.ts replaces this module. */
export async function findProgram(): Promise<Program> {
  const bundle = await findBundle()
  return bundle === undefined
    ? { file: `${root}lib/decoders/program.ts`, files: sources }
    : {
        file: `${bundle}/program.mjs`,
        files: [bundle, ...separatePackages.map((name) => `${root}node_modules/${name}`)],
      }
}

/** Returns the program that runs the code of engines. */
export async function findEngineProgram(): Promise<Program> {
  const bundle = await findBundle()
  return bundle === undefined
    ? { file: `${root}lib/decoders/engine-program.ts`, files: sources }
    : {
        file: `${bundle}/engine-program.mjs`,
        files: [bundle, ...['layers', 'node_modules'].map((path) => root + path)],
      }
}

async function isUpToDate(): Promise<boolean> {
  const list = await readFile(inputListFile, 'utf8').catch(() => undefined)
  if (list === undefined) return false
  // Only build-program.ts writes the file.
  const checks = (JSON.parse(list) as readonly Input[]).map(async ([path, mtimeMs, size]) => {
    const fileStats = await stat(root + path).catch(() => undefined)
    return fileStats?.mtimeMs === mtimeMs && fileStats.size === size
  })
  return (await Promise.all(checks)).every(Boolean)
}
