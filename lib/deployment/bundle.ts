import type { BuildOptions, Plugin } from 'esbuild'
import { keepSourceUrls } from '../decoders/source-urls.ts'
import type { FunctionDeclaration, OutboundTarget } from '../resources/function-declaration.ts'
import { importFromLayers } from './lambda-layers.ts'

/**
 * Replacements for modules that dependencies load but the service never uses: log writer threads, the check of route
 * patterns (tests do it), AWS credential providers, and the unused parts of undici. Functions pass the credentials of
 * their role to the SDK's clients, so no provider is needed.
 */
const stubs: Readonly<Record<string, string>> = {
  '@aws-sdk/credential-provider-node/(?:dist-es/)?index': `export const defaultProvider = () => async () => {
    throw new Error('An AWS client was created without credentials: AWS_ACCESS_KEY_ID or AWS_SECRET_ACCESS_KEY was not set when the function started.')
  }`,
  // Endpoint discovery is off by default, and its cache would add an LRU map to the bundle.
  '@aws-sdk/endpoint-cache/dist-es/EndpointCache':
    'export class EndpointCache { getEndpoint() {} get() {} set() {} delete() {} }',
  'thread-stream/index':
    'module.exports = class { constructor() { throw new Error("Log writer threads are not supported in functions.") } }',
  'safe-regex2/index': 'module.exports = () => true',
  'undici/lib/(?:mock|web/(?:cookies|eventsource|websocket))/.*': 'module.exports = {}',
}

const stubUnusedModules: Plugin = {
  name: 'not-reached',
  setup(build) {
    for (const [modulePattern, contents] of Object.entries(stubs))
      build.onLoad({ filter: new RegExp(`/node_modules/${modulePattern}\\.js$`) }, () => ({
        contents,
        loader: 'js',
      }))
  },
}

/** Packages that are native or load their own files. They are installed next to the bundle instead of being bundled. */
export const unbundledPackages = ['sharp', 'wasmagic'] as const

/**
 * Optional dependencies that can be left out: `cpu-features` is a native helper of ssh2, which works without it, and
 * nothing here encodes messages with `protobufjs`.
 */
export const omittedPackages = ['cpu-features', 'protobufjs'] as const

/** Defines `require` for bundled CommonJS packages; ES modules do not have it. */
export const requireBanner =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);"

export const bundleOptions = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  // Prefers the ES module of a package, which can be tree-shaken.
  mainFields: ['module', 'main'],
  banner: { js: requireBanner },
  // ES modules have no `__dirname`. ssh2 refers to it when it loads its WebAssembly, which is part of its code.
  define: { __dirname: 'import.meta.dirname' },
  // Source paths are relative to the root of the package; bundles such as functions/core-api.mjs are one folder below.
  plugins: [keepSourceUrls('../')],
} as const satisfies BuildOptions

/**
 * Options for functions in zip packages. Dynamic imports become separate files, so that a cold start only reads what
 * every request needs (see merge-start-chunks.ts, which adds `requireBanner`). Source maps are not part of the
 * packages.
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

/** Packages that only engines load; engines run in images. */
export const enginePackages = [
  ...['@kenjiuno/decompressrtf', '@kenjiuno/msgreader', 'docx', 'pptxgenjs', 'rtf-stream-parser'],
  'sharp',
] as const

/** Modules that engines load when they run: zip packages plan conversions but never run an engine. */
const engineOnlyModules = ['engines', 'iconv-lite', 'chardet']

/** Packages by outbound target: only functions with this target load them. */
const packagesByTarget: Readonly<Record<OutboundTarget, readonly string[]>> = {
  // The Azure client needs fast-xml-parser, and so do engines.
  stores: ['undici', 'ssh2', '@azure/storage-blob', 'fast-xml-parser'],
  websites: ['undici'],
  receivers: ['undici'],
  drives: ['undici', 'openid-client'],
  mail: ['nodemailer'],
  'sign-in': [],
  sockets: ['@aws-sdk/client-apigatewaymanagementapi'],
}

/**
 * Returns the packages that a function never uses, although code that it shares with other functions could load them.
 */
export function listExcludedPackages({
  reaches: targets = [],
  plans,
}: Pick<FunctionDeclaration, 'reaches' | 'plans'>): readonly string[] {
  const wantedPackages = new Set(targets.flatMap((target) => packagesByTarget[target]))
  const targetPackages = Object.values(packagesByTarget).flat()
  return [
    ...engineOnlyModules,
    ...targetPackages.filter((targetPackage) => !wantedPackages.has(targetPackage)),
    ...(plans ? [] : ['planning']),
    ...(targets.includes('stores') ? [] : ['stores']),
  ]
}
