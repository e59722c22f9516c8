import { readFile } from 'node:fs/promises'
import { dirname, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BuildOptions, Plugin } from 'esbuild'

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

/** Packages that are native or load files of their own; they stay packages beside the bundle. */
export const unbundled = ['sharp', 'wasmagic', 'swagger-ui-dist'] as const

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
  plugins: [sourceAddresses],
} as const satisfies BuildOptions

/** For `custom.esbuild` of serverless.yml. */
export const serverlessEsbuild = () => ({
  ...bundleOptions,
  outputFileExtension: '.mjs',
  // Kept for a rebuild, esbuild would keep the command from ending when a source is wrong.
  skipRebuild: true,
  // Not `external`: that would have npm install them anew, over the network and without the lockfile.
  exclude: [...unbundled, ...leftOut],
})
