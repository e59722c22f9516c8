import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js'
import { build, type Metafile } from 'esbuild'
import type { FunctionDeclaration } from '../resources/function-declaration.ts'
import { type FunctionName, functionNames, functions } from '../resources/functions.ts'
import { enginePackages, functionBundleOptions, listExcludedPackages, omittedPackages } from './bundle.ts'
import { getLayerFilename, lambdaLayerIds, loadLayerContent } from './lambda-layers.ts'
import { addRequireBanner, mergeStartChunks } from './merge-start-chunks.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A fixed date makes packages reproducible, so that a deployment only replaces functions that have changed. */
const zipDate = new Date(1980, 0, 1)

/** Contents of the files in a package by their paths. */
type FilesByPath = ReadonlyMap<string, Uint8Array>

/** Functions that are deployed as zip packages. */
export const zipFunctionNames = functionNames.filter((name) => !('image' in functions[name]))

const getEntryPoint = (name: FunctionName) => functions[name].handler.replace(/\.\w+$/, '.ts')

/** Files that a function reads at run time, by their paths in the checkout and in the package. */
const extraFiles: Partial<Readonly<Record<FunctionName, readonly string[]>>> = {
  api: ['functions/web/icon.svg'],
}

/** Bundles all functions in one build, so that shared code is only built once. */
const bundleFunctions = () =>
  build({
    ...functionBundleOptions,
    absWorkingDir: root,
    entryPoints: [...new Set(zipFunctionNames.map(getEntryPoint))],
    outdir: 'functions',
    external: [...omittedPackages, ...enginePackages],
    metafile: true,
    write: false,
    logLevel: 'warning',
  })

type BundleResult = Awaited<ReturnType<typeof bundleFunctions>>

const engineList = 'lib/engines/index.ts'
const storeModules = ['blobstore', 'gcs', 's3', 'sftp', 'drives/drive-store'].map(
  (name) => `lib/transfer/${name}.ts`,
)

const parsePackageName = (path: string) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]

/**
 * Returns the chunks that a function can load, at the start or later. Dynamic imports of packages that the function
 * never uses are excluded.
 */
function findReachableChunks(
  entryPoint: string,
  { outputs }: Metafile,
  excluded: readonly string[],
): ReadonlyMap<string, 'at start' | 'later'> {
  const foundImports = new Map<string, 'at start' | 'later'>()
  const isEngine = (path: string) => {
    // Only functions that plan conversions need the list of engines; engines and captures of websites run in images.
    const { entryPoint, inputs = {} } = outputs[path] ?? {}
    if (entryPoint === engineList) return excluded.includes('planning')
    // Code that other modules also load is moved to shared chunks, which can leave the chunk of the engine empty.
    return (
      excluded.includes('engines') &&
      [entryPoint ?? '', ...Object.keys(inputs)].some((source) => /^lib\/(?:engines|capture)\//.test(source))
    )
  }
  // Most functions only know which remote stores exist; the code that accesses them is packaged where it is used.
  const isStore = (path: string) =>
    excluded.includes('stores') && storeModules.includes(outputs[path]?.entryPoint ?? '')
  const isExcluded = (path: string, seenPaths = new Set([path])): boolean =>
    Object.keys(outputs[path]?.inputs ?? {}).some((input) =>
      excluded.includes(parsePackageName(input) ?? ''),
    ) ||
    (outputs[path]?.imports ?? []).some(({ path: importedPath, kind }) => {
      if (kind !== 'import-statement' || seenPaths.has(importedPath)) return false
      return isExcluded(importedPath, seenPaths.add(importedPath))
    })
  const visit = (path: string, loadTime: 'at start' | 'later') => {
    if (!outputs[path] || foundImports.get(path) === loadTime || foundImports.get(path) === 'at start') return
    foundImports.set(path, loadTime)
    for (const { path: importedPath, kind } of outputs[path].imports) {
      if (kind === 'import-statement') visit(importedPath, loadTime)
      else if (!isExcluded(importedPath) && !isEngine(importedPath) && !isStore(importedPath))
        visit(importedPath, 'later')
    }
  }
  const firstOutput = Object.keys(outputs).find((path) => outputs[path]?.entryPoint === entryPoint)
  if (firstOutput === undefined) throw new Error(`esbuild produced no output for ${entryPoint}`)
  visit(firstOutput, 'at start')
  return foundImports
}

interface Package {
  readonly name: FunctionName
  readonly files: FilesByPath
  /** Source maps of the files with code, under the same paths. */
  readonly sourceMaps: FilesByPath
}

async function buildPackage(name: FunctionName, { outputFiles, metafile }: BundleResult): Promise<Package> {
  const declaredFunction: FunctionDeclaration = functions[name]
  const paths = findReachableChunks(getEntryPoint(name), metafile, listExcludedPackages(declaredFunction))
  const builtFiles = new Map(outputFiles.map(({ path, contents }) => [relative(root, path), contents]))
  const files = new Map<string, Uint8Array>()
  const maps = new Map<string, Uint8Array>()
  const put = (path: string, { code, map }: { readonly code: Uint8Array; readonly map: Uint8Array }) => {
    files.set(path, code)
    maps.set(`${path}.map`, map)
  }
  const noBytes = new Uint8Array()
  for (const [path, when] of paths)
    if (when === 'later')
      put(path, addRequireBanner(builtFiles.get(path) ?? noBytes, builtFiles.get(`${path}.map`) ?? noBytes))
  const [entry = '', ...startChunks] = [...paths.keys()].filter((path) => paths.get(path) === 'at start')
  const mergedStart = await mergeStartChunks(entry, startChunks, builtFiles, metafile)
  put(entry, mergedStart)
  for (const [path, code] of mergedStart.chunks) files.set(path, code)
  for (const path of extraFiles[name] ?? []) files.set(path, await readFile(join(root, path)))
  const sortedFiles = new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)))
  return { name, files: sortedFiles, sourceMaps: maps }
}

async function buildPackages(): Promise<Package[]> {
  const buildResult = await bundleFunctions()
  return Promise.all(zipFunctionNames.map((name) => buildPackage(name, buildResult)))
}

async function zipPackage(content: FilesByPath): Promise<Uint8Array> {
  const writer = new ZipWriter(new Uint8ArrayWriter(), {
    lastModDate: zipDate,
    level: 9,
    useWebWorkers: false,
  })
  for (const [path, bytes] of content) await writer.add(path, new Uint8ArrayReader(bytes))
  return writer.close()
}

/** Writes the package of each function as `<name>.zip`, the source maps below `maps`, and the layers into a folder. */
export async function writePackages(folder: string): Promise<void> {
  const allPackages = await buildPackages()
  for (const { name, files, sourceMaps } of allPackages) {
    await writeFile(join(folder, `${name}.zip`), await zipPackage(files))
    for (const [path, bytes] of sourceMaps) {
      const target = join(folder, 'maps', path)
      await mkdir(dirname(target), { recursive: true })
      await writeFile(target, bytes)
    }
  }
  for (const id of lambdaLayerIds)
    await writeFile(join(folder, getLayerFilename(id)), await zipPackage(await loadLayerContent(id)))
}
