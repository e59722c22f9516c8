import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js'
import { build, type Metafile } from 'esbuild'
import type { FunctionDeclaration } from '../resources/function-declaration.ts'
import { type FunctionName, functionNames, functions } from '../resources/functions.ts'
import { functionOptions, leftOut, packagesOfEngines, packagesWithout } from './bundle.ts'
import { joinedStart, requiringLater } from './merge-start-chunks.ts'
import { contentOf, lambdaLayerIds, layerFile } from './lambda-layers.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The same content gives the same package, whoever packages it: a deployment replaces what has changed. */
const noTime = new Date(1980, 0, 1)

/** Paths within a package, and their bytes. */
export type Content = ReadonlyMap<string, Uint8Array>

/** Those that are deployed as zip packages. */
export const zipNames = functionNames.filter((name) => !('image' in functions[name]))

const entryOf = (name: FunctionName) => functions[name].handler.replace(/\.\w+$/, '.ts')

/** What a function reads beside its code; paths from the root of the checkout, which are those in the package too. */
const filesBeside: Partial<Readonly<Record<FunctionName, readonly string[]>>> = {
  api: ['functions/web/icon.svg'],
}

/** The code of all functions at once: what several of them load is made once. */
const bundled = () =>
  build({
    ...functionOptions,
    absWorkingDir: root,
    entryPoints: [...new Set(zipNames.map(entryOf))],
    outdir: 'functions',
    external: [...leftOut, ...packagesOfEngines],
    metafile: true,
    write: false,
    logLevel: 'warning',
  })

type Bundled = Awaited<ReturnType<typeof bundled>>

const engineList = 'lib/engines/index.ts'

const packageOf = (path: string) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]

/**
 * What a function may come to load, beginning with what it imports at its start. What it imports later is left out where
 * it is of a package that the function has no use for.
 */
export function reached(
  entryPoint: string,
  { outputs }: Metafile,
  without: readonly string[],
): ReadonlyMap<string, 'at start' | 'later'> {
  const found = new Map<string, 'at start' | 'later'>()
  const isEngine = (path: string) => {
    // What is known of engines is one thing, how they work another.
    const { entryPoint, inputs = {} } = outputs[path] ?? {}
    if (entryPoint === engineList) return without.includes('planning')
    // What others load as well is in chunks of its own, and the module itself is empty then.
    return (
      without.includes('engines') &&
      [entryPoint ?? '', ...Object.keys(inputs)].some((source) => source.startsWith('lib/engines/'))
    )
  }
  const isLeftOut = (path: string, seen = new Set([path])): boolean =>
    Object.keys(outputs[path]?.inputs ?? {}).some((input) => without.includes(packageOf(input) ?? '')) ||
    (outputs[path]?.imports ?? []).some(({ path: next, kind }) => {
      if (kind !== 'import-statement' || seen.has(next)) return false
      return isLeftOut(next, seen.add(next))
    })
  const visit = (path: string, when: 'at start' | 'later') => {
    if (!outputs[path] || found.get(path) === when || found.get(path) === 'at start') return
    found.set(path, when)
    for (const { path: next, kind } of outputs[path].imports) {
      if (kind === 'import-statement') visit(next, when)
      else if (!isLeftOut(next) && !isEngine(next)) visit(next, 'later')
    }
  }
  const first = Object.keys(outputs).find((path) => outputs[path]?.entryPoint === entryPoint)
  if (first === undefined) throw new Error(`nothing was made of ${entryPoint}`)
  visit(first, 'at start')
  return found
}

export interface Package {
  readonly name: FunctionName
  readonly files: Content
  /** Of its code, under the same paths. */
  readonly maps: Content
}

async function packageFor(name: FunctionName, { outputFiles, metafile }: Bundled): Promise<Package> {
  const declared: FunctionDeclaration = functions[name]
  const paths = reached(entryOf(name), metafile, packagesWithout(declared))
  const made = new Map(outputFiles.map(({ path, contents }) => [relative(root, path), contents]))
  const files = new Map<string, Uint8Array>()
  const maps = new Map<string, Uint8Array>()
  const put = (path: string, { code, map }: { readonly code: Uint8Array; readonly map: Uint8Array }) => {
    files.set(path, code)
    maps.set(`${path}.map`, map)
  }
  const nothing = new Uint8Array()
  for (const [path, when] of paths)
    if (when === 'later')
      put(path, requiringLater(made.get(path) ?? nothing, made.get(`${path}.map`) ?? nothing))
  const [entry = '', ...atStart] = [...paths.keys()].filter((path) => paths.get(path) === 'at start')
  const joined = await joinedStart(entry, atStart, made, metafile)
  put(entry, joined)
  for (const [path, code] of joined.chunks) files.set(path, code)
  for (const path of filesBeside[name] ?? []) files.set(path, await readFile(join(root, path)))
  const sorted = new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)))
  return { name, files: sorted, maps }
}

async function packages(): Promise<Package[]> {
  const made = await bundled()
  return Promise.all(zipNames.map((name) => packageFor(name, made)))
}

export async function zipped(content: Content): Promise<Uint8Array> {
  const writer = new ZipWriter(new Uint8ArrayWriter(), {
    lastModDate: noTime,
    level: 9,
    useWebWorkers: false,
  })
  for (const [path, bytes] of content) await writer.add(path, new Uint8ArrayReader(bytes))
  return writer.close()
}

/** Writes the package of each function into a folder, as `<name>.zip`, the maps of their code below `maps`, and the layers. */
export async function zipFunctions(folder: string): Promise<void> {
  const all = await packages()
  for (const { name, files, maps } of all) {
    await writeFile(join(folder, `${name}.zip`), await zipped(files))
    for (const [path, bytes] of maps) {
      const target = join(folder, 'maps', path)
      await mkdir(dirname(target), { recursive: true })
      await writeFile(target, bytes)
    }
  }
  for (const id of lambdaLayerIds)
    await writeFile(join(folder, layerFile(id)), await zipped(await contentOf(id)))
}
