import { readFile } from 'node:fs/promises'
import { dirname, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'esbuild'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Replaces `import.meta.url` in a bundle with the URL of the module's source, so that modules find files next to their
 * sources. Files must be packaged under their paths in the checkout.
 * @param relativeRoot relative path from the folder of the bundle, such as `../`.
 */
export const keepSourceUrls = (relativeRoot: string): Plugin => ({
  name: 'source-addresses',
  setup(build) {
    build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      if (path.includes('/node_modules/') || !source.includes('import.meta.')) return undefined
      const getUrlExpression = (file: string) =>
        `new URL('${relativeRoot}${relative(root, file)}', import.meta.url)`
      const contents = source.replace(/\bimport\.meta\.(url|dirname|filename)\b/g, (_, property) => {
        if (property === 'url') return `${getUrlExpression(path)}.href`
        return `decodeURIComponent(${getUrlExpression(property === 'filename' ? path : dirname(path))}.pathname)`
      })
      return { contents, loader: 'ts' }
    })
  },
})
