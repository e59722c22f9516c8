import { openAsBlob } from 'node:fs'
import { open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import type { Entry } from '@zip.js/zip.js'
import type { InputFile, Tools } from '../engine.ts'
import { allowedBytes, mostEntries } from '../seven-zip/limits.ts'

/** The text of links that Writer makes: pandoc 2 drops a field whose instruction is not in a group of its own. */
const bareLink = /(\\fldinst)\s{1,9}(HYPERLINK(?:[^{}\\]|\\[\s\S]){1,4000})\}/g

/** Links of a rich text are read with what they say. */
export async function withLinks(input: InputFile, tools: Tools): Promise<InputFile> {
  const text = await readFile(input.path, 'latin1')
  const read = text.replaceAll(bareLink, '$1{$2}}')
  if (read === text) return input
  const path = join(tools.workDir, 'readable.rtf')
  await writeFile(path, read, 'latin1')
  return { ...input, path }
}

/** Rows that name the columns stand in a group, which pandoc 2 leaves out with all that is in it. */
const namesOfColumns = /<\/?table:table-header-(?:rows|columns)\b[^<>]{0,999}>/g

/** Tables of an OpenDocument text are read with the rows that name their columns. What is no such file stays as it is. */
export const withHeaderRows = (input: InputFile, tools: Tools): Promise<InputFile> =>
  withParts(input, [{ name: /^content\.xml$/, change: (xml) => xml.replaceAll(namesOfColumns, '') }], tools)

const aside = /<itemref\b[^<>]{0,999}\slinear\s*=\s*["']no["'][^<>]{0,999}>/g
const attribute = (tag: string, name: string) =>
  new RegExp(`\\s${name}\\s*=\\s*["']([^"']*)["']`).exec(tag)?.[1] ?? ''

/** Notes of a book often stand beside its course (`linear="no"`), where pandoc reads nothing. */
function inCourse(opf: string): string {
  const items = new Map(
    (opf.match(/<item\s[^<>]{1,4000}>/g) ?? []).map((item) => [attribute(item, 'id'), item]),
  )
  return opf.replaceAll(aside, (itemref) => {
    const item = items.get(attribute(itemref, 'idref')) ?? ''
    // The one is made anew, of the other the picture is there.
    const isMade = /\bnav\b/.test(attribute(item, 'properties')) || /cover/i.test(attribute(item, 'href'))
    return isMade ? itemref : itemref.replace(/\slinear\s*=\s*["']no["']/, '')
  })
}

const typed = /<[a-z][^<>]{0,999}\sepub:type\s*=\s*["'][^"'<>]{0,99}["'][^<>]{0,999}>/gi
const isOf = (tag: string, ...types: readonly string[]) =>
  attribute(tag, 'epub:type')
    .split(/\s/)
    .some((type) => types.includes(type))

/**
 * Pandoc puts a note where it is named, and leaves it out where that is done from another file, or by a link that does
 * not say what it is: such a note stays in the text, where it stands.
 */
function withUnnamedNotes(page: string): string {
  const tags = page.match(typed) ?? []
  const named = new Set(
    tags.filter((tag) => isOf(tag, 'noteref')).map((tag) => attribute(tag, 'href').replace(/^#/, '')),
  )
  return page.replaceAll(typed, (tag) => {
    const isUnnamed = isOf(tag, 'footnote', 'rearnote') && !named.has(attribute(tag, 'id'))
    return isUnnamed ? tag.replace(/\sepub:type\s*=\s*["'][^"']*["']/i, '') : tag
  })
}

/** A book is read with its notes. */
export const withNotes = (input: InputFile, tools: Tools): Promise<InputFile> =>
  withParts(
    input,
    [
      { name: /\.opf$/, change: inCourse },
      { name: /\.x?html?$/i, change: withUnnamedNotes },
    ],
    tools,
  )

interface Change {
  /** Of the parts that it is about. */
  readonly name: RegExp
  readonly change: (text: string) => string
}

/** The same file with these of its parts changed. */
async function withParts(input: InputFile, changes: readonly Change[], tools: Tools): Promise<InputFile> {
  const { BlobReader, TextReader, TextWriter, Uint8ArrayReader, Uint8ArrayWriter, ZipReader, ZipWriter } =
    await import('@zip.js/zip.js')
  const entries = await entriesOf(new ZipReader(new BlobReader(await openAsBlob(input.path)), inThread))
  const changed = new Map<Entry, string>()
  let left = allowedBytes(input.size)
  for (const entry of entries) {
    const part = changes.find(({ name }) => name.test(entry.filename))
    if (!part || entry.directory) continue
    left -= entry.uncompressedSize
    if (left < 0) return input
    const text = await entry.getData(new TextWriter()).catch(() => '')
    const read = part.change(text)
    if (read !== text) changed.set(entry, read)
  }
  if (changed.size === 0) return input
  const path = join(tools.workDir, `readable.${input.format}`)
  const file = await open(path, 'w')
  const zip = new ZipWriter(Writable.toWeb(file.createWriteStream()), { ...inThread, keepOrder: true })
  for (const entry of entries) {
    if (entry.directory) continue
    const { compressionMethod, uncompressedSize, signature, filename } = entry
    const text = changed.get(entry)
    if (text !== undefined) {
      await zip.add(filename, new TextReader(text))
      continue
    }
    const bytes = await entry.getData(new Uint8ArrayWriter(), { passThrough: true })
    const asItIs = { passThrough: true, compressionMethod, uncompressedSize, encrypted: false }
    await zip.add(filename, new Uint8ArrayReader(bytes), {
      ...asItIs,
      ...(signature !== undefined && { signature }),
    })
  }
  await zip.close()
  return { ...input, path }
}

const inThread = { useWebWorkers: false } as const

/** None of what is no ZIP, or one of far too many files: its reader says that. */
async function entriesOf(reader: { getEntriesGenerator(): AsyncIterable<Entry> }): Promise<Entry[]> {
  const entries: Entry[] = []
  try {
    for await (const entry of reader.getEntriesGenerator()) {
      entries.push(entry)
      if (entries.length > mostEntries) return []
    }
  } catch {
    return []
  }
  return entries
}
