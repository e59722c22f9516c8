import { openAsBlob } from 'node:fs'
import { open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import type { Entry } from '@zip.js/zip.js'
import { maxEntries, maxUnpackedBytesFor } from '../../formats/archive-limits.ts'
import { defined } from '../../validation/defined.ts'
import type { InputFile, Tools } from '../engine.ts'

/**
 * Hyperlink field as written by LibreOffice Writer: pandoc 2 drops fields whose instruction is not in its own group.
 */
const bareLink = /(\\fldinst)\s{1,9}(HYPERLINK(?:[^{}\\]|\\(?!fldinst)[\s\S]){1,4000})\}/g

/** Fixes hyperlink fields of an RTF so that pandoc keeps their text. */
export async function fixRtfLinks(input: InputFile, tools: Tools): Promise<InputFile> {
  const text = await readFile(input.path, 'latin1')
  const fixed = text.replaceAll(bareLink, '$1{$2}}')
  if (fixed === text) return input
  const path = join(tools.workDir, 'readable.rtf')
  await writeFile(path, fixed, 'latin1')
  return { ...input, path }
}

/** Header rows and columns are in a group element that pandoc 2 drops with its content. */
const headerGroupTags = /<\/?table:table-header-(?:rows|columns)\b[^<>]{0,999}>/g

/** Unwraps table header rows of an OpenDocument text, so that pandoc keeps them. Other files are returned unchanged. */
export const unwrapHeaderRows = (input: InputFile, tools: Tools): Promise<InputFile> =>
  changeParts(
    input,
    [{ name: /^content\.xml$/, change: (xml) => xml.replaceAll(headerGroupTags, '') }],
    tools,
  )

const nonLinearItem = /<itemref\b[^<>]{0,999}?\slinear\s{0,9}=\s{0,9}["']no["'][^<>]{0,999}>/g
const attribute = (tag: string, name: string) =>
  new RegExp(`\\s${name}\\s*=\\s*["']([^"']*)["']`).exec(tag)?.[1] ?? ''

/** Makes notes outside of the linear reading order (`linear="no"`) part of it, because pandoc skips them. */
function makeLinear(opf: string): string {
  const items = new Map(
    (opf.match(/<item\s[^<>]{1,4000}>/g) ?? []).map((item) => [attribute(item, 'id'), item]),
  )
  return opf.replaceAll(nonLinearItem, (itemref) => {
    const item = items.get(attribute(itemref, 'idref')) ?? ''
    // The table of contents is generated anyway, and the cover image is declared separately.
    const isGenerated =
      /\bnav\b/.test(attribute(item, 'properties')) || /cover/i.test(attribute(item, 'href'))
    return isGenerated ? itemref : itemref.replace(/\slinear\s*=\s*["']no["']/, '')
  })
}

const typedTag = /<[a-z][^<>]{0,999}\sepub:type\s*=\s*["'][^"'<>]{0,99}["'][^<>]{0,999}>/gi
const hasEpubType = (tag: string, ...types: readonly string[]) =>
  attribute(tag, 'epub:type')
    .split(/\s/)
    .some((type) => types.includes(type))

/**
 * Pandoc moves a note to its reference. It drops notes that are referenced from another file, or by a link without
 * `epub:type="noteref"`: for those, this removes the note type, so that they stay in the text.
 */
function keepUnreferencedNotes(page: string): string {
  const tags = page.match(typedTag) ?? []
  const referenced = new Set(
    tags.filter((tag) => hasEpubType(tag, 'noteref')).map((tag) => attribute(tag, 'href').replace(/^#/, '')),
  )
  return page.replaceAll(typedTag, (tag) => {
    const isUnreferenced = hasEpubType(tag, 'footnote', 'rearnote') && !referenced.has(attribute(tag, 'id'))
    return isUnreferenced ? tag.replace(/\sepub:type\s*=\s*["'][^"']*["']/i, '') : tag
  })
}

/** Fixes an EPUB so that pandoc keeps all of its notes. */
export const fixEpubNotes = (input: InputFile, tools: Tools): Promise<InputFile> =>
  changeParts(
    input,
    [
      { name: /\.opf$/, change: makeLinear },
      { name: /\.x?html?$/i, change: keepUnreferencedNotes },
    ],
    tools,
  )

interface Change {
  /** Matches the names of the parts to change. */
  readonly name: RegExp
  readonly change: (text: string) => string
}

/** Returns a copy of the ZIP file with the changes applied; the file itself if nothing changes. */
async function changeParts(input: InputFile, changes: readonly Change[], tools: Tools): Promise<InputFile> {
  const { BlobReader, TextReader, TextWriter, Uint8ArrayReader, Uint8ArrayWriter, ZipReader, ZipWriter } =
    await import('@zip.js/zip.js')
  const entries = await readEntries(new ZipReader(new BlobReader(await openAsBlob(input.path)), zipOptions))
  const changed = new Map<Entry, string>()
  let bytesLeft = maxUnpackedBytesFor(input.size)
  for (const entry of entries) {
    const part = changes.find(({ name }) => name.test(entry.filename))
    if (!part || entry.directory) continue
    bytesLeft -= entry.uncompressedSize
    if (bytesLeft < 0) return input
    const text = await entry.getData(new TextWriter()).catch(() => '')
    const fixed = part.change(text)
    if (fixed !== text) changed.set(entry, fixed)
  }
  if (changed.size === 0) return input
  const path = join(tools.workDir, `readable.${input.format}`)
  const file = await open(path, 'w')
  const zip = new ZipWriter(Writable.toWeb(file.createWriteStream()), { ...zipOptions, keepOrder: true })
  for (const entry of entries) {
    if (entry.directory) continue
    const { compressionMethod, uncompressedSize, signature, filename } = entry
    const text = changed.get(entry)
    if (text !== undefined) {
      await zip.add(filename, new TextReader(text))
      continue
    }
    const bytes = await entry.getData(new Uint8ArrayWriter(), { passThrough: true })
    const rawCopy = { passThrough: true, compressionMethod, uncompressedSize, encrypted: false }
    await zip.add(filename, new Uint8ArrayReader(bytes), {
      ...rawCopy,
      ...defined({ signature }),
    })
  }
  await zip.close()
  return { ...input, path }
}

const zipOptions = { useWebWorkers: false } as const

/** Returns no entries for a file that is not a ZIP or has too many entries, which the reader reports. */
async function readEntries(reader: { getEntriesGenerator(): AsyncIterable<Entry> }): Promise<Entry[]> {
  const entries: Entry[] = []
  try {
    for await (const entry of reader.getEntriesGenerator()) {
      entries.push(entry)
      if (entries.length > maxEntries) return []
    }
  } catch {
    return []
  }
  return entries
}
