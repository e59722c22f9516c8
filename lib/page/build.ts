import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type BuildOptions, build, type Metafile, type Plugin, transform } from 'esbuild'
import {
  type Language,
  type RenderDocument,
  type SectionId,
  sectionIds,
} from '../../functions/web/section-paths.ts'
import { webFolder } from '../asset-folder.ts'
import { styleHash } from '../http/security-headers.ts'
import { browserTargets } from './browsers.ts'
import { type CompressedFile, compress } from './compression.ts'

/**
 * The page as it is served. On one machine it is made here when it is first asked for, from the sources; a
 * function has it as it was made at packaging (lib/deployment/lambda-layers.ts puts it in place of this module).
 */
export interface BuiltPage {
  /** Documents by place; `none` is the one of what is not there. */
  readonly documents: Readonly<Record<SectionId | 'none', CompressedFile>>
  /** By name; a name holds a hash of what is in it. */
  readonly files: Readonly<Record<string, CompressedFile>>
  /** `'sha256-…'` of the rules in the documents, for their policy. */
  readonly styleHash: string
}

const webPath = (path: string) => join(webFolder, path)

/** Rules that the first sight needs; they stand in the document, as a request for them would delay the first paint. */
const criticalStyles = ['app.css', 'controls.css']

export async function buildPage(language: Language): Promise<BuiltPage> {
  const styles = await Promise.all(criticalStyles.map((path) => readFile(webPath(path), 'utf8')))
  const { code } = await transform(styles.join('\n'), {
    loader: 'css',
    minify: true,
    target: browserTargets[0],
  })
  const style = code.trim()
  const { outputFiles, metafile } = await build({
    ...sharedOptions(language),
    entryPoints: [webPath('start.tsx')],
    inject: [webPath('shell/shared-chunk.ts')],
    outdir: '/web',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    splitting: true,
    metafile: true as const,
    minify: true,
  })
  const scripts = chunkFinder(metafile)
  const renderDocument = await loadRenderer(language)
  const documentEntries = [...sectionIds, 'none' as const].map(async (section) => {
    const { script, preload } = scripts(section === 'none' ? undefined : section)
    const html = renderDocument(section === 'none' ? undefined : section, { script, preload, style })
    return [section, await compress(Buffer.from(html))] as const
  })
  const files = outputFiles.map(
    async ({ path, contents }) => [basename(path), await compress(contents)] as const,
  )
  return {
    documents: Object.fromEntries(await Promise.all(documentEntries)) as BuiltPage['documents'], // by every place
    files: Object.fromEntries(await Promise.all(files)),
    styleHash: styleHash(style),
  }
}

const sharedOptions = (language: Language) =>
  ({
    bundle: true,
    write: false as const,
    format: 'esm' as const,
    target: [...browserTargets],
    jsx: 'automatic' as const,
    jsxImportSource: 'preact',
    define: { LANGUAGE: JSON.stringify(language) },
    plugins: [catalogPlugin(language), stylesAsText, convertEntryPlugin],
    absWorkingDir: webFolder,
    logLevel: 'silent' as const,
  }) satisfies BuildOptions

/** Each language is a bundle of its own, so that nobody loads the words of others: sources name the English ones. */
const catalogPlugin = (language: Language): Plugin => ({
  name: 'words',
  setup: ({ onResolve, onLoad }) => {
    if (language === 'en') return
    onResolve({ filter: /\/words\/en\.ts$/ }, ({ path, resolveDir, namespace }) => {
      if (namespace === 'mirrored') return undefined
      const english = join(resolveDir, path)
      if (language === 'mirrored') return { path: english, namespace: 'mirrored' }
      return { path: english.replace(/en\.ts$/, `${language}.ts`) }
    })
    onLoad({ filter: /.*/, namespace: 'mirrored' }, ({ path }) => ({
      contents: `import words from './words/en.ts'; import { pseudoLocalize } from ${JSON.stringify(webPath('shell/mirrored.ts'))}; export default pseudoLocalize(words)`,
      loader: 'ts',
      resolveDir: join(path, '../..'),
    }))
  },
})

/**
 * Parts of Convert that are loaded later, which are those with a default export, bring its core with them: else what they
 * share with it would fall into a chunk for each set of them. In the sources that would be a circle.
 */
const convertEntryPlugin: Plugin = {
  name: 'core',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/sections\/convert\/.*\.tsx$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      if (!/^export default /m.test(source)) return undefined
      const core = JSON.stringify(webPath('sections/convert/entry.ts'))
      return { contents: `import ${core}\n${source}`, loader: 'tsx' }
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

/** Of a place: the script that starts the page, and the chunks that it needs at once. */
function chunkFinder({ outputs }: Metafile) {
  const entries = Object.entries(outputs).map(([path, output]) => ({ name: basename(path), ...output }))
  const named = (suffix: string) => entries.find(({ entryPoint }) => entryPoint?.endsWith(suffix))
  const start = named('start.tsx')
  if (!start) throw new Error('the bundle of the page has no start')
  const needed = (from: (typeof entries)[number] | undefined, found = new Set<string>()): Set<string> => {
    for (const { path, kind } of from?.imports ?? []) {
      const name = basename(path)
      if (kind !== 'import-statement' || found.has(name)) continue
      found.add(name)
      needed(
        entries.find((entry) => entry.name === name),
        found,
      )
    }
    return found
  }
  return (section: SectionId | undefined) => {
    const module = section && named(`sections/${section}/section.tsx`)
    const all = new Set([...needed(start), ...(module ? [module.name, ...needed(module)] : [])])
    all.delete(start.name)
    return { script: `/web/${start.name}`, preload: [...all].map((name) => `/web/${name}`) }
  }
}

/** The documents are drawn by the components of the page, which Node does not read as they are. */
async function loadRenderer(language: Language): Promise<RenderDocument> {
  const { outputFiles } = await build({ ...sharedOptions(language), entryPoints: [webPath('document.tsx')] })
  const source = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64')
  const { renderDocument } = (await import(`data:text/javascript;base64,${source}`)) as {
    renderDocument: RenderDocument
  } // by that source
  return renderDocument
}
