import * as z from 'zod'
import { AppError } from '../../errors.ts'
import type { InputFile } from '../engine.ts'
import { type Book, type BookItem, decoded, readEpub } from './epub.ts'
import { evaluate } from './evaluate.ts'
import { held, nowhere, type Page, type PageSource } from './page.ts'
import type { Sheet } from './paper.ts'
import { partKey } from './web-archive.ts'

const Looks = z.array(z.union([z.object({ text: z.string() }), z.object({ href: z.string() })]))
type Looks = z.output<typeof Looks>

/** Style sheets that name others that name others; nobody nests them deeper on purpose. */
const mostImports = 5

/**
 * A book as one page: its documents one below the other, each with its own style sheets, on paper of this size. They come
 * out of the book one by one; the network is never asked.
 * @throws AppError CORRUPT_FILE, FILE_TOO_LARGE.
 */
export async function bookSource(
  { path, size }: InputFile,
  title: string,
  sheet: Sheet,
): Promise<PageSource> {
  const book = await readEpub(path, size).catch((error: unknown) => {
    throw error instanceof AppError ? error : damaged(error)
  })
  if (book.chapters.length === 0) throw damaged(undefined)
  return {
    url: nowhere,
    title: book.title ?? title,
    page: { bytes: Buffer.from(shell(book, sheet)), contentType: 'text/html; charset=utf-8' },
    async part(key) {
      const name = nameOf(key)
      const bytes = name === undefined ? undefined : await book.read(name)
      return bytes && name !== undefined ? { bytes, contentType: book.typeOf(name) } : undefined
    },
    prepare: (call) => fill(call, book),
  }
}

const addressOf = (name: string) => new URL(name.split('/').map(encodeURIComponent).join('/'), nowhere).href

function nameOf(key: string): string | undefined {
  const root = partKey(nowhere)
  if (!key.startsWith(root)) return undefined
  try {
    return decodeURIComponent(key.slice(root.length).replace(/\?.*$/s, ''))
  } catch {
    return undefined
  }
}

/** The page that the documents come into. What a book says goes before all but what keeps it on the paper. */
function shell({ language = '', title = '', authors }: Book, { paper, area }: Sheet): string {
  const escaped = (text: string) => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
  return `<!doctype html><html lang="${escaped(language)}"><meta charset="utf-8"><title>${escaped(title)}</title>${authors.map((name) => `<meta name="author" content="${escaped(name)}">`).join('')}<style>
@page cover { margin: 0 !important }
html { margin: 0 !important; padding: 0 !important; background: none !important }
@layer {
  body { margin: 0; font-family: serif; line-height: 1.4 }
  h1, h2, h3, h4, h5, h6 { break-after: avoid }
  p { orphans: 2; widows: 2 }
  img, svg, figure, tr { break-inside: avoid }
  img, svg, video { max-width: 100% !important; max-height: ${area.height}mm !important; object-fit: contain }
  table { max-width: ${area.width}mm }
}
[data-book] + [data-book] { break-before: page }
[data-book=cover] { page: cover; height: calc(${paper.height}mm - 1px); overflow: hidden }
[data-book=cover] :has(img, svg) { display: block; width: 100%; height: 100%; max-width: none; margin: 0; padding: 0; text-align: center }
[data-book=cover] :is(img, svg) { width: 100%; height: 100%; max-width: 100% !important; max-height: 100% !important; margin: 0 }
</style><img src="${held}">`
}

async function fill(call: Page['call'], book: Book): Promise<void> {
  await call(z.looseObject({}), 'Runtime.evaluate', { expression: 'document.body.remove()' })
  const chapters = await textsOf(book)
  const looks: string[][] = []
  for (const [index, { item, text }] of chapters.entries()) {
    const page = book.isFixed ? pageOf(text, index) : undefined
    const args = { text, loose: withEndTags(text), url: addressOf(item.name), index, ...(page && { page }) }
    const found = await evaluate(call, Looks, ['book', 'addChapter'], args)
    looks.push(await Promise.all(found.map((look) => sheetOf(look, book))))
    if (page) await addPage(call, page)
  }
  const sets = Map.groupBy(looks.entries(), ([, sheets]) => sheets.join('\n'))
  for (const [text, members] of sets) {
    const own = sets.size > 1 ? { chapters: members.map(([index]) => index) } : {}
    if (text !== '') await evaluate(call, z.unknown(), ['book', 'addLook'], { text, ...own })
  }
  const indexes = Object.fromEntries(chapters.map(({ item }, index) => [addressOf(item.name), index]))
  await evaluate(call, z.unknown(), ['book', 'joinLinks'], { indexes })
}

