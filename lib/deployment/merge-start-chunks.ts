import { basename, dirname, join } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { requireBanner } from './bundle.ts'

/** Contents of files by their paths relative to the checkout. */
type CodeByPath = ReadonlyMap<string, Uint8Array>

const decode = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString()

/** Adds `require` to a chunk that uses it, and shifts its source map by the added line. */
export function addRequireBanner(code: Uint8Array, map: Uint8Array): { code: Uint8Array; map: Uint8Array } {
  const text = decode(code)
  if (!/\brequire\b/.test(text)) return { code, map }
  const { mappings, ...rest } = JSON.parse(decode(map))
  return {
    code: Buffer.from(`${requireBanner}\n${text}`),
    map: Buffer.from(JSON.stringify({ ...rest, mappings: `;${mappings}` })),
  }
}

/** Returns a unique name for an export of a chunk. */
const getExportName = (path: string, name: string) => `${basename(path, '.mjs').replaceAll('-', '_')}_${name}`

interface MergedStart {
  /** The entry with the code of the chunks that it imports. */
  readonly code: Uint8Array
  readonly map: Uint8Array
  /** Replacements for chunks that are loaded later; they re-export from the entry. */
  readonly chunks: CodeByPath
}

/**
 * Merges all modules that are loaded at the start into one, because Node takes at least half a millisecond to find,
 * read and link a module of any size. Code that is loaded later gets the same instances, so that classes and state
 * exist only once.
 */
export async function mergeStartChunks(
  entry: string,
  chunks: readonly string[],
  builtFiles: CodeByPath,
  { outputs }: Metafile,
): Promise<MergedStart> {
  const exportsByChunk = chunks.map((path) => ({ path, names: outputs[path]?.exports ?? [] }))
  const getSiblingPath = (path: string) => `./${basename(path)}`
  const contents = [
    `export * from '${getSiblingPath(entry)}'`,
    ...exportsByChunk.map(({ path, names }) => {
      const list = names.map((name) => `${name} as ${getExportName(path, name)}`)
      return `export { ${list.join(', ')} } from '${getSiblingPath(path)}'`
    }),
  ].join('\n')
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: '/' },
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    minify: true,
    write: false,
    sourcemap: 'external',
    sourcesContent: false,
    outfile: `/${entry}`,
    banner: { js: requireBanner },
    plugins: [
      {
        name: 'made-before',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /.*/ }, ({ path, kind }) => {
            const localPath = join(dirname(entry), path)
            if (kind === 'dynamic-import' || ![entry, ...chunks].includes(localPath))
              return { path, external: true }
            return { path: localPath, namespace: 'made' }
          })
          onLoad({ filter: /.*/, namespace: 'made' }, ({ path }) => {
            const map = Buffer.from(builtFiles.get(`${path}.map`) ?? []).toString('base64')
            const sourceMapComment = `//# sourceMappingURL=data:application/json;base64,${map}`
            return { contents: `${decode(builtFiles.get(path))}\n${sourceMapComment}`, loader: 'js' }
          })
        },
      },
    ],
  })
  const [map, code] = [...outputFiles].sort((a, b) => b.path.length - a.path.length)
  if (!map || !code) throw new Error(`esbuild produced no output for ${entry}`)
  const createStub = ({ path, names }: (typeof exportsByChunk)[number]) => {
    const list = names.map((name) => `${getExportName(path, name)} as ${name}`)
    return [path, Buffer.from(`export{${list.join(',')}}from'${getSiblingPath(entry)}'`)] as const
  }
  return { code: code.contents, map: map.contents, chunks: new Map(exportsByChunk.map(createStub)) }
}
