import type { Plugin } from 'esbuild'
import { languages } from '../../functions/web/places.ts'
import type { BuiltPage, Encoded } from '../page/build.ts'

type Bodies = Readonly<Record<string, Encoded>>

/** What stands in place of lib/page/build.ts: bodies in the smaller coding, and each once, as languages share files. */
async function pages() {
  const { buildPage } = await import('../page/build.ts')
  const bodies: string[] = []
  const places = new Map<string, number>()
  const numbered = (encoded: Bodies) =>
    Object.entries(encoded).map(([name, { br }]) => {
      const at = places.get(br) ?? bodies.push(br) - 1
      places.set(br, at)
      return [name, at] as const
    })
  const made: [language: string, page: object][] = []
  for (const language of languages) {
    const { documents, files, styleHash }: BuiltPage = await buildPage(language)
    made.push([language, { documents: numbered(documents), files: numbered(files), styleHash }])
  }
  return { bodies, pages: Object.fromEntries(made) }
}

const module = (built: object) => `
import { brotliDecompressSync, gzipSync } from 'node:zlib'
const { bodies, pages } = JSON.parse(${JSON.stringify(JSON.stringify(built))})
const encoded = bodies.map((br) => {
  let gzip
  return { br, get gzip() { return (gzip ??= gzipSync(brotliDecompressSync(Buffer.from(br, 'base64')), { level: 9 }).toString('base64')) } }
})
const named = (numbered) => Object.fromEntries(numbered.map(([name, at]) => [name, encoded[at]]))
export const buildPage = async (language) => {
  const { documents, files, styleHash } = pages[language] ?? pages.en
  return { documents: named(documents), files: named(files), styleHash }
}
`

/** What draws pages of PDFs is fetched by few. */
const drawing = (built: object) =>
  `let made\nexport const buildDrawing = async () => (made ??= JSON.parse(${JSON.stringify(JSON.stringify(built))}))`

/** The package holds the page as it was built, and not what builds it. */
export const builtPages: Plugin = {
  name: 'built-pages',
  setup(build) {
    build.onLoad({ filter: /\/lib\/page\/build\.ts$/ }, async () => ({
      contents: module(await pages()),
      loader: 'js',
    }))
    build.onLoad({ filter: /\/lib\/page\/drawing\.ts$/ }, async () => {
      const { buildDrawing } = await import('../page/drawing.ts')
      return { contents: drawing(await buildDrawing()), loader: 'js' }
    })
  },
}
