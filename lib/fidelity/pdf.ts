import type { FileBytes } from './bytes.ts'
import type { Holding } from './content-summary.ts'
import { PdfContent } from './pdf-content.ts'
import { PdfFile } from './pdf-file.ts'
import { UnreadPdf } from './pdf-filters.ts'
import { fontOf, type PdfFont } from './pdf-fonts.ts'
import { type Dict, Name, Ref, type Value } from './pdf-objects.ts'
import { GlyphText } from './pdf-text.ts'
import { Words } from './word-counts.ts'

/** Content of pages that is read; drawings of a whole country are longer. */
const mostContentBytes = 64 * 1024 * 1024
const mostPages = 20_000
/** Of the tree of pages, and forms that are drawn: each counts as much as a little text. */
const mostNodes = 50_000
const leastBytes = 2000
/** Of the glyphs, from which on too few say what they mean. */
const unknownShare = 0.02

/**
 * Pages and words of a PDF: the strings that its pages show, by the letters that their fonts name (ISO 32000-1, 9).
 * Words are left out where the fonts do not say enough. Undefined for what is damaged or encrypted.
 */
export async function pdf(bytes: FileBytes): Promise<Holding | undefined> {
  try {
    return await new PdfReading(await PdfFile.open(bytes)).holding()
  } catch (error) {
    if (error instanceof UnreadPdf) return undefined
    throw error
  }
}

interface Place {
  readonly resources: Dict
  readonly depth: number
}

class PdfReading {
  readonly #file: PdfFile
  readonly #fonts = new Map<Value | number, Promise<PdfFont>>()
  readonly #words = new Words()
  /** Of a page. */
  readonly #text = new GlyphText()
  #glyphs = 0
  #unknown = 0
  #bytes = 0
  #nodes = 0
  #isCut = false
  #pages = 0
  #hasPictures = false

  constructor(file: PdfFile) {
    this.#file = file
  }

  async holding(): Promise<Holding> {
    const root = await this.#file.catalog()
    await this.#node(await this.#file.dict(root.get('Pages')), new Map(), 0)
    const isKnown = !this.#isCut && this.#unknown <= this.#glyphs * unknownShare
    return {
      ...(isKnown && { words: this.#words }),
      counts: { pages: this.#pages },
      features: this.#hasPictures ? ['pictures'] : [],
    }
  }

  /** 7.7.3: a node hands its resources down. */
  async #node(node: Dict, inherited: Dict, depth: number): Promise<void> {
    if (depth > 60 || this.#pages >= mostPages || this.#nodes++ > mostNodes) return
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
    await this.#read(joined(parts), { resources, depth: 0 })
    // Filled fields of a form stand in what shows them.
    for (const note of await this.#file.array(page.get('Annots'))) {
      const looks = await this.#file.dict((await this.#file.dict(note)).get('AP'))
      await this.#form(looks.get('N'), { resources, depth: 1 })
    }
    this.#words.add(this.#text.taken())
  }

  /** 8.10: content that is drawn where it is named. */
  async #form(value: Value | undefined, { resources, depth }: Place): Promise<void> {
    const form = await this.#file.stream(value)
    const subtype = form?.dict.get('Subtype')
    if (subtype instanceof Name && subtype.name === 'Image') this.#hasPictures = true
    if (!form || depth > 12 || !(subtype instanceof Name && subtype.name === 'Form')) return
    const own = form.dict.has('Resources') ? await this.#file.dict(form.dict.get('Resources')) : resources
    await this.#read(await form.content(), { resources: own, depth })
  }

  async #read(bytes: Buffer, place: Place): Promise<void> {
    this.#bytes += Math.max(bytes.length, leastBytes)
    if (this.#bytes > mostContentBytes) this.#isCut = true
    if (this.#isCut) return
    const fonts = await this.#file.dict(place.resources.get('Font'))
    const content = new PdfContent(bytes, this.#text)
    for (let wanted = content.next(); wanted; wanted = content.next()) {
      if (wanted.what === 'font') content.font = await this.#font(wanted.name, fonts)
      else await this.#drawn(wanted.name, place)
    }
    this.#glyphs += content.glyphs
    this.#unknown += content.unknown
  }

  async #drawn(name: string, place: Place): Promise<void> {
    const objects = await this.#file.dict(place.resources.get('XObject'))
    await this.#form(objects.get(name), { ...place, depth: place.depth + 1 })
  }

  #font(name: string, fonts: Dict): Promise<PdfFont> | PdfFont | undefined {
    const value = fonts.get(name)
    if (value === undefined) return undefined
    // Each page may name it anew.
    const key = value instanceof Ref ? value.id : value
    const known = this.#fonts.get(key)
    if (known !== undefined) return known
    const font = this.#file.dict(value).then((dict) => fontOf(dict, this.#file))
    this.#fonts.set(key, font)
    return font
  }
}

const lineEnd = Buffer.from('\n')

/** 7.8.2: parts of a page divide it between any two words. */
function joined(parts: readonly Buffer[]): Buffer {
  const [first] = parts
  if (first && parts.length === 1) return first
  return Buffer.concat(parts.flatMap((part) => [part, lineEnd]))
}
