import { gunzipSync } from 'node:zlib'
import { type FileBytes, maxReadBytes } from '../bytes.ts'
import type { ContentSummary } from '../content-summary.ts'
import { decodeMarkupEntities, readAttribute, readMarkup, type Tag } from '../text/markup.ts'
import { WordCounts } from '../text/word-counts.ts'
import { openZip } from '../zip.ts'

const mainFiles = ['index.xml', 'index.apxl', 'index.xml.gz', 'index.apxl.gz']
/** Elements with the text of templates, or with invisible text. */
const ignoredElements = new Set([
  ...['key:master-slides', 'key:theme-list', 'key:prototype-drawables', 'key:notes', 'key:sticky-notes'],
  ...['sl:stylesheet', 'key:stylesheet', 'sf:stylesheet', 'ls:stylesheet', 'sl:section-prototypes'],
  ...['sf:menu-choices', 'sf:sticky-note'],
])

/** Reads Pages, Numbers and Keynote up to version 2009. Later versions store text in an undocumented format. */
export async function readIWork(bytes: FileBytes): Promise<ContentSummary | undefined> {
  const zip = await openZip(bytes)
  const name = mainFiles.find((candidate) => zip?.names.includes(candidate))
  const isCompressed = name?.endsWith('.gz') === true
  const decompress = (file: Buffer) =>
    isCompressed ? gunzipSync(file, { maxOutputLength: maxReadBytes }) : file
  const xml = name === undefined ? undefined : await zip?.read(name, (file) => decompress(file).toString())
  if (xml === undefined) return undefined
  const reader = new IWorkReader()
  readMarkup(xml, reader)
  const { sheets, slides } = reader
  const words = new WordCounts()
  words.add(decodeMarkupEntities(reader.parts.join('')))
  const counts = { ...(sheets > 0 && { sheets }), ...(slides > 0 && { slides }) }
  return { words, counts, features: [] }
}

const separatorElements = new Set(['sf:p', 'sf:br', 'sf:lnbr', 'sf:tab'])

class IWorkReader {
  readonly parts: string[] = []
  sheets = 0
  slides = 0
  #depth = 0

  text(text: string): void {
    if (this.#depth > 0) this.parts.push(text)
  }

  tag(tag: Tag): boolean {
    const { name, isEnd, isEmpty } = tag
    if (name === 'sf:p' && !isEmpty) this.#depth += isEnd ? -1 : 1
    if (separatorElements.has(name)) this.parts.push(' ')
    if (isEnd) return false
    // The tag contains the text of a cell.
    if (name === 'sf:ct') this.parts.push(' ', readAttribute(tag, 'sfa:s') ?? '')
    if (name === 'ls:workspace') this.sheets++
    if (name === 'key:slide') this.slides++
    return ignoredElements.has(name)
  }
}
