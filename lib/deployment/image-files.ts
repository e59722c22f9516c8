import { cp, mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Metafile } from 'esbuild'
import { buildPrograms } from '../decoders/build-program.ts'
import { separatePackages } from '../decoders/program-file.ts'
import { bundleOptions, omittedPackages, unbundledPackages } from './bundle.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Files that the code in the images reads at run time. */
const extraFiles = [
  'layers/sandbox',
  'layers/office',
  'layers/imagemagick',
  'layers/pdf',
  'layers/font',
  'layers/archive',
  'layers/document',
  'layers/tracing',
  'layers/browser',
]

/** Packages that only the programs in `layers` and the decoder processes load. */
const helperPackages = [
  ...['mupdf', '@neplex/vectorizer-linux-x64-gnu', '@expo-google-fonts/noto-emoji'],
  ...separatePackages,
]

interface Manifest {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/**
 * Returns the folder of the package `name` as resolved from the package in `from`, or undefined if it is not installed.
 */
function findPackageFolder(name: string, from: string): string | undefined {
  const folders = createRequire(join(from, 'package.json')).resolve.paths(name) ?? []
  const require = createRequire(import.meta.url)
  for (const folder of folders) {
    try {
      return dirname(require.resolve(join(folder, name, 'package.json')))
    } catch {
      // The package is not in this folder, so the next folder up is tried.
    }
  }
  return undefined
}

/** Returns the folders of a package and its transitive dependencies, as installed from the lockfile. */
function collectPackageFolders(name: string, from: string, foundFolders = new Set<string>()): Set<string> {
  const folder = findPackageFolder(name, from)
  if (!folder || foundFolders.has(folder)) return foundFolders
  foundFolders.add(folder)
  const { dependencies, optionalDependencies }: Manifest = createRequire(import.meta.url)(
    join(folder, 'package.json'),
  )
  for (const neededPackage of Object.keys({ ...dependencies, ...optionalDependencies })) {
    collectPackageFolders(neededPackage, folder, foundFolders)
  }
  return foundFolders
}

/** Returns the folders of all packages that the bundles and the helper programs load at run time. */
function findUnbundledPackageFolders(metafile: Metafile): string[] {
  const importedPaths = Object.values(metafile.outputs).flatMap((output) =>
    output.imports.map(({ path }) => path),
  )
  const usedPackages = unbundledPackages.filter((name) =>
    importedPaths.some((path) => path === name || path.startsWith(`${name}/`)),
  )
  const names = [...usedPackages, ...helperPackages]
  return [...new Set(names.flatMap((name) => [...collectPackageFolders(name, root)]))]
}

async function writeDecoderPrograms(folder: string): Promise<void> {
  const bundleFolder = 'lib/decoders/bundle'
  await mkdir(join(folder, bundleFolder), { recursive: true })
  const { files } = await buildPrograms({ folder: join(root, bundleFolder) })
  for (const [name, code] of files) await writeFile(join(folder, bundleFolder, name), code)
}

/** Writes the content of /var/task in the images: the bundled code and everything else that it loads at run time. */
export async function writeImageFiles(folder: string): Promise<void> {
  const { metafile } = await build({
    ...bundleOptions,
    absWorkingDir: root,
    entryPoints: [
      'functions/convert.ts',
      'functions/capture.ts',
      'functions/sandbox-probe.ts',
      'layers/runtime.ts',
    ],
    outbase: root,
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    external: [...unbundledPackages, ...omittedPackages],
    metafile: true,
    logLevel: 'warning',
  })
  await writeDecoderPrograms(folder)
  for (const path of extraFiles) await cp(join(root, path), join(folder, path), { recursive: true })
  for (const path of findUnbundledPackageFolders(metafile)) {
    // node_modules can be a symlink to a folder outside the repository, so the destination path starts at node_modules.
    await cp(path, join(folder, path.slice(path.indexOf('node_modules/'))), { recursive: true })
  }
}

/** Files and folders that make up the whole service; the rest of the repository is for development. */
const servicePaths = ['LICENSE', 'NOTICE', 'package.json', 'events', 'functions', 'layers', 'lib'] as const

/** Writes the source and the production dependencies of the service on one machine. */
export async function writeServiceFiles(folder: string): Promise<void> {
  for (const servicePath of servicePaths)
    await cp(join(root, servicePath), join(folder, servicePath), { recursive: true })
  await writeDecoderPrograms(folder)
  const manifest: Manifest = createRequire(import.meta.url)(join(root, 'package.json'))
  const foundFolders = new Set<string>()
  // The image installs Node separately.
  const wantedPackages = Object.keys(manifest.dependencies ?? {}).filter((name) => name !== 'node')
  for (const name of wantedPackages) collectPackageFolders(name, root, foundFolders)
  for (const path of foundFolders) {
    await cp(path, join(folder, path.slice(path.indexOf('node_modules/'))), { recursive: true })
  }
}
