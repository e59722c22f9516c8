import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { defined } from '../../validation/defined.ts'
import type { InputFile } from '../engine.ts'
import { decodeXmlText, type Ebook, type EbookItem, openEbook } from './epub.ts'
import { evaluate } from './evaluate.ts'
import { type BrowserPage, invalidUrl, type PageSource, pendingUrl } from './page.ts'
import type { PaperSheet } from './paper.ts'
import { normalizePartUrl } from './web-archive.ts'

const StyleSources = z.array(z.union([z.object({ text: z.string() }), z.object({ href: z.string() })]))
type StyleSources = z.output<typeof StyleSources>

/** Maximum depth of nested `@import`; real ebooks do not nest deeper. */
const maxImportDepth = 5

/**
 * Presents an ebook as one web page for paper of this size: its documents one after the other, each with its own style
 * sheets. The documents are read from the ebook one at a time, never from the network.
 * @throws AppError CORRUPT_FILE, FILE_TOO_LARGE.
 */
export async function createEbookPageSource(
  { path, size }: InputFile,
  title: string,
  paperSheet: PaperSheet,
): Promise<PageSource> {
  const book = await openEbook(path, size).catch((error: unknown) => {
    throw error instanceof AppError ? error : createCorruptEbookError(error)
  })
  if (book.chapters.length === 0) throw createCorruptEbookError(undefined)
  return {
    url: invalidUrl,
    title: book.title ?? title,
    page: { bytes: Buffer.from(buildPageShell(book, paperSheet)), contentType: 'text/html; charset=utf-8' },
    async getPart(key) {
      const name = findEntryName(key)
      const bytes = name === undefined ? undefined : await book.read(name)
      return bytes && name !== undefined ? { bytes, contentType: book.getMediaType(name) } : undefined
    },
    prepare: (call) => fillPage(call, book),
  }
}

const createUrl = (name: string) =>
  new URL(name.split('/').map(encodeURIComponent).join('/'), invalidUrl).href

function findEntryName(key: string): string | undefined {
  const root = normalizePartUrl(invalidUrl)
  if (!key.startsWith(root)) return undefined
  try {
    return decodeURIComponent(key.slice(root.length).replace(/\?.*$/s, ''))
  } catch {
    return undefined
  }
}

/**
 * Returns an empty page, to which the documents are added. The ebook's style sheets override those of this page,
 * except for the rules that keep content on the paper.
 */
function buildPageShell({ language = '', title = '', authors }: Ebook, { paper, area }: PaperSheet): string {
  const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
  return `<!doctype html><html lang="${escapeHtml(language)}"><meta charset="utf-8"><title>${escapeHtml(title)}</title>${authors.map((name) => `<meta name="author" content="${escapeHtml(name)}">`).join('')}<style>
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
</style><img src="${pendingUrl}">`
}

async function fillPage(call: BrowserPage['call'], book: Ebook): Promise<void> {
  await call(z.looseObject({}), 'Runtime.evaluate', { expression: 'document.body.remove()' })
  const chapters = await readChapters(book)
  const styles: string[][] = []
  for (const [index, { item, text }] of chapters.entries()) {
    const page = book.isFixedLayout ? readViewportSize(text, index) : undefined
    const args = {
      text,
      loose: expandSelfClosingTags(text),
      url: createUrl(item.name),
      index,
      ...defined({ page }),
    }
    const foundSources = await evaluate(call, StyleSources, ['book', 'addChapter'], args)
    styles.push(await Promise.all(foundSources.map((source) => readStyle(source, book))))
    if (page) await addPageRule(call, page)
  }
  const chaptersByStyles = Map.groupBy(styles.entries(), ([, sheets]) => sheets.join('\n'))
  for (const [text, members] of chaptersByStyles) {
    const scope = chaptersByStyles.size > 1 ? { chapters: members.map(([index]) => index) } : {}
    if (text !== '') await evaluate(call, z.unknown(), ['book', 'addLook'], { text, ...scope })
  }
  const indexes = Object.fromEntries(chapters.map(({ item }, index) => [createUrl(item.name), index]))
  await evaluate(call, z.unknown(), ['book', 'joinLinks'], { indexes })
}

interface ChapterText {
  readonly item: EbookItem
  readonly text: string
}

