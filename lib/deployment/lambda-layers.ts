import { glob, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'esbuild'
import type { FunctionDeclaration } from '../resources/function-declaration.ts'
import { declarationOf, type FunctionName } from '../resources/functions.ts'
import { prebuiltModules } from './prebuilt-pages.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface LambdaLayer {
  /** Shown in the AWS console. */
  readonly description: string
  readonly isUsedBy: (name: FunctionName, declared: Pick<FunctionDeclaration, 'readsFiles'>) => boolean
}

/**
 * Code that requests rarely need, shared by all functions that can load it, so that their packages stay small. Lambda
 * extracts a layer into /opt, which is `../../../opt` for code in /var/task/functions.
 */
export const lambdaLayers = {
  readers: {
    description: 'Detects file formats (libmagic) and encrypted PDFs (PDF.js)',
    isUsedBy: (_, { readsFiles }) => readsFiles === true,
  },
  page: {
    description: 'The web page in all languages, and its PDF renderer',
    isUsedBy: (name) => name === 'api',
  },
} as const satisfies Readonly<Record<string, LambdaLayer>>

export type LambdaLayerId = keyof typeof lambdaLayers
export const lambdaLayerIds = Object.keys(lambdaLayers) as LambdaLayerId[] // keys of the object above

export const layersOf = (name: FunctionName): LambdaLayerId[] =>
  lambdaLayerIds.filter((id) => lambdaLayers[id].isUsedBy(name, declarationOf(name) ?? {}))

/** Packages in the layer `readers`, with the files that are loaded. */
const readerPackages = {
  unpdf: '{package.json,dist/index.mjs,dist/pdfjs.mjs}',
  wasmagic: '{package.json,dist/*.js,dist/*.wasm}',
} as const

const externalInOpt = (path: string) => ({ path: `../../../opt/${path}`, external: true })
const moduleFile = (path: string) => path.replace(/\.ts$/, '.mjs')

/** Makes esbuild import modules that are in a layer from there instead of bundling them. */
export const importFromLayers: Plugin = {
  name: 'left-to-layers',
  setup({ onResolve }) {
    onResolve({ filter: new RegExp(`^(${Object.keys(readerPackages).join('|')})$`) }, ({ path }) =>
      externalInOpt(relative(root, fileURLToPath(import.meta.resolve(path)))),
    )
    onResolve({ filter: /\.ts$/ }, ({ path, resolveDir }) => {
      const source = relative(root, join(resolveDir, path))
      return Object.hasOwn(prebuiltModules, source) ? externalInOpt(moduleFile(source)) : undefined
    })
  },
}

const layerContents: Readonly<Record<LambdaLayerId, () => Promise<[path: string, bytes: Uint8Array][]>>> = {
  readers: async () => {
    const patterns = Object.entries(readerPackages).map(([name, files]) => `node_modules/${name}/${files}`)
    const found: [string, Uint8Array][] = []
    for await (const path of glob(patterns, { cwd: root }))
      found.push([path, await readFile(join(root, path))])
    return found
  },
  page: () =>
    Promise.all(
      Object.entries(prebuiltModules).map(async ([path, make]) => [
        moduleFile(path),
        Buffer.from(await make()),
      ]),
    ),
}

/** Returns the files of a layer by their paths below /opt, sorted. */
export async function layerContent(id: LambdaLayerId): Promise<ReadonlyMap<string, Uint8Array>> {
  return new Map((await layerContents[id]()).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Returns the name of the archive that the packaging writes for a layer. */
export const layerFileName = (id: LambdaLayerId) => `${id}.layer.zip`

/** Returns `layers` of serverless.yml. */
export const deployedLayers = (stage: string) =>
  Object.fromEntries(
    lambdaLayerIds.map((id) => [
      id,
      {
        name: `mutabor-${stage}-${id}`,
        description: lambdaLayers[id].description,
        package: { artifact: `.serverless/${layerFileName(id)}` },
        compatibleRuntimes: ['nodejs24.x'],
        compatibleArchitectures: ['x86_64'],
      },
    ]),
  )

/** Returns a reference to the resource that the framework creates for a layer. */
export const layerReference = (id: LambdaLayerId) => ({
  Ref: `${id.charAt(0).toUpperCase()}${id.slice(1)}LambdaLayer`,
})