interface ChapterText {
  readonly item: BookItem
  readonly text: string
}

/** The documents that are there, behind the cover where none of the first shows it. */
async function textsOf(book: Book): Promise<ChapterText[]> {
  const chapters: ChapterText[] = []
  for (const item of book.chapters) {
    const bytes = await book.read(item.name)
    if (!bytes) continue
    const isPicture = item.mediaType.startsWith('image/')
    chapters.push({ item, text: isPicture ? picturePage(item) : decoded(bytes) })
  }
  if (chapters.length === 0) throw damaged(undefined)
  const { cover } = book
  const file = cover?.name.split('/').at(-1) ?? ''
  const isShown = chapters
    .slice(0, 2)
    .some(({ text }) => text.includes(file) || text.includes(encodeURIComponent(file)))
  if (cover && !isShown && (await book.read(cover.name))) {
    chapters.unshift({ item: { ...cover, name: `${cover.name}/cover` }, text: picturePage(cover) })
  }
  return chapters
}

const picturePage = ({ name }: BookItem) =>
  `<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><img src="${addressOf(name)}" alt=""/></body></html>`

/** For documents that are no XML after all: HTML knows no elements that end at once, and would read on in them. */
const withEndTags = (text: string) =>
  text.replaceAll(
    /<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b)([a-z][\w:]*)((?:\s[^<>]*)?)\/>/gi,
    '<$1$2></$1>',
  )

/** What the page of a book of fixed pages is made for, as its `viewport` tells. */
function pageOf(text: string, index: number) {
  const [, content = ''] = /<meta\b[^>]*\bname=["']viewport["'][^>]*\bcontent=["']([^"']*)/i.exec(text) ?? []
  const [width, height] = ['width', 'height'].map((name) =>
    Number(new RegExp(`\\b${name}\\s*=\\s*(\\d{2,5})`).exec(content)?.[1]),
  )
  return width && height ? { name: `page-${index}`, width, height } : undefined
}

async function addPage(
  call: Page['call'],
  { name, width, height }: { name: string; width: number; height: number },
) {
  const rule = `@page ${name} { size: ${width}px ${height}px; margin: 0 !important }`
  const expression = `document.head.appendChild(document.createElement('style')).textContent = ${JSON.stringify(rule)}`
  await call(z.looseObject({}), 'Runtime.evaluate', { expression })
}

/** The text of a style sheet with those that it names in its place. */
async function sheetOf(look: Looks[number], book: Book, depth = 0): Promise<string> {
  if ('text' in look) return withImports(look.text, nowhere, book, depth)
  const name = nameOf(partKey(look.href))
  const bytes = name === undefined ? undefined : await book.read(name)
  return bytes ? withImports(decoded(bytes), look.href, book, depth) : ''
}

async function withImports(text: string, url: string, book: Book, depth: number): Promise<string> {
  const imported: string[] = []
  const pattern = /@import\s+(?:url\(\s*)?["']?([^"')\s;]+)["']?\s*\)?[^;]*;/gi
  for (const [, link = ''] of depth < mostImports ? text.matchAll(pattern) : []) {
    const href = URL.parse(link, url)?.href
    if (href !== undefined) imported.push(await sheetOf({ href }, book, depth + 1))
  }
  const own = text
    .replaceAll(pattern, '')
    .replaceAll(/@charset\s+["'][^"']*["'];/gi, '')
    .replaceAll(/url\(\s*(["']?)(?!data:|#)([^"')]+)\1\s*\)/gi, (whole, _, link: string) => {
      const href = URL.parse(link.trim(), url)?.href
      return href === undefined ? whole : `url("${href}")`
    })
  return [...imported, own].join('\n')
}

function damaged(cause: unknown): AppError {
  const sentence = 'The EPUB book (epub) could not be read: it is damaged, or no book of that kind.'
  return new AppError('CORRUPT_FILE', sentence, { field: 'file', format: 'epub' }, { cause })
}