/** Returns the documents that exist, preceded by the cover unless one of the first two shows it. */
async function readChapters(book: Ebook): Promise<ChapterText[]> {
  const chapters: ChapterText[] = []
  for (const item of book.chapters) {
    const bytes = await book.read(item.name)
    if (!bytes) continue
    const isImage = item.mediaType.startsWith('image/')
    chapters.push({ item, text: isImage ? createImagePage(item) : decodeXmlText(bytes) })
  }
  if (chapters.length === 0) throw createCorruptEbookError(undefined)
  const { cover } = book
  const file = cover?.name.split('/').at(-1) ?? ''
  const isCoverShown = chapters
    .slice(0, 2)
    .some(({ text }) => text.includes(file) || text.includes(encodeURIComponent(file)))
  if (cover && !isCoverShown && (await book.read(cover.name))) {
    chapters.unshift({ item: { ...cover, name: `${cover.name}/cover` }, text: createImagePage(cover) })
  }
  return chapters
}

const createImagePage = ({ name }: EbookItem) =>
  `<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><img src="${createUrl(name)}" alt=""/></body></html>`

/** Expands self-closing tags for documents that are not valid XML: HTML would treat them as unclosed. */
const expandSelfClosingTags = (text: string) =>
  text.replaceAll(
    /<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b)([a-z][\w:]*)((?:\s[^<>]*)?)\/>/gi,
    '<$1$2></$1>',
  )

/** Returns the page size of a fixed-layout document from its `viewport`. */
function readViewportSize(text: string, index: number) {
  const [, content = ''] =
    /<meta\b[^<>]{0,500}\bname=["']viewport["'][^<>]{0,500}\bcontent=["']([^"'<>]{0,500})/i.exec(text) ?? []
  const [width, height] = ['width', 'height'].map((name) =>
    Number(new RegExp(`\\b${name}\\s*=\\s*(\\d{2,5})`).exec(content)?.[1]),
  )
  return width && height ? { name: `page-${index}`, width, height } : undefined
}

async function addPageRule(
  call: BrowserPage['call'],
  { name, width, height }: { name: string; width: number; height: number },
) {
  const rule = `@page ${name} { size: ${width}px ${height}px; margin: 0 !important }`
  const expression = `document.head.appendChild(document.createElement('style')).textContent = ${JSON.stringify(rule)}`
  await call(z.looseObject({}), 'Runtime.evaluate', { expression })
}

/** Returns the text of a style sheet with its imports inlined. */
async function readStyle(source: StyleSources[number], book: Ebook, depth = 0): Promise<string> {
  if ('text' in source) return inlineImports(source.text, invalidUrl, book, depth)
  const name = findEntryName(normalizePartUrl(source.href))
  const bytes = name === undefined ? undefined : await book.read(name)
  return bytes ? inlineImports(decodeXmlText(bytes), source.href, book, depth) : ''
}

async function inlineImports(text: string, url: string, book: Ebook, depth: number): Promise<string> {
  const importedStyles: string[] = []
  const pattern =
    /@import\s{1,20}(?:url\(\s{0,20})?["']?([^"')\s;]{1,2000})(?=["')\s;])["']?\s{0,20}\)?[^;@]{0,500};/gi
  for (const [, link = ''] of depth < maxImportDepth ? text.matchAll(pattern) : []) {
    const href = URL.parse(link, url)?.href
    if (href !== undefined) importedStyles.push(await readStyle({ href }, book, depth + 1))
  }
  const scope = text
    .replaceAll(pattern, '')
    .replaceAll(/@charset\s+["'][^"']*["'];/gi, '')
    .replaceAll(
      /url\(\s{0,20}(["']?)(?!data:|#)([^"'()]{1,500})\1\s{0,20}\)/gi,
      (wholeMatch, _, link: string) => {
        const href = URL.parse(link.trim(), url)?.href
        return href === undefined ? wholeMatch : `url("${href}")`
      },
    )
  return [...importedStyles, scope].join('\n')
}

function createCorruptEbookError(cause: unknown): AppError {
  const message = 'The EPUB ebook (epub) could not be read: it is damaged or not an EPUB.'
  return new AppError('CORRUPT_FILE', message, { field: 'file', format: 'epub' }, { cause })
}
