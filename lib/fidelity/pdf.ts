import type { FileBytes } from './bytes.ts'
import type { Holding } from './holding.ts'
import { PdfFile, UnreadPdf } from './pdf-file.ts'
import { fontOf, type PdfFont } from './pdf-fonts.ts'
import { type Dict, Name, Operator, Ref, type Value, Values } from './pdf-objects.ts'
import { Words } from './words.ts'

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
  #text: string[] = []
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
      // 7.8.2: parts of a page divide it between any two words.
      if (stream) parts.push(await stream.content(), Buffer.from('\n'))
    }
    await this.#read(Buffer.concat(parts), { resources, depth: 0 })
    // Filled fields of a form stand in what shows them.
    for (const note of await this.#file.array(page.get('Annots'))) {
      const looks = await this.#file.dict((await this.#file.dict(note)).get('AP'))
      await this.#form(looks.get('N'), { resources, depth: 1 })
    }
    this.#words.add(this.#text.join(''))
    this.#text = []
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

  async #read(content: Buffer, place: Place): Promise<void> {
    this.#bytes += Math.max(content.length, leastBytes)
    if (this.#bytes > mostContentBytes) this.#isCut = true
    if (this.#isCut) return
    const fonts = await this.#file.dict(place.resources.get('Font'))
    const values = new Values(content, 0, gap)
    let operands: Value[] = []
    let font: PdfFont | undefined
    const kept: (PdfFont | undefined)[] = []
    for (let value = values.next(); value !== undefined; value = values.next()) {
      if (!(value instanceof Operator)) {
        if (operands.length < 64) operands.push(value)
        continue
      }
      switch (value.word) {
        case 'Tf':
          font = await this.#font(operands[0], fonts)
          break
        case 'q':
          kept.push(font)
          break
        case 'Q':
          font = kept.pop()
          break
        case 'ID':
          values.skipInlineImage()
          break
        case 'Do':
          await this.#drawn(operands[0], place)
          break
        default:
          this.#show(value.word, operands, font)
      }
      operands = []
    }
  }

  async #drawn(name: Value | undefined, place: Place): Promise<void> {
    if (!(name instanceof Name)) return
    const objects = await this.#file.dict(place.resources.get('XObject'))
    await this.#form(objects.get(name.name), { ...place, depth: place.depth + 1 })
  }

  #font(name: Value | undefined, fonts: Dict): Promise<PdfFont> | undefined {
    const value = name instanceof Name ? fonts.get(name.name) : undefined
    if (value === undefined) return undefined
    // Each page may name it anew.
    const key = value instanceof Ref ? value.id : value
    const known = this.#fonts.get(key)
    if (known !== undefined) return known
    const font = this.#file.dict(value).then((dict) => fontOf(dict, this.#file))
    this.#fonts.set(key, font)
    return font
  }

  /** 9.4.3. A move to another place divides words; what is only kerned does not. */
  #show(word: string, operands: readonly Value[], font: PdfFont | undefined): void {
    const last = operands.at(-1)
    if (word === 'Tj') this.#say(last, font)
    else if (word === 'TJ' && Array.isArray(last)) {
      for (const item of last) {
        if (typeof item === 'number') this.#text.push(' ')
        else this.#say(item, font)
      }
    } else if (word === "'" || word === '"') {
      this.#text.push('\n')
      this.#say(last, font)
    } else if (word === 'Td' || word === 'TD' || word === 'Tm' || word === 'T*' || word === 'BT')
      this.#text.push(' ')
  }

  #say(value: Value | undefined, font: PdfFont | undefined): void {
    if (!Buffer.isBuffer(value) || !font) return
    const { codeBytes } = font
    let said = ''
    for (let at = 0; at + codeBytes <= value.length; at += codeBytes) {
      const text = font.textOf(codeBytes === 1 ? (value[at] ?? 0) : value.readUInt16BE(at))
      this.#glyphs++
      if (text === undefined) this.#unknown++
      else said += text
    }
    this.#text.push(said)
  }
}

/** Thousandths of the size of the letters; a space is 250 wide as a rule, and kerning 100 at most. */
const gap = -170
