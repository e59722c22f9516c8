import { languages } from '../../functions/web/section-paths.ts'
import type { CompressedFile } from '../page/compression.ts'

type Bodies = Readonly<Record<string, CompressedFile>>
type BodyIndexes = readonly (readonly [name: string, at: number])[]

/**
 * Collects response bodies. Each is stored once, because languages share files, and only with Brotli, the smaller
 * encoding.
 */
class BodyPool {
  readonly bodies: string[] = []
  readonly #indexByBody = new Map<string, number>()

  add(encodedBodies: Bodies): BodyIndexes {
    return Object.entries(encodedBodies).map(([name, { br }]) => {
      const at = this.#indexByBody.get(br) ?? this.bodies.push(br) - 1
      this.#indexByBody.set(br, at)
      return [name, at]
    })
  }
}

/**
 * Returns the code that restores the bodies of a pool in a generated module; gzip bodies are created when first
 * requested.
 */
const createModuleHeader = (pool: BodyPool, otherExports: object) => `
import { brotliDecompressSync, gzipSync } from 'node:zlib'
const { bodies, rest } = JSON.parse(${JSON.stringify(JSON.stringify({ bodies: pool.bodies, rest: otherExports }))})
const gzipBody = (br) => gzipSync(brotliDecompressSync(Buffer.from(br, 'base64'))).toString('base64')
const encoded = bodies.map((br) => {
  let gzip
  return { br, get gzip() { return (gzip ??= gzipBody(br)) } }
})
const bodiesByName = (numbered) => Object.fromEntries(numbered.map(([name, at]) => [name, encoded[at]]))
`

async function createPageModule(): Promise<string> {
  const { buildPage } = await import('../page/build.ts')
  const pool = new BodyPool()
  const rest: Record<string, object> = {}
  for (const language of languages) {
    const { documents, files, styleHash } = await buildPage(language)
    rest[language] = { documents: pool.add(documents), files: pool.add(files), styleHash }
  }
  return `${createModuleHeader(pool, rest)}
export const buildPage = async (language) => {
  const { documents, files, styleHash } = rest[language] ?? rest.en
  return { documents: bodiesByName(documents), files: bodiesByName(files), styleHash }
}`
}

async function createDrawingModule(): Promise<string> {
  const { buildDrawingFiles } = await import('../page/build-drawing.ts')
  const pool = new BodyPool()
  const files = pool.add(await buildDrawingFiles())
  return `${createModuleHeader(pool, files)}
export const buildDrawingFiles = async () => bodiesByName(rest)`
}

/** Generators of modules that contain the finished page, by the path of the module that builds it on one machine. */
export const prebuiltModules: Readonly<Record<string, () => Promise<string>>> = {
  'lib/page/build.ts': createPageModule,
  'lib/page/build-drawing.ts': createDrawingModule,
}
