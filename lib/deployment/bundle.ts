import { readFile } from 'node:fs/promises'
import { dirname, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BuildOptions, Plugin } from 'esbuild'
import type { FunctionDeclaration, OutboundTarget } from '../resources/function-declaration.ts'
import { importFromLayers } from './lambda-layers.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * A module finds the files beside it by its own address, which in a bundle is that of the bundle. Bundles lie
 * one folder below the root, as functions/api.mjs does, so each module gets back the address that its source
 * has under that root; the files have to be packed under their own paths.
 */
const keepSourceUrls: Plugin = {
  name: 'source-addresses',
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      if (path.includes('/node_modules/') || !source.includes('import.meta.')) return undefined
      const urlOf = (file: string) => `new URL('../${relative(root, file)}', import.meta.url)`
      const contents = source.replace(/\bimport\.meta\.(url|dirname|filename)\b/g, (_, property) => {
        if (property === 'url') return `${urlOf(path)}.href`
        return `decodeURIComponent(${urlOf(property === 'filename' ? path : dirname(path))}.pathname)`
      })
      return { contents, loader: 'ts' }
    })
  },
}

/**
 * Code that packages read at their start, and that nothing of ours comes to: threads that write a log, a check of
 * patterns in the paths of routes, which is made wherever the code runs as it is, a search for keys in all places
 * where AWS's clients find some, and what undici has beside a client for HTTP. Functions tell AWS's clients the key of
 * their role, which is in none of these places any more.
 */
const stubs: Readonly<Record<string, string>> = {
  '@aws-sdk/credential-provider-node/(?:dist-es/)?index': `export const defaultProvider = () => async () => {
    throw new Error('A client of AWS was made without the key of its function: AWS_ACCESS_KEY_ID or AWS_SECRET_ACCESS_KEY was not set when the function started.')
  }`,
  'thread-stream/index':
    'module.exports = class { constructor() { throw new Error("Logs are written by no thread.") } }',
  'safe-regex2/index': 'module.exports = () => true',
  'undici/lib/(?:mock|web/(?:cookies|eventsource|websocket))/.*': 'module.exports = {}',
}

const stubUnusedModules: Plugin = {
  name: 'not-reached',
  setup(build) {
    for (const [modules, contents] of Object.entries(stubs))
      build.onLoad({ filter: new RegExp(`/node_modules/${modules}\\.js$`) }, () => ({
        contents,
        loader: 'js',
      }))
  },
}

/** Packages that are native or load files of their own; they stay packages beside the bundle. */
export const unbundled = ['sharp', 'wasmagic'] as const

/** What their packages do without where it is not there: a native helper, and a form that sketches are not sent in. */
export const omittedPackages = ['cpu-features', 'protobufjs'] as const

/** Packages in the older module format call require, which a module does not have. */
export const requireBanner =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);"

export const bundleOptions = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  // The form of a package of which only what is used is taken, where it has one.
  mainFields: ['module', 'main'],
  banner: { js: requireBanner },
  plugins: [keepSourceUrls],
} as const satisfies BuildOptions

/**
 * Of a function in a zip package. What is imported when it is needed lies in files of its own, so that a cold start reads
 * only what each request takes (see merge-start-chunks.ts, which adds `requiring`). The maps stay beside the packages.
 */
export const functionBundleOptions = {
  ...bundleOptions,
  banner: {},
  plugins: [importFromLayers, ...bundleOptions.plugins, stubUnusedModules],
  splitting: true,
  minify: true,
  sourcemap: 'external',
  sourcesContent: false,
  outExtension: { '.js': '.mjs' },
} as const satisfies BuildOptions

/** What only engines load, which run in images. */
export const enginePackages = ['docx', 'pptxgenjs', 'sharp'] as const

/** What they load when they run, and code that is shared with them: zip packages plan for engines and run none. */
const engineOnlyModules = ['engines', 'iconv-lite', 'chardet', 'fast-xml-parser']

/** What only those functions load that reach something outside. */
const packagesByTarget: Readonly<Record<OutboundTarget, readonly string[]>> = {
  stores: ['undici', 'ssh2', '@azure/storage-blob'],
  websites: ['undici'],
  receivers: ['undici'],
  drives: ['undici', 'openid-client'],
  mail: ['nodemailer'],
  'sign-in': [],
  sockets: ['@aws-sdk/client-apigatewaymanagementapi'],
}

/** Packages of which a function has no use, though code that it shares with others could load them. */
export function excludedPackages({
  reaches = [],
  plans,
}: Pick<FunctionDeclaration, 'reaches' | 'plans'>): readonly string[] {
  const wanted = new Set(reaches.flatMap((one) => packagesByTarget[one]))
  const unwanted = Object.values(packagesByTarget).flat()
  return [...engineOnlyModules, ...unwanted.filter((one) => !wanted.has(one)), ...(plans ? [] : ['planning'])]
}
