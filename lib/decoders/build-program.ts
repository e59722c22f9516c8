/**
 * Bundles the programs of decoder processes. Bundled, they start in a quarter of the time and need half of the memory.
 * Run as a script, this module writes the files of lib/decoders/program-file.ts.
 */
import { chmod, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { bundleFolder, type Input, inputListFile, programPackages, separatePackages } from './program-file.ts'
import { keepSourceUrls } from './source-urls.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface BuiltPrograms {
  /** File contents by name. Code that is not needed at each start is in separate files. */
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly inputs: readonly string[]
}

interface BuildOptions {
  /**
   * Folder in which the bundled files will run. Modules find the files next to their sources relative to this folder.
   */
  readonly folder: string
  readonly programs?: readonly string[]
  /** Modules to leave out, because the programs never import them where this bundle runs. */
  readonly omitted?: readonly string[]
}

export async function buildPrograms({
  folder,
  programs = ['program', 'engine-program'],
  omitted = [],
}: BuildOptions): Promise<BuiltPrograms> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: programs.map((name) => `lib/decoders/${name}.ts`),
    outdir: bundleFolder,
    plugins: [keepSourceUrls(`${relative(folder, root)}/`)],
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    mainFields: ['module', 'main'],
    external: [...separatePackages, ...programPackages, ...omitted.map((path) => join(root, path))],
    // Bundled CommonJS packages need `require`, which ES modules do not have.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    minify: true,
    legalComments: 'none',
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
  return {
    files: new Map(outputFiles.map(({ path, contents }) => [basename(path), contents])),
    inputs: Object.keys(metafile.inputs),
  }
}

/** Creates a folder that the users of decoder processes can read, although the service creates only private files. */
export async function createReadableFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true })
  if (first === undefined) return
  for (let path = folder; path.length >= first.length; path = dirname(path)) await chmod(path, 0o755)
}

/** Replaces a file atomically, because other processes may start the program at the same time. */
async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const temporaryPath = `${path}.${process.pid}`
  await writeFile(temporaryPath, content)
  // The program runs as another user.
  await chmod(temporaryPath, 0o644)
  await rename(temporaryPath, path)
}

/** Files of earlier builds are kept for this long, because running processes may still load them. */
const maxUnusedMs = 24 * 3600_000

async function removeUnusedPrograms(names: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(bundleFolder)) {
    const path = join(bundleFolder, name)
    const stats = await stat(path).catch(() => undefined)
    if (stats && !names.has(name) && Date.now() - stats.mtimeMs > maxUnusedMs) await rm(path, { force: true })
  }
}

async function writePrograms(): Promise<void> {
  const { files, inputs } = await buildPrograms({ folder: bundleFolder })
  await createReadableFolder(bundleFolder)
  const pendingInputs = inputs.map(async (path): Promise<Input> => {
    const { mtimeMs, size } = await stat(`${root}/${path}`)
    return [path, mtimeMs, size]
  })
  for (const [name, code] of files) await replaceFile(join(bundleFolder, name), code)
  await replaceFile(inputListFile, JSON.stringify(await Promise.all(pendingInputs)))
  await removeUnusedPrograms(new Set([...files.keys(), basename(inputListFile)]))
}

// Not awaited: the Serverless Framework cannot load modules with top-level `await`.
if (import.meta.main) void writePrograms()
