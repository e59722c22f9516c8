// Bundles the program of decoder processes into one file: it then starts in a quarter of the time and needs half of the
// memory that its sources would. Run as a script, it writes the file that lib/decoders/program-file.ts names.
import { chmod, mkdir, rename, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { bundledProgram, type Input, inputList, separatePackages } from './program-file.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

export async function buildProgram(): Promise<{ code: Uint8Array; inputs: readonly string[] }> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['lib/decoders/program.ts'],
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    external: [...separatePackages],
    // For bundled CommonJS packages; ES modules have no `require`.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    minify: true,
    legalComments: 'none',
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
  return { code: outputFiles[0]?.contents ?? new Uint8Array(), inputs: Object.keys(metafile.inputs) }
}

/** Other processes may start the program meanwhile, so the files are replaced at once. */
async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.${process.pid}`
  await writeFile(temporary, content)
  // The program runs as another user.
  await chmod(temporary, 0o644)
  await rename(temporary, path)
}

async function writeProgram(): Promise<void> {
  const { code, inputs } = await buildProgram()
  await mkdir(dirname(bundledProgram), { recursive: true })
  const stamps = inputs.map(async (path): Promise<Input> => {
    const { mtimeMs, size } = await stat(`${root}/${path}`)
    return [path, mtimeMs, size]
  })
  await replaceFile(bundledProgram, code)
  await replaceFile(inputList, JSON.stringify(await Promise.all(stamps)))
}

// Not awaited here: the Serverless Framework cannot load modules that wait.
if (import.meta.main) void writeProgram()
