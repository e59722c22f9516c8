import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type BuildOptions, build, type Metafile, type Plugin, transform } from 'esbuild'
import {
  type DocumentId,
  documentIds,
  findSection,
  type Language,
  type RenderDocument,
  type SectionId,
} from '../../functions/web/section-paths.ts'
import { styleHash } from '../http/replies/security-headers.ts'
import { webFolder } from './asset-folder.ts'
import { browserTargets } from './browsers.ts'
import { type CompressedFile, compress } from './compression.ts'

/**
 * The page as it is served. On a single machine, it is built from source when first requested; on AWS, the package
 * contains the built page (lib/deployment/lambda-layers.ts replaces this module).
 */
export interface BuiltPage {
  readonly documents: Readonly<Record<DocumentId, CompressedFile>>
  /** Files by name, which contains a hash of the content. */
  readonly files: Readonly<Record<string, CompressedFile>>
  /** Hash of the inline styles, as `'sha256-…'`, for the content security policy. */
  readonly styleHash: string
}

const getWebPath = (path: string) => join(webFolder, path)

/** Style sheets for the first paint. They are inlined, because a request would delay the first paint. */
const criticalStyles = ['app.css', 'controls.css']

export async function buildPage(language: Language): Promise<BuiltPage> {
  const styles = await Promise.all(criticalStyles.map((path) => readFile(getWebPath(path), 'utf8')))
  const { code } = await transform(styles.join('\n'), {
    loader: 'css',
    minify: true,
    target: browserTargets[0],
  })
  const style = code.trim()
  const { outputFiles, metafile } = await build({
    ...bundleOptions(language),
    entryPoints: [getWebPath('start.tsx')],
    inject: [getWebPath('shell/shared-chunk.ts')],
    outdir: '/web',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    splitting: true,
    metafile: true as const,
    minify: true,
  })
  const findChunks = createChunkFinder(metafile)
  const renderDocument = await loadRenderer(language)
  const documentEntries = documentIds.map(async (id) => {
    const { script, preload } = findChunks(findSection(id))
    const html = renderDocument(id, { script, preload, style })
    return [id, await compress(Buffer.from(html))] as const
  })
  const files = outputFiles.map(
    async ({ path, contents }) => [basename(path), await compress(contents)] as const,
  )
  return {
    documents: Object.fromEntries(await Promise.all(documentEntries)) as BuiltPage['documents'], // one per id
    files: Object.fromEntries(await Promise.all(files)),
    styleHash: styleHash(style),
  }
}

const bundleOptions = (language: Language) =>
  ({
    bundle: true,
    write: false as const,
    format: 'esm' as const,
    target: [...browserTargets],
    jsx: 'automatic' as const,
    jsxImportSource: 'preact',
    define: { LANGUAGE: JSON.stringify(language) },
    plugins: [catalogPlugin(language), stylesAsText, iconsAsData, convertEntryPlugin],
    absWorkingDir: webFolder,
    logLevel: 'silent' as const,
  }) satisfies BuildOptions

/**
 * Replaces the English catalogs, which the source imports, with the catalogs of a language. Each language is built
 * separately, so that no page loads other catalogs.
 */
const catalogPlugin = (language: Language): Plugin => ({
  name: 'words',
  setup: ({ onResolve, onLoad }) => {
    if (language === 'en') return
    onResolve({ filter: /\/words\/en\.ts$/ }, ({ path, resolveDir, namespace }) => {
      if (namespace === 'mirrored') return undefined
      const englishPath = join(resolveDir, path)
      if (language === 'mirrored') return { path: englishPath, namespace: 'mirrored' }
      return { path: englishPath.replace(/en\.ts$/, `${language}.ts`) }
    })
    onLoad({ filter: /.*/, namespace: 'mirrored' }, ({ path }) => ({
      contents: `import words from './words/en.ts'; import { pseudoLocalize } from ${JSON.stringify(getWebPath('shell/pseudo-locale.ts'))}; export default pseudoLocalize(words)`,
      loader: 'ts',
      resolveDir: join(path, '../..'),
    }))
  },
})

/**
 * Makes the parts of the section Convert that are loaded on demand (modules with a default export) import the entry
 * module of the section. Otherwise, shared code would be split into a chunk for each combination of parts. In the
 * source, such an import would be circular.
 */
const convertEntryPlugin: Plugin = {
  name: 'core',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/sections\/convert\/[\w/-]{1,40}\.tsx$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      if (!/^export default /m.test(source)) return undefined
      const entryPath = JSON.stringify(getWebPath('sections/convert/entry.ts'))
      return { contents: `import ${entryPath}\n${source}`, loader: 'tsx' }
    })
  },
}

const stylesAsText: Plugin = {
  name: 'styles',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, 'utf8'), {
        loader: 'css',
        minify: true,
        target: browserTargets[0],
      })
      return { contents: code.trim(), loader: 'text' }
    })
  },
}

/** Turns the SVG of an icon into elements with attributes, because the page may not parse HTML. */
const iconsAsData: Plugin = {
  name: 'icons',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/lucide-static\/icons\/[\w-]{1,40}\.svg$/ }, async ({ path }) => {
      const svg = await readFile(path, 'utf8')
      const elements = [...svg.matchAll(/<(path|circle|rect|line|polyline|polygon|ellipse) ([^>]*)\/>/g)].map(
        ([, tag, attributes = '']) => [
          tag,
          Object.fromEntries(
            [...attributes.matchAll(/([\w-]{1,20})="([^"]*)"/g)].map(([, name, value]) => [name, value]),
          ),
        ],
      )
      return { contents: JSON.stringify(elements), loader: 'json' }
    })
  },
}

/** Returns a function that finds the start script and the chunks that a section needs immediately. */
function createChunkFinder({ outputs }: Metafile) {
  const entries = Object.entries(outputs).map(([path, output]) => ({ name: basename(path), ...output }))
  const findEntry = (suffix: string) => entries.find(({ entryPoint }) => entryPoint?.endsWith(suffix))
  const startEntry = findEntry('start.tsx')
  if (!startEntry) throw new Error('the bundle of the page has no start script')
  const collectNeeded = (
    from: (typeof entries)[number] | undefined,
    foundModules = new Set<string>(),
  ): Set<string> => {
    for (const { path, kind } of from?.imports ?? []) {
      const name = basename(path)
      if (kind !== 'import-statement' || foundModules.has(name)) continue
      foundModules.add(name)
      collectNeeded(
        entries.find((entry) => entry.name === name),
        foundModules,
      )
    }
    return foundModules
  }
  return (section: SectionId | undefined) => {
    const module = section && findEntry(`sections/${section}/section.tsx`)
    const neededModules = new Set([
      ...collectNeeded(startEntry),
      ...(module ? [module.name, ...collectNeeded(module)] : []),
    ])
    neededModules.delete(startEntry.name)
    return { script: `/web/${startEntry.name}`, preload: [...neededModules].map((name) => `/web/${name}`) }
  }
}

/** Loads the renderer of documents, which are TSX components that Node cannot import directly. */
async function loadRenderer(language: Language): Promise<RenderDocument> {
  const { outputFiles } = await build({
    ...bundleOptions(language),
    entryPoints: [getWebPath('document.tsx')],
  })
  const source = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64')
  const { renderDocument } = (await import(`data:text/javascript;base64,${source}`)) as {
    renderDocument: RenderDocument
  } // the only export of the module
  return renderDocument
}
