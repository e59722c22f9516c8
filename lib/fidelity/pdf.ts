import type { FileBytes } from './bytes.ts'
import type { ContentSummary } from './content-summary.ts'
import { PdfContentReader } from './pdf-content.ts'
import { PdfFile } from './pdf-file.ts'
import { UnreadablePdf } from './pdf-filters.ts'
import { type PdfFont, readFont } from './pdf-fonts.ts'
import { type Dict, Name, Ref, type Value } from './pdf-objects.ts'
import { GlyphText } from './pdf-text.ts'
import { WordCounts } from './word-counts.ts'

/** Content of pages that is read; drawings of a whole country are longer. */
const maxContentBytes = 64 * 1024 * 1024
const maxPages = 20_000
/** Of the tree of pages, and forms that are drawn: each counts as much as a little text. */
const maxNodes = 50_000
const minBytesPerContent = 2000
/** Of the glyphs, from which on too few say what they mean. */
const maxUnknownShare = 0.02

/**
 * Pages and words of a PDF: the strings that its pages show, by the letters that their fonts name (ISO 32000-1, 9).
 * Words are left out where the fonts do not say enough. Undefined for what is damaged or encrypted.
 */
export async function pdfContent(bytes: FileBytes): Promise<ContentSummary | undefined> {
  try {
    return await new PdfReader(await PdfFile.open(bytes)).summary()
  } catch (error) {
    if (error instanceof UnreadablePdf) return undefined
    throw error
  }
}

interface DrawContext {
  readonly resources: Dict
  readonly depth: number
}

class PdfReader {
  readonly #file: PdfFile
  readonly #fonts = new Map<Value | number, Promise<PdfFont>>()
  readonly #words = new WordCounts()
  /** Of a page. */
  readonly #text = new GlyphText()
  #glyphs = 0
  #unknown = 0
  #bytes = 0
  #nodes = 0
  #isTruncated = false
  #pages = 0
  #hasImages = false

  constructor(file: PdfFile) {
    this.#file = file
  }

  async summary(): Promise<ContentSummary> {
    const root = await this.#file.catalog()
    await this.#node(await this.#file.dict(root.get('Pages')), new Map(), 0)
    const isKnown = !this.#isTruncated && this.#unknown <= this.#glyphs * maxUnknownShare
    return {
      ...(isKnown && { words: this.#words }),
      counts: { pages: this.#pages },
      features: this.#hasImages ? ['pictures'] : [],
    }
  }

  /** 7.7.3: a node hands its resources down. */
  async #node(node: Dict, inherited: Dict, depth: number): Promise<void> {
    if (depth > 60 || this.#pages >= maxPages || this.#nodes++ > maxNodes) return
    const resources = node.has('Resources') ? await this.#file.dict(node.get('Resources')) : inherited
    if (node.has('Kids')) {
      for (const kid of await this.#file.array(node.get('Kids')))
        await this.#node(await this.#file.dict(kid), resources, depth + 1)
      return
    }
    this.#pages++
    await this.#page(node, resources)
  }

  async #page(page: Dict, resources: Dict): Promise<void> {
    const parts: Buffer[] = []
    for (const part of await this.#file.array(page.get('Contents'))) {
      const stream = await this.#file.stream(part)
      if (stream) parts.push(await stream.content())
    }
    await this.#read(joinStreams(parts), { resources, depth: 0 })
    // Filled fields of a form stand in what shows them.
    for (const note of await this.#file.array(page.get('Annots'))) {
      const appearance = await this.#file.dict((await this.#file.dict(note)).get('AP'))
      await this.#form(appearance.get('N'), { resources, depth: 1 })
    }
    this.#words.add(this.#text.takeText())
  }

  /** 8.10: content that is drawn where it is named. */
  async #form(value: Value | undefined, { resources, depth }: DrawContext): Promise<void> {
    const form = await this.#file.stream(value)
    const subtype = form?.dict.get('Subtype')
    if (subtype instanceof Name && subtype.name === 'Image') this.#hasImages = true
    if (!form || depth > 12 || !(subtype instanceof Name && subtype.name === 'Form')) return
    const formResources = form.dict.has('Resources')
      ? await this.#file.dict(form.dict.get('Resources'))
      : resources
    await this.#read(await form.content(), { resources: formResources, depth })
  }

  async #read(bytes: Buffer, context: DrawContext): Promise<void> {
    this.#bytes += Math.max(bytes.length, minBytesPerContent)
    if (this.#bytes > maxContentBytes) this.#isTruncated = true
    if (this.#isTruncated) return
    const fonts = await this.#file.dict(context.resources.get('Font'))
    const content = new PdfContentReader(bytes, this.#text)
    for (let request = content.next(); request; request = content.next()) {
      if (request.what === 'font') content.font = await this.#font(request.name, fonts)
      else await this.#drawObject(request.name, context)
    }
    this.#glyphs += content.glyphs
    this.#unknown += content.unknownGlyphs
  }

  async #drawObject(name: string, context: DrawContext): Promise<void> {
    const objects = await this.#file.dict(context.resources.get('XObject'))
    await this.#form(objects.get(name), { ...context, depth: context.depth + 1 })
  }

  #font(name: string, fonts: Dict): Promise<PdfFont> | PdfFont | undefined {
    const value = fonts.get(name)
    if (value === undefined) return undefined
    // Each page may name it anew.
    const key = value instanceof Ref ? value.id : value
    const known = this.#fonts.get(key)
    if (known !== undefined) return known
    const font = this.#file.dict(value).then((dict) => readFont(dict, this.#file))
    this.#fonts.set(key, font)
    return font
  }
}

const lineEnd = Buffer.from('\n')

/** 7.8.2: parts of a page divide it between any two words. */
function joinStreams(parts: readonly Buffer[]): Buffer {
  const [first] = parts
  if (first && parts.length === 1) return first
  return Buffer.concat(parts.flatMap((part) => [part, lineEnd]))
}
