import { glob, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'esbuild'
import type { FunctionDeclaration } from '../resources/function-declaration.ts'
import { declarationOf, type FunctionName } from '../resources/functions.ts'
import { prebuiltModules } from './prebuilt-pages.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface LambdaLayer {
  /** For whoever looks at the account. */
  readonly description: string
  readonly isUsedBy: (name: FunctionName, declared: Pick<FunctionDeclaration, 'readsFiles'>) => boolean
}

/**
 * What requests seldom want, once for all functions that may come to load it, so that their own packages stay small.
 * Lambda lays out the files of a layer in /opt, which to code in /var/task/functions is `../../../opt`.
 */
export const lambdaLayers = {
  readers: {
    description: 'Tells formats of files apart (libmagic), and whether a PDF is locked (PDF.js)',
    isUsedBy: (_, { readsFiles }) => readsFiles === true,
  },
  page: {
    description: 'The web page in its languages, and what draws PDFs there',
    isUsedBy: (name) => name === 'api',
  },
} as const satisfies Readonly<Record<string, LambdaLayer>>

export type LambdaLayerId = keyof typeof lambdaLayers
export const lambdaLayerIds = Object.keys(lambdaLayers) as LambdaLayerId[] // keys of the object above

export const layersOf = (name: FunctionName): LambdaLayerId[] =>
  lambdaLayerIds.filter((id) => lambdaLayers[id].isUsedBy(name, declarationOf(name) ?? {}))

/** Packages in `readers`, and what is loaded of them. */
const readerPackages = {
  unpdf: '{package.json,dist/index.mjs,dist/pdfjs.mjs}',
  wasmagic: '{package.json,dist/*.js,dist/*.wasm}',
} as const

const externalInOpt = (path: string) => ({ path: `../../../opt/${path}`, external: true })
const moduleFile = (path: string) => path.replace(/\.ts$/, '.mjs')

/** Leaves to the layers what they hold. */
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

/** The files of a layer by their paths below /opt, in order. */
export async function layerContent(id: LambdaLayerId): Promise<ReadonlyMap<string, Uint8Array>> {
  return new Map((await layerContents[id]()).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Where packaging writes them. */
export const layerFileName = (id: LambdaLayerId) => `${id}.layer.zip`

/** `layers` of serverless.yml. */
export const deployedLayers = (stage: string) =>
  Object.fromEntries(
    lambdaLayerIds.map((id) => [
      id,
      {
        ...{ name: `mutabor-${stage}-${id}`, description: lambdaLayers[id].description },
        package: { artifact: `.serverless/${layerFileName(id)}` },
        ...{ compatibleRuntimes: ['nodejs24.x'], compatibleArchitectures: ['x86_64'] },
      },
    ]),
  )

/** The framework's name of what it makes of a layer. */
export const layerReference = (id: LambdaLayerId) => ({
  Ref: `${id.charAt(0).toUpperCase()}${id.slice(1)}LambdaLayer`,
})
