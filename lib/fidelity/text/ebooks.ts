import { posix } from 'node:path'
import type { FileBytes } from '../bytes.ts'
import type { ContentSummary } from '../content-summary.ts'
import { openZip } from '../zip.ts'
import { countPageImages } from './count-elements.ts'
import { decodeMarkup, extractHtmlText, extractText, readAttribute, readMarkup } from './markup.ts'
import { WordCounts } from './word-counts.ts'

/** Summarizes the spine of an EPUB (EPUB 3.3, 5.7), which lists each item only once, without the table of contents. */
export async function summarizeEpub(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const zip = await openZip(bytes)
  const container = await zip?.text('META-INF/container.xml')
  const packagePath = /full-path\s{0,9}=\s{0,9}["']([^"']{1,1000})["']/.exec(container ?? '')?.[1]
  const opf = packagePath === undefined ? undefined : await zip?.text(packagePath)
  if (!zip || packagePath === undefined || opf === undefined) return undefined
  const words = new WordCounts()
  const paths = readSpine(opf).map((href) => posix.join(posix.dirname(packagePath), href))
  let images = 0
  for (const path of new Set(paths)) {
    const page = await zip.read(path, decodeMarkup)
    if (page === undefined) continue
    words.add(extractHtmlText(page))
    images += countPageImages(page)
  }
  return { words, counts: { images }, features: toImageFeature(zip.names) }
}

function readSpine(opf: string): string[] {
  const items = new Map<string, string>()
  const order: string[] = []
  readMarkup(opf, {
    text: () => {},
    tag: (tag) => {
      const name = tag.name.slice(tag.name.indexOf(':') + 1)
      const isContents = /\bnav\b/.test(readAttribute(tag, 'properties') ?? '')
      if (name === 'item' && !isContents)
        items.set(readAttribute(tag, 'id') ?? '', readAttribute(tag, 'href') ?? '')
      if (name === 'itemref') order.push(readAttribute(tag, 'idref') ?? '')
      return false
    },
  })
  return order.flatMap((id) => decodePath(items.get(id)) ?? [])
}

function decodePath(href: string | undefined): string | undefined {
  try {
    return href === undefined ? undefined : decodeURIComponent(href)
  } catch {
    return href
  }
}

const toImageFeature = (names: readonly string[]) =>
  names.some((name) => /\.(?:jpe?g|png|gif|svg|webp)$/i.test(name)) ? (['pictures'] as const) : []

const ignoredElements = new Set(['description', 'stylesheet', 'binary'])

/** Summarizes FictionBook 2, which contains images as text. */
export async function readFictionBook(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const zip = await openZip(bytes)
  const name = zip?.names.find((candidate) => candidate.endsWith('.fb2')) ?? ''
  const xml = zip ? await zip.read(name, decodeMarkup) : decodeMarkup(await bytes.readWhole())
  if (xml === undefined) return undefined
  const words = new WordCounts()
  words.add(extractText(xml, ignoredElements))
  return { words, counts: {}, features: xml.includes('<binary') ? ['pictures'] : [] }
}

/** Summarizes a ZIP with an HTML or text file and its images. */
export async function readZippedText(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const zip = await openZip(bytes)
  const name = zip?.names.find((candidate) => /\.(?:x?html?|txt|md)$/i.test(candidate))
  const text = name === undefined ? undefined : await zip?.read(name, decodeMarkup)
  if (!zip || text === undefined || name === undefined) return undefined
  const words = new WordCounts()
  words.add(/html?$/i.test(name) ? extractHtmlText(text) : text)
  return { words, counts: {}, features: toImageFeature(zip.names) }
}
