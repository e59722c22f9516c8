import type { Feature } from '../../model/stored-summary.ts'
import { defined } from '../../validation/defined.ts'
import type { FileBytes } from '../bytes.ts'
import type { ContentSummary } from '../content-summary.ts'
import { countOpenDocumentElements, countWordElements, type ElementCounts } from '../text/count-elements.ts'
import { extractText } from '../text/markup.ts'
import { WordCounts } from '../text/word-counts.ts'
import { openZip, type Zip } from '../zip.ts'
import {
  countAbsentFrameImages,
  countAbsentImages,
  createImageFinder,
  readPresentRelations,
} from './absent-images.ts'
import { readChunkTexts } from './docx-chunks.ts'
import { findHidingStyles, noStyles, readRuns } from './docx-runs.ts'
import { readOpenDocumentText } from './open-document-text.ts'

/** Summarizes Word documents (ECMA-376): visible runs, with footnotes and endnotes. */
export async function readDocx(bytes: FileBytes, isResult = false): Promise<ContentSummary | undefined> {
  const zip = await openZip(bytes)
  const main = zip?.names.find((name) => /^word\/document\d*\.xml$/.test(name))
  if (!zip || main === undefined) return undefined
  const words = new WordCounts()
  const hidingStyles = (await zip.read('word/styles.xml', readHidingStyles)) ?? noStyles
  let hasHiddenText = false
  let hasEquations = false
  let hasChanges = false
  let hasChunks = false
  for (const name of [main, 'word/footnotes.xml', 'word/endnotes.xml']) {
    const xml = await zip.text(name)
    const runs = xml === undefined ? undefined : readRuns(xml, hidingStyles)
    if (runs) words.add(runs.text)
    hasChunks ||= xml?.includes('<w:altChunk') === true
    hasHiddenText ||= runs?.hasHidden === true
    hasEquations ||= xml?.includes('<m:oMath') === true
    hasChanges ||= xml?.includes('<w:delText') === true
  }
  if (hasChunks) for (const text of await readChunkTexts(zip)) words.add(text)
  const comments = countComments(readRuns((await zip.text('word/comments.xml')) ?? '').text)
  const margins = await readMargins(zip)
  const hasPart = (pattern: RegExp) => zip.names.some((name) => pattern.test(name))
  const foundFeatures: Feature[] = [
    ...(hasHiddenText ? (['hiddenText'] as const) : []),
    ...(hasPart(/^word\/media\//) ? (['pictures'] as const) : []),
    ...(hasEquations ? (['equations'] as const) : []),
    ...(hasChanges ? (['changes'] as const) : []),
    ...(comments.commentWords ? (['comments'] as const) : []),
    ...(margins.marginWords ? (['margins'] as const) : []),
  ]
  // The content of embedded documents is not counted.
  const counts = hasChunks ? {} : await countBody(main, zip)
  const shownParts = zip.names.filter((name) => shownPartPattern.test(name))
  const absentImages = isResult ? 0 : await countAbsentImages(zip, shownParts)
  return { words, ...comments, ...margins, counts, features: foundFeatures, absentImages }
}

/** Matches the parts of a Word document with text that is shown on its pages. */
const shownPartPattern = /^word\/(?:document|footnotes|endnotes|header|footer)\d*\.xml$/

async function countBody(main: string, zip: Zip): Promise<ElementCounts> {
  return countWordElements((await zip.text(main)) ?? '', await readPresentRelations(zip, main))
}

/** Counts the words of comments. Omits the count if it is 0: some programs write an empty comments part. */
function countComments(...texts: readonly string[]): Pick<ContentSummary, 'commentWords'> {
  const commentWords = new WordCounts()
  for (const text of texts) commentWords.add(text)
  return commentWords.total > 0 ? { commentWords } : {}
}

const readHidingStyles = (styles: Buffer) =>
  styles.includes('<w:vanish') ? findHidingStyles(styles.toString()) : noStyles

/** Maximum number of header and footer parts that are read; each section may have its own. */
const maxMargins = 12

async function readMargins(zip: Zip): Promise<Pick<ContentSummary, 'marginWords'>> {
  const names = zip.names.filter((name) => /^word\/(header|footer)\d*\.xml$/.test(name))
  const texts = new Set<string>()
  for (const name of names.slice(0, maxMargins)) texts.add(readRuns((await zip.text(name)) ?? '').text)
  const marginWords = new WordCounts()
  for (const text of texts) marginWords.add(text)
  return marginWords.total > 0 ? { marginWords } : {}
}

/** Elements of OpenDocument that are not on its pages (OpenDocument 1.3, part 3). */
const ignoredElements = new Set([
  ...['office:annotation', 'text:tracked-changes', 'presentation:notes', 'office:forms', 'text:list-style'],
  ...['office:automatic-styles', 'office:styles', 'office:master-styles', 'office:meta', 'office:settings'],
  ...[
    'office:scripts',
    'office:binary-data',
    'svg:title',
    'svg:desc',
    'text:sequence-decls',
    'math',
    'math:math',
  ],
  ...[
    'text:user-field-decls',
    'text:variable-decls',
    'text:table-of-content-source',
    'office:font-face-decls',
  ],
  ...['text:alphabetical-index-source', 'text:illustration-index-source', 'text:table-index-source'],
  ...[
    'text:bibliography-source',
    'text:object-index-source',
    'text:user-index-source',
    'config:config-item-set',
  ],
])

/** Author and date of a comment. */
const ignoredInComments = new Set(['dc:creator', 'dc:date', 'meta:creator-initials'])

/**
 * Returns the comments. Searches for each end tag separately: a single expression would take hours if the end tags are
 * missing.
 */
const splitComments = (xml: string): string[] =>
  xml.split(/(?=<office:annotation[\s>])/).flatMap((segment) => {
    const end = segment.startsWith('<office:annotation') ? segment.indexOf('</office:annotation>') : -1
    return end < 0 ? [] : [segment.slice(0, end)]
  })

/** Summarizes OpenDocument text and drawings, in a ZIP or flat XML. */
export async function readOpenDocument(
  bytes: FileBytes,
  isResult = false,
): Promise<ContentSummary | undefined> {
  const zip = await openZip(bytes)
  const xml = zip ? await zip.text('content.xml') : (await bytes.readWhole()).toString()
  if (xml === undefined) return undefined
  const words = new WordCounts()
  const styles = (await zip?.text('styles.xml')) ?? ''
  const { text, hasHidden } = readOpenDocumentText(xml, ignoredElements, styles)
  words.add(text)
  const foundFeatures: Feature[] = [
    ...(hasHidden ? (['hiddenText'] as const) : []),
    ...(xml.includes('<draw:image') ? (['pictures'] as const) : []),
    ...(xml.includes('<office:annotation') ? (['comments'] as const) : []),
    ...(xml.includes('<text:tracked-changes') ? (['changes'] as const) : []),
  ]
  // Counts only pages in the body, because those before it belong to masters.
  const slides = xml.includes('<office:presentation') ? xml.split('<draw:page ').length - 1 : undefined
  const hasImage = createImageFinder(zip)
  const counts = { ...countOpenDocumentElements(xml, hasImage), ...defined({ slides }) }
  const comments = countComments(
    ...splitComments(xml).map((comment) => extractText(comment, ignoredInComments)),
  )
  // Headers and footers are styles of pages.
  const absentImages = isResult
    ? 0
    : countAbsentFrameImages(xml, hasImage) + countAbsentFrameImages(styles, hasImage)
  return { words, ...comments, counts, features: foundFeatures, absentImages }
}
