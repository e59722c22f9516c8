import { readFile } from 'node:fs/promises'
import { dirname, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BuildOptions, Plugin } from 'esbuild'
import { languages } from '../../functions/web/places.ts'
import type { FunctionDeclaration, Outside } from '../resources.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * A module finds the files beside it by its own address, which in a bundle is that of the bundle. Bundles lie
 * one folder below the root, as functions/api.mjs does, so each module gets back the address that its source
 * has under that root; the files have to be packed under their own paths.
 */
const sourceAddresses: Plugin = {
  name: 'source-addresses',
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      if (path.includes('/node_modules/') || !source.includes('import.meta.')) return undefined
      const addressOf = (file: string) => `new URL('../${relative(root, file)}', import.meta.url)`
      const contents = source.replace(/\bimport\.meta\.(url|dirname|filename)\b/g, (_, property) => {
        if (property === 'url') return `${addressOf(path)}.href`
        return `decodeURIComponent(${addressOf(property === 'filename' ? path : dirname(path))}.pathname)`
      })
      return { contents, loader: 'ts' }
    })
  },
}

const asModule = (name: string, value: unknown, read: string) => ({
  contents: `let made\nexport const ${name} = async (language) => { made ??= JSON.parse(${JSON.stringify(JSON.stringify(value))}); return ${read} }`,
  loader: 'js' as const,
})

/** The package holds the page as it was built, and not what builds it. */
const builtPages: Plugin = {
  name: 'built-pages',
  setup(build) {
    build.onLoad({ filter: /\/lib\/page\/build\.ts$/ }, async () => {
      const { buildPage } = await import('../page/build.ts')
      const pages = await Promise.all(
        languages.map(async (language) => [language, await buildPage(language)] as const),
      )
      return asModule('buildPage', Object.fromEntries(pages), 'made[language] ?? made.en')
    })
    build.onLoad({ filter: /\/lib\/page\/drawing\.ts$/ }, async () => {
      const { buildDrawing } = await import('../page/drawing.ts')
      return asModule('buildDrawing', await buildDrawing(), 'made')
    })
  },
}

/** Packages that are native or load files of their own; they stay packages beside the bundle. */
export const unbundled = ['sharp', 'wasmagic'] as const

/** What their packages do without where it is not there: a native helper, and a form that sketches are not sent in. */
export const leftOut = ['cpu-features', 'protobufjs'] as const

export const bundleOptions = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  // Packages in the older module format call require, which a module does not have.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  plugins: [builtPages, sourceAddresses],
} as const satisfies BuildOptions

/**
 * Of a function in a zip package. What is imported when it is needed lies in files of its own, so that a cold start reads
 * only what each request takes. The maps stay beside the packages.
 */
export const functionOptions = {
  ...bundleOptions,
  splitting: true,
  minify: true,
  sourcemap: 'external',
  sourcesContent: false,
  outExtension: { '.js': '.mjs' },
} as const satisfies BuildOptions

/** What only engines load, which run in images. */
export const packagesOfEngines = ['docx', 'pptxgenjs', 'sharp'] as const

/** What only those functions load that reach something outside. */
const packagesFor: Readonly<Record<Outside, readonly string[]>> = {
  stores: ['undici', 'ssh2', '@azure/storage-blob'],
  websites: ['undici'],
  receivers: ['undici'],
  drives: ['undici', 'openid-client'],
  mail: ['nodemailer'],
  'sign-in': [],
  sockets: ['@aws-sdk/client-apigatewaymanagementapi'],
}

/** What only those functions load that tell formats apart, and engines when they run. */
const packagesForFiles = ['engines', 'unpdf', 'wasmagic', 'iconv-lite', 'fast-xml-parser', 'chardet']

/** Packages of which a function has no use, though code that it shares with others could load them. */
export function packagesWithout({
  reaches = [],
  readsFiles,
}: Pick<FunctionDeclaration, 'reaches' | 'readsFiles'>): readonly string[] {
  const wanted = new Set(reaches.flatMap((one) => packagesFor[one]))
  const unwanted = Object.values(packagesFor).flat()
  return [...unwanted.filter((one) => !wanted.has(one)), ...(readsFiles ? [] : packagesForFiles)]
}
