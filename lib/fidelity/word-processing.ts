import type { FileBytes } from './bytes.ts'
import type { Feature, Holding } from './content-summary.ts'
import { textOfMarkup } from './markup.ts'
import { readOpenText } from './open-text.ts'
import { textsOfChunks } from './word-chunks.ts'
import { Words } from './word-counts.ts'
import { hidingStyles, noStyles, readRuns } from './word-runs.ts'
import { openZip, type Zip } from './zip.ts'

/** Of Word's documents (ECMA-376): the text of runs that are seen, with foot- and endnotes. */
export async function wordDocument(bytes: FileBytes): Promise<Holding | undefined> {
  const zip = await openZip(bytes)
  const main = zip?.names.find((name) => /^word\/document\d*\.xml$/.test(name))
  if (!zip || main === undefined) return undefined
  const words = new Words()
  const hiding = (await zip.read('word/styles.xml', hidingIn)) ?? noStyles
  let hasHiddenText = false
  let hasEquations = false
  let hasChanges = false
  for (const name of [main, 'word/footnotes.xml', 'word/endnotes.xml']) {
    const xml = await zip.text(name)
    const runs = xml === undefined ? undefined : readRuns(xml, hiding)
    if (runs) words.add(runs.text)
    if (xml?.includes('<w:altChunk')) for (const text of await textsOfChunks(zip)) words.add(text)
    hasHiddenText ||= runs?.hasHidden === true
    hasEquations ||= xml?.includes('<m:oMath') === true
    hasChanges ||= xml?.includes('<w:delText') === true
  }
  const comments = commentsOf(readRuns((await zip.text('word/comments.xml')) ?? '').text)
  const margins = await marginsOf(zip)
  const has = (pattern: RegExp) => zip.names.some((name) => pattern.test(name))
  const found: Feature[] = [
    ...(hasHiddenText ? (['hiddenText'] as const) : []),
    ...(has(/^word\/media\//) ? (['pictures'] as const) : []),
    ...(hasEquations ? (['equations'] as const) : []),
    ...(hasChanges ? (['changes'] as const) : []),
    ...(comments.commentWords ? (['comments'] as const) : []),
    ...(margins.marginWords ? (['margins'] as const) : []),
  ]
  return { words, ...comments, ...margins, counts: {}, features: found }
}

/** Some programs have a place for comments where there are none. */
function commentsOf(...texts: readonly string[]): Pick<Holding, 'commentWords'> {
  const commentWords = new Words()
  for (const text of texts) commentWords.add(text)
  return commentWords.total > 0 ? { commentWords } : {}
}

const hidingIn = (styles: Buffer) =>
  styles.includes('<w:vanish') ? hidingStyles(styles.toString()) : noStyles

/** A document of many sections may have them anew in each. */
const mostMargins = 12

async function marginsOf(zip: Zip): Promise<Pick<Holding, 'marginWords'>> {
  const names = zip.names.filter((name) => /^word\/(header|footer)\d*\.xml$/.test(name))
  const texts = new Set<string>()
  for (const name of names.slice(0, mostMargins)) texts.add(readRuns((await zip.text(name)) ?? '').text)
  const marginWords = new Words()
  for (const text of texts) marginWords.add(text)
  return marginWords.total > 0 ? { marginWords } : {}
}

/** What of an OpenDocument file is not on its pages (OpenDocument 1.3, part 3). */
const besides = new Set([
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

/** Of a comment, who wrote it. */
const besideRemarks = new Set(['dc:creator', 'dc:date', 'meta:creator-initials'])

/** Comments, each searched for its end by itself: one expression for all takes hours where none of them ends. */
const remarksIn = (xml: string): string[] =>
  xml.split(/(?=<office:annotation[\s>])/).flatMap((part) => {
    const end = part.startsWith('<office:annotation') ? part.indexOf('</office:annotation>') : -1
    return end < 0 ? [] : [part.slice(0, end)]
  })

/** Text and drawings of OpenDocument, in a ZIP or flat. */
export async function openDocument(bytes: FileBytes): Promise<Holding | undefined> {
  const zip = await openZip(bytes)
  const xml = zip ? await zip.text('content.xml') : (await bytes.whole()).toString()
  if (xml === undefined) return undefined
  const words = new Words()
  const { text, hasHidden } = readOpenText(xml, besides, (await zip?.text('styles.xml')) ?? '')
  words.add(text)
  const found: Feature[] = [
    ...(hasHidden ? (['hiddenText'] as const) : []),
    ...(xml.includes('<draw:image') ? (['pictures'] as const) : []),
    ...(xml.includes('<office:annotation') ? (['comments'] as const) : []),
    ...(xml.includes('<text:tracked-changes') ? (['changes'] as const) : []),
  ]
  // Those in front of the body are of the masters.
  const slides = xml.includes('<office:presentation') ? xml.split('<draw:page ').length - 1 : undefined
  const counts = slides === undefined ? {} : { slides }
  const comments = commentsOf(...remarksIn(xml).map((one) => textOfMarkup(one, besideRemarks)))
  return { words, ...comments, counts, features: found }
}
