import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openByPath } from '../../binary/random-access.ts'
import { rewriteZip } from '../../binary/rewrite-zip.ts'
import { openZipArchive, type ZipArchive, type ZipArchiveEntry } from '../../binary/zip.ts'
import { getMaxUnpackedBytes, maxEntries } from '../../formats/archive-limits.ts'
import type { InputFile, Tools } from '../engine.ts'

/**
 * Matches a hyperlink field as written by LibreOffice Writer. pandoc 2 drops fields whose instruction is not in a group
 * of its own.
 */
const bareLinkPattern = /(\\fldinst)\s{1,9}(HYPERLINK(?:[^{}\\]|\\(?!fldinst)[\s\S]){1,4000})\}/g

/**
 * Matches a control symbol, or a control word that is directly followed by a punctuation character. pandoc 2 drops that
 * character, and so the one behind it if it is the replacement of a Unicode character, as in `\u252?`.
 */
const undelimitedWordPattern =
  /(\\[^a-z])|\\[a-z]{1,32}(?:-?\d{1,10})?(?=[!-,./:-@[\]^_`|~\x80-\xff]|-(?!\d))/gi

/** Fixes control words and hyperlink fields of an RTF so that pandoc keeps all of the text. */
export async function fixRtf(input: InputFile, tools: Tools): Promise<InputFile> {
  const text = await readFile(input.path, 'latin1')
  const fixedText = text
    .replaceAll(bareLinkPattern, '$1{$2}}')
    .replaceAll(undelimitedWordPattern, (match, symbol?: string) => (symbol ? match : `${match} `))
  if (fixedText === text) return input
  const path = join(tools.workDir, 'readable.rtf')
  await writeFile(path, fixedText, 'latin1')
  return { ...input, path }
}

/** Matches the group element of header rows and columns, which pandoc 2 drops with its content. */
const headerGroupPattern = /<\/?table:table-header-(?:rows|columns)\b[^<>]{0,999}>/g

/** Unwraps table header rows of an OpenDocument text, so that pandoc keeps them. Other files are returned unchanged. */
export const unwrapHeaderRows = (input: InputFile, tools: Tools): Promise<InputFile> =>
  changeZipParts(
    input,
    [{ name: /^content\.xml$/, change: (xml) => xml.replaceAll(headerGroupPattern, '') }],
    tools,
  )

const nonLinearItemPattern = /<itemref\b[^<>]{0,999}?\slinear\s{0,9}=\s{0,9}["']no["'][^<>]{0,999}>/g
const readAttribute = (tag: string, name: string) =>
  new RegExp(`\\s${name}\\s*=\\s*["']([^"']*)["']`).exec(tag)?.[1] ?? ''

/** Includes notes outside of the linear reading order (`linear="no"`), because pandoc skips them. */
function makeLinear(opf: string): string {
  const items = new Map(
    (opf.match(/<item\s[^<>]{1,4000}>/g) ?? []).map((item) => [readAttribute(item, 'id'), item]),
  )
  return opf.replaceAll(nonLinearItemPattern, (itemref) => {
    const manifestItem = items.get(readAttribute(itemref, 'idref')) ?? ''
    // Excludes the table of contents, which is generated, and the cover image, which is declared separately.
    const isGenerated =
      /\bnav\b/.test(readAttribute(manifestItem, 'properties')) ||
      /cover/i.test(readAttribute(manifestItem, 'href'))
    return isGenerated ? itemref : itemref.replace(/\slinear\s*=\s*["']no["']/, '')
  })
}

const epubTypePattern = /<[a-z][^<>]{0,999}\sepub:type\s*=\s*["'][^"'<>]{0,99}["'][^<>]{0,999}>/gi
const hasEpubType = (tag: string, ...types: readonly string[]) =>
  readAttribute(tag, 'epub:type')
    .split(/\s/)
    .some((type) => types.includes(type))

/**
 * Removes the attribute `epub:type` from notes that pandoc would drop, so that they stay in the text. Pandoc moves a
 * note to its reference, but drops notes that are referenced from another file, or by a link without
 * `epub:type="noteref"`.
 */
function keepUnreferencedNotes(page: string): string {
  const tags = page.match(epubTypePattern) ?? []
  const referencedIds = new Set(
    tags
      .filter((tag) => hasEpubType(tag, 'noteref'))
      .map((tag) => readAttribute(tag, 'href').replace(/^#/, '')),
  )
  return page.replaceAll(epubTypePattern, (tag) => {
    const isUnreferenced =
      hasEpubType(tag, 'footnote', 'rearnote') && !referencedIds.has(readAttribute(tag, 'id'))
    return isUnreferenced ? tag.replace(/\sepub:type\s*=\s*["'][^"']*["']/i, '') : tag
  })
}

/** Fixes an EPUB so that pandoc keeps all of its notes. */
export const fixEpubNotes = (input: InputFile, tools: Tools): Promise<InputFile> =>
  changeZipParts(
    input,
    [
      { name: /\.opf$/, change: makeLinear },
      { name: /\.x?html?$/i, change: keepUnreferencedNotes },
    ],
    tools,
  )

interface Change {
  /** Matches the names of the parts that may change. */
  readonly name: RegExp
  readonly change: (text: string) => string
}

/** Returns a copy of the ZIP file with the changes, or the file itself if nothing changes. */
async function changeZipParts(
  input: InputFile,
  changes: readonly Change[],
  tools: Tools,
): Promise<InputFile> {
  const zip = await tryOpenZip(input.path)
  if (!zip) return input
  const changedFiles = new Map<string, Buffer>()
  let bytesLeft = getMaxUnpackedBytes(input.size)
  for (const [name, entry] of zip.files) {
    const matchingChange = changes.find((change) => change.name.test(name))
    if (!matchingChange) continue
    bytesLeft -= entry.uncompressedSize
    if (bytesLeft < 0) return input
    const text = await readText(zip, entry)
    const fixedPart = matchingChange.change(text)
    if (fixedPart !== text) changedFiles.set(name, Buffer.from(fixedPart))
  }
  if (changedFiles.size === 0) return input
  const path = join(tools.workDir, `readable.${input.format}`)
  await rewriteZip(zip, path, async ({ name }) => changedFiles.get(name))
  return { ...input, path }
}

/** Returns undefined if the file is not a ZIP or has too many entries; the reader reports such files. */
async function tryOpenZip(path: string): Promise<ZipArchive | undefined> {
  const zip = await ignoreDamage(openByPath(path).then((file) => openZipArchive(file, maxEntries)))
  return zip?.hasMoreEntries ? undefined : zip
}

async function readText(zip: ZipArchive, entry: ZipArchiveEntry): Promise<string> {
  const content = await ignoreDamage(zip.read(entry, entry.uncompressedSize))
  return new TextDecoder().decode(content)
}

async function ignoreDamage<Result>(pendingRead: Promise<Result>): Promise<Result | undefined> {
  try {
    return await pendingRead
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
