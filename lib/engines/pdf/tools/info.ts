import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Tools } from '../../engine.ts'
import { toPdfError } from '../qpdf.ts'
import { type EditablePdf, isSignedPdf, type PdfTool } from './editable-pdf.ts'
import { type OutlineItem, readNavigation } from './navigation.ts'
import { isPdfDict, PdfObjects, type PdfValue } from './objects.ts'
import type { ToolOptions } from './options.ts'

/** Writes the properties of a PDF as JSON, and returns most of them as details. */
export const describePdf: PdfTool<ToolOptions<'pdf-info'>> = async ({ pdf, work, tools }) => {
  const [info, fonts, images, objects, isSigned] = [
    await runPdfinfo(pdf.source, pdf.path, tools),
    await listFonts(pdf.path, tools),
    await countImages(pdf.path, tools),
    await PdfObjects.load(pdf.path, tools),
    await isSignedPdf(pdf.source),
  ]
  tools.progress(0.8)
  const infoFields = {
    pages: pdf.sizes.length,
    pdfVersion: info.get('PDF version'),
    pageSizes: countPageSizes(pdf),
    encrypted: pdf.isEncrypted,
    permissions: parsePermissions(info.get('Encrypted')),
    signed: isSigned,
    tagged: info.get('Tagged') === 'yes',
    linearized: info.get('Optimized') === 'yes',
    pdfa: info.get('PDF subtype') ?? null,
    form: info.get('Form') ?? 'none',
    javascript: objects.refs.some((ref) => hasScript(objects.resolve(ref))),
    title: info.get('Title') ?? null,
    author: info.get('Author') ?? null,
    subject: info.get('Subject') ?? null,
    keywords: info.get('Keywords') ?? null,
    creator: info.get('Creator') ?? null,
    producer: info.get('Producer') ?? null,
    createdAt: info.get('CreationDate') ?? null,
    modifiedAt: info.get('ModDate') ?? null,
    outlineItems: countOutlineItems(readNavigation(objects).outline),
    attachments: listAttachments(objects),
    images,
    fonts,
  }
  const path = join(work.outDir, 'output.json')
  await writeFile(path, `${JSON.stringify(infoFields, null, 2)}\n`)
  tools.progress(1)
  const { fonts: _, attachments, ...details } = infoFields
  return { files: [{ path, format: 'json' }], details: { ...details, attachments: attachments.length } }
}

/**
 * Runs pdfinfo on the decrypted copy, because an encrypted file hides most properties. Only the original shows how it
 * is encrypted.
 */
async function runPdfinfo(source: string, decryptedPath: string, tools: Tools): Promise<Map<string, string>> {
  const lines = await readOutputLines('pdfinfo', ['-isodates', decryptedPath], tools)
  const infoFields = new Map(lines.map(parseField))
  const originalLines =
    source === decryptedPath ? [] : await readOutputLines('pdfinfo', [source], tools).catch(() => [])
  const encryptionField = originalLines.map(parseField).find(([name]) => name === 'Encrypted')
  return encryptionField ? infoFields.set(...encryptionField) : infoFields
}

function parseField(line: string): [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]
}

async function readOutputLines(bin: string, args: readonly string[], tools: Tools): Promise<string[]> {
  try {
    const { stdout } = await tools.exec(bin, args)
    return stdout.split('\n').filter((line) => line !== '')
  } catch (error) {
    throw toPdfError(error)
  }
}

/** Parses `yes (print:yes copy:no change:no addNotes:no algorithm:AES-256)`. */
function parsePermissions(encryption: string | undefined) {
  const encryptionFields = [...(encryption ?? '').matchAll(/\b(\w{1,40}):([\w-]{1,40})/g)].map(
    ([, name = '', value]) => [name, value === 'yes' ? true : value === 'no' ? false : value],
  )
  return encryptionFields.length === 0 ? null : Object.fromEntries(encryptionFields)
}

interface PageSizeCount {
  readonly width: number
  readonly height: number
  pages: number
}

function countPageSizes({ sizes }: EditablePdf): PageSizeCount[] {
  const countByPageSize = new Map<string, PageSizeCount>()
  for (const { width, height } of sizes) {
    const key = `${width} ${height}`
    const knownSize = countByPageSize.get(key) ?? { width, height, pages: 0 }
    knownSize.pages++
    countByPageSize.set(key, knownSize)
  }
  return [...countByPageSize.values()].sort((a, b) => b.pages - a.pages).slice(0, 50)
}

async function listFonts(path: string, tools: Tools) {
  const [, , ...lines] = await readOutputLines('pdffonts', [path], tools)
  const pattern =
    /^((?:\S| (?! )){0,500}) {2,99}(\S(?:\S| (?! )){0,60}) {2,99}(\S(?:\S| (?! )){0,60}) {1,99}(yes|no) {1,9}(yes|no) {1,9}(yes|no) {1,99}\d{1,12} {1,99}\d{1,12}$/
  const fonts = lines.flatMap((line) => {
    const [, name = '', type, , embedded] = pattern.exec(line) ?? []
    return type === undefined ? [] : [{ name, type, embedded: embedded === 'yes' }]
  })
  const uniqueFonts = new Map(fonts.map((font) => [JSON.stringify(font), font]))
  return [...uniqueFonts.values()]
}

async function countImages(path: string, tools: Tools): Promise<number> {
  const [, , ...lines] = await readOutputLines('pdfimages', ['-list', path], tools)
  const rows = lines.map((line) => line.trim().split(/\s+/))
  // An image used on two pages is one object.
  return new Set(rows.filter(([, , type]) => type === 'image').map((columns) => columns[10])).size
}

function countOutlineItems(items: readonly OutlineItem[]): number {
  return items.reduce((sum, { children }) => sum + 1 + countOutlineItems(children), 0)
}

/** Searches all actions, although readers run actions only in some places. */
function hasScript(value: PdfValue): boolean {
  if (Array.isArray(value)) return value.some(hasScript)
  if (!isPdfDict(value)) return false
  return value['/S'] === '/JavaScript' || Object.values(value).some(hasScript)
}

function listAttachments(objects: PdfObjects): string[] {
  const names: string[] = []
  for (const ref of objects.refs) {
    const dict = objects.dict(ref)
    if (!dict || !('/EF' in dict)) continue
    const name: PdfValue = objects.resolve(dict['/UF'] ?? dict['/F'])
    names.push(typeof name === 'string' ? name.replace(/^u:/, '') : 'unnamed')
  }
  return names
}
