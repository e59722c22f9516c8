import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Tools } from '../../engine.ts'
import { unreadablePdf } from '../qpdf.ts'
import { type EditablePdf, isSigned, type Tool } from './editable-pdf.ts'
import { navigationOf, type OutlineItem } from './navigation.ts'
import { isDict, PdfObjects, type PdfValue } from './objects.ts'
import type { ToolOptions } from './options.ts'

/** What is known about a PDF, as a JSON file and as details of the result. */
export const describe: Tool<ToolOptions<'pdf-info'>> = async ({ pdf, work, tools }) => {
  const [told, fonts, images, objects, signed] = [
    await pdfinfo(pdf.source, pdf.path, tools),
    await fontsOf(pdf.path, tools),
    await countImages(pdf.path, tools),
    await PdfObjects.load(pdf.path, tools),
    await isSigned(pdf.source),
  ]
  tools.progress(0.8)
  const facts = {
    pages: pdf.sizes.length,
    pdfVersion: told.get('PDF version'),
    pageSizes: sizesOf(pdf),
    encrypted: pdf.encrypted,
    permissions: permissionsOf(told.get('Encrypted')),
    signed,
    tagged: told.get('Tagged') === 'yes',
    linearized: told.get('Optimized') === 'yes',
    pdfa: told.get('PDF subtype') ?? null,
    form: told.get('Form') ?? 'none',
    javascript: objects.refs.some((ref) => mentionsScript(objects.resolve(ref))),
    title: told.get('Title') ?? null,
    author: told.get('Author') ?? null,
    subject: told.get('Subject') ?? null,
    keywords: told.get('Keywords') ?? null,
    creator: told.get('Creator') ?? null,
    producer: told.get('Producer') ?? null,
    createdAt: told.get('CreationDate') ?? null,
    modifiedAt: told.get('ModDate') ?? null,
    outlineItems: countItems(navigationOf(objects).outline),
    attachments: attachmentsOf(objects),
    images,
    fonts,
  }
  const path = join(work.outDir, 'output.json')
  await writeFile(path, `${JSON.stringify(facts, null, 2)}\n`)
  tools.progress(1)
  const { fonts: _, attachments, ...details } = facts
  return { files: [{ path, format: 'json' }], details: { ...details, attachments: attachments.length } }
}

/** The open copy tells what a locked one keeps for itself; only the original tells how it is locked. */
async function pdfinfo(source: string, open: string, tools: Tools): Promise<Map<string, string>> {
  const told = await linesOf('pdfinfo', ['-isodates', open], tools)
  const facts = new Map(told.map(pair))
  const locked = source === open ? [] : await linesOf('pdfinfo', [source], tools).catch(() => [])
  const protection = locked.map(pair).find(([name]) => name === 'Encrypted')
  return protection ? facts.set(...protection) : facts
}

function pair(line: string): [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]
}

async function linesOf(bin: string, args: readonly string[], tools: Tools): Promise<string[]> {
  try {
    const { stdout } = await tools.exec(bin, args)
    return stdout.split('\n').filter((line) => line !== '')
  } catch (error) {
    throw unreadablePdf(error)
  }
}

/** `yes (print:yes copy:no change:no addNotes:no algorithm:AES-256)` */
function permissionsOf(told: string | undefined) {
  const facts = [...(told ?? '').matchAll(/(\w+):([\w-]+)/g)].map(([, name = '', value]) => [
    name,
    value === 'yes' ? true : value === 'no' ? false : value,
  ])
  return facts.length === 0 ? null : Object.fromEntries(facts)
}

interface SizedPages {
  readonly width: number
  readonly height: number
  pages: number
}

function sizesOf({ sizes }: EditablePdf): SizedPages[] {
  const found = new Map<string, SizedPages>()
  for (const { width, height } of sizes) {
    const key = `${width} ${height}`
    const known = found.get(key) ?? { width, height, pages: 0 }
    known.pages++
    found.set(key, known)
  }
  return [...found.values()].sort((a, b) => b.pages - a.pages).slice(0, 50)
}

async function fontsOf(path: string, tools: Tools) {
  const [, , ...lines] = await linesOf('pdffonts', [path], tools)
  const pattern = /^(.*?)\s{2,}(.+?)\s{2,}(.+?)\s+(yes|no)\s+(yes|no)\s+(yes|no)\s+\d+\s+\d+$/
  const fonts = lines.flatMap((line) => {
    const [, name = '', type, , embedded] = pattern.exec(line) ?? []
    return type === undefined ? [] : [{ name, type, embedded: embedded === 'yes' }]
  })
  const unique = new Map(fonts.map((font) => [JSON.stringify(font), font]))
  return [...unique.values()]
}

async function countImages(path: string, tools: Tools): Promise<number> {
  const [, , ...lines] = await linesOf('pdfimages', ['-list', path], tools)
  const drawn = lines.map((line) => line.trim().split(/\s+/))
  // The same picture on two pages is one object.
  return new Set(drawn.filter(([, , type]) => type === 'image').map((columns) => columns[10])).size
}

function countItems(items: readonly OutlineItem[]): number {
  return items.reduce((sum, { children }) => sum + 1 + countItems(children), 0)
}

/** Wherever an action hangs; readers look in a few places only. */
function mentionsScript(value: PdfValue): boolean {
  if (Array.isArray(value)) return value.some(mentionsScript)
  if (!isDict(value)) return false
  return value['/S'] === '/JavaScript' || Object.values(value).some(mentionsScript)
}

function attachmentsOf(objects: PdfObjects): string[] {
  const names: string[] = []
  for (const ref of objects.refs) {
    const dict = objects.dict(ref)
    if (!dict || !('/EF' in dict)) continue
    const name: PdfValue = objects.resolve(dict['/UF'] ?? dict['/F'])
    names.push(typeof name === 'string' ? name.replace(/^u:/, '') : 'unnamed')
  }
  return names
}
