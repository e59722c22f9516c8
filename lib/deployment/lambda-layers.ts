import { glob, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'esbuild'
import { buildPrograms } from '../decoders/build-program.ts'
import type { separatePackages } from '../decoders/program-file.ts'
import type { FunctionDeclaration } from '../resources/function-declaration.ts'
import { type FunctionName, findDeclaration } from '../resources/functions.ts'
import { prebuiltModules } from './prebuilt-pages.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface LambdaLayer {
  /** Description shown in the AWS console. */
  readonly description: string
  readonly isUsedBy: (
    name: FunctionName,
    declaredFunction: Pick<FunctionDeclaration, 'readsFiles'>,
  ) => boolean
}

/**
 * Layers with code that requests rarely need. All functions that can load this code share the layers, so that their
 * packages stay small. Lambda extracts a layer into /opt, which is `../../../opt` for code in /var/task/functions.
 */
export const lambdaLayers = {
  readers: {
    description: 'The program that reads files of clients, with libmagic and PDF.js',
    isUsedBy: (_, { readsFiles }) => readsFiles === true,
  },
  page: {
    description: 'The web page in all languages, and its PDF renderer',
    isUsedBy: (name) => name === 'api',
  },
} as const satisfies Readonly<Record<string, LambdaLayer>>

export type LambdaLayerId = keyof typeof lambdaLayers
export const lambdaLayerIds = Object.keys(lambdaLayers) as LambdaLayerId[] // keys of the object above

export const getLayers = (name: FunctionName): LambdaLayerId[] =>
  lambdaLayerIds.filter((id) => lambdaLayers[id].isUsedBy(name, findDeclaration(name) ?? {}))

/** Packages in the layer `readers`, with the files that are loaded at run time. */
const readerPackages = {
  unpdf: '{package.json,dist/index.mjs,dist/pdfjs.mjs}',
  wasmagic: '{package.json,dist/*.js,dist/*.wasm}',
} as const satisfies Readonly<Record<(typeof separatePackages)[number], string>>

/** Modules of the decoder program that only workers in images use. */
const imageOnlyModules = ['lib/fidelity/summarize.ts']

/** Replacement for a module that, on one machine, bundles the decoder program. */
const findProgramModule = `export const findProgram = async () => ({
  file: new URL('./program.mjs', import.meta.url).pathname,
  files: ['/opt'],
})`

/** Modules of each layer, by the path of the module that they replace. */
const layerModules: Readonly<Record<LambdaLayerId, Readonly<Record<string, () => Promise<string>>>>> = {
  readers: { 'lib/decoders/program-file.ts': async () => findProgramModule },
  page: prebuiltModules,
}

const toExternalModule = (path: string) => ({ path: `../../../opt/${path}`, external: true })
const getModuleFilename = (path: string) => path.replace(/\.ts$/, '.mjs')

/** Makes esbuild import modules of layers from their layer instead of bundling them. */
export const importFromLayers: Plugin = {
  name: 'left-to-layers',
  setup({ onResolve }) {
    onResolve({ filter: /\.ts$/ }, ({ path, resolveDir }) => {
      const source = relative(root, join(resolveDir, path))
      const isInLayer = Object.values(layerModules).some((modules) => Object.hasOwn(modules, source))
      return isInLayer ? toExternalModule(getModuleFilename(source)) : undefined
    })
  },
}

/** Files of a layer in addition to its modules. */
const contentLoadersByLayer: Readonly<
  Record<LambdaLayerId, () => Promise<[path: string, bytes: Uint8Array][]>>
> = {
  readers: async () => {
    const patterns = Object.entries(readerPackages).map(([name, files]) => `node_modules/${name}/${files}`)
    const { files } = await buildPrograms({
      folder: join(root, 'lib/decoders'),
      programs: ['program'],
      omitted: imageOnlyModules,
    })
    const decoderFiles = [...files].map(([name, code]): [string, Uint8Array] => [
      `lib/decoders/${name}`,
      code,
    ])
    for await (const path of glob(patterns, { cwd: root }))
      decoderFiles.push([path, await readFile(join(root, path))])
    return decoderFiles
  },
  page: async () => [],
}

/** Returns the files of a layer by their paths below /opt, sorted. */
export async function loadLayerContent(id: LambdaLayerId): Promise<ReadonlyMap<string, Uint8Array>> {
  const modules = Object.entries(layerModules[id]).map(
    async ([path, createModule]) => [getModuleFilename(path), Buffer.from(await createModule())] as const,
  )
  const files = [...(await Promise.all(modules)), ...(await contentLoadersByLayer[id]())]
  return new Map(files.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Returns the name of the archive that the packaging writes for a layer. */
export const getLayerFilename = (id: LambdaLayerId) => `${id}.layer.zip`

/** Returns `layers` of serverless.yml. */
export const createLayers = (stage: string) =>
  Object.fromEntries(
    lambdaLayerIds.map((id) => [
      id,
      {
        name: `mutabor-${stage}-${id}`,
        description: lambdaLayers[id].description,
        package: { artifact: `.serverless/${getLayerFilename(id)}` },
        compatibleRuntimes: ['nodejs24.x'],
        compatibleArchitectures: ['x86_64', 'arm64'],
      },
    ]),
  )

/** Returns a reference to the resource that the framework creates for a layer. */
export const createLayerReference = (id: LambdaLayerId) => ({
  Ref: `${id.charAt(0).toUpperCase()}${id.slice(1)}LambdaLayer`,
})
