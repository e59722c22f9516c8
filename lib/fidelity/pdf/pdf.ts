import type { FileBytes } from '../bytes.ts'
import type { ContentSummary } from '../content-summary.ts'
import { CountingStoppedError } from '../read-errors.ts'
import { roundArea } from '../text/count-elements.ts'
import { WordCounts } from '../text/word-counts.ts'
import { measureScale, PdfContentReader } from './content.ts'
import { PdfFile } from './file.ts'
import { UnreadablePdfError } from './filters.ts'
import { type PdfFont, readFont } from './fonts.ts'
import { type Dict, Name, Ref, type Value } from './objects.ts'
import { GlyphText } from './text.ts'

/** Maximum bytes of page content; only very large drawings have more. */
const maxContentBytes = 64 * 1024 * 1024
const maxPages = 20_000
/** Maximum number of nodes in the page tree. */
const maxNodes = 50_000
/** Each page and form counts as at least this many bytes. */
const minBytesPerContent = 2000
/** In a source, smaller images are lines, dots and patterns, which other formats draw. */
const minImagePixels = 16
/** If more glyphs than this share are unknown, words are not counted. */
const maxUnknownShare = 0.02

/**
 * Counts the pages and words of a PDF, from the strings that its pages show and the encodings of their fonts
 * (ISO 32000-1, 9). Words are omitted if the fonts do not map enough glyphs to text. Undefined for a damaged or
 * encrypted file.
 */
export async function readPdf(bytes: FileBytes, isResult: boolean): Promise<ContentSummary | undefined> {
  try {
    return await new PdfReader(await PdfFile.open(bytes), isResult).summary()
  } catch (error) {
    if (error instanceof UnreadablePdfError) return undefined
    if (error instanceof CountingStoppedError) return { counts: {}, features: [], isIncomplete: true }
    throw error
  }
}

interface DrawContext {
  readonly resources: Dict
  readonly depth: number
  /** Area that the unit square covers, in square points. */
  readonly area: number
}

class PdfReader {
  readonly #file: PdfFile
  readonly #isResult: boolean
  readonly #fonts = new Map<Value | number, Promise<PdfFont>>()
  readonly #words = new WordCounts()
  /** Text of the current page. */
  readonly #text = new GlyphText()
  #glyphCount = 0
  #unknownGlyphCount = 0
  #contentBytes = 0
  #nodeCount = 0
  #isTruncated = false
  #pages = 0
  readonly #counts = { images: 0, links: 0, fields: 0, checkedFields: 0 }
  #imageArea = 0
  #hasImages = false

  constructor(file: PdfFile, isResult: boolean) {
    this.#file = file
    this.#isResult = isResult
  }

  async summary(): Promise<ContentSummary> {
    const root = await this.#file.catalog()
    await this.#readNode(await this.#file.dict(root.get('Pages')), new Map(), 0)
    const isKnown = !this.#isTruncated && this.#unknownGlyphCount <= this.#glyphCount * maxUnknownShare
    return {
      ...(isKnown && { words: this.#words }),
      counts: { pages: this.#pages, ...this.#counts, imageArea: roundArea(this.#imageArea) },
      features: this.#hasImages ? ['pictures'] : [],
      ...(this.#isTruncated && { isIncomplete: true }),
    }
  }

  /** Reads a node of the page tree, which inherits resources from its parents (7.7.3). */
  async #readNode(node: Dict, inheritedDict: Dict, depth: number): Promise<void> {
    if (depth > 60 || this.#pages >= maxPages || this.#nodeCount++ > maxNodes) return
    const resources = node.has('Resources') ? await this.#file.dict(node.get('Resources')) : inheritedDict
    if (node.has('Kids')) {
      for (const kid of await this.#file.array(node.get('Kids')))
        await this.#readNode(await this.#file.dict(kid), resources, depth + 1)
      return
    }
    this.#pages++
    if (!this.#isTruncated) await this.#readPage(node, resources)
  }

  async #readPage(page: Dict, resources: Dict): Promise<void> {
    const parts: Buffer[] = []
    for (const contentPart of await this.#file.array(page.get('Contents'))) {
      const stream = await this.#file.stream(contentPart)
      if (stream) parts.push(await stream.content())
    }
    await this.#readContent(joinStreams(parts), { resources, depth: 0, area: 1 })
    // Values of form fields are in their appearance streams.
    for (const value of await this.#file.array(page.get('Annots'))) {
      const annotation = await this.#file.dict(value)
      await this.#countAnnotation(annotation)
      const appearance = await this.#file.dict(annotation.get('AP'))
      await this.#readForm(appearance.get('N'), { resources, depth: 1, area: 1 })
    }
    this.#words.add(this.#text.takeText())
  }

  /** Counts links and form fields (12.5.6.5 and 12.5.6.19). */
  async #countAnnotation(annotation: Dict): Promise<void> {
    const subtype = annotation.get('Subtype')
    if (!(subtype instanceof Name)) return
    if (subtype.name === 'Widget') this.#countField(annotation)
    if (subtype.name !== 'Link') return
    const action = (await this.#file.dict(annotation.get('A'))).get('S')
    if (action instanceof Name && action.name === 'URI') this.#counts.links++
  }

  /** Counts a form field. Only check boxes and radio buttons have a state (12.7.4.2). */
  #countField(widget: Dict): void {
    this.#counts.fields++
    const state = widget.get('AS')
    if (state instanceof Name && state.name !== 'Off') this.#counts.checkedFields++
  }

  /** Reads a form XObject (8.10). */
  async #readForm(value: Value | undefined, { resources, depth, area }: DrawContext): Promise<void> {
    const form = await this.#file.stream(value)
    const subtype = form?.dict.get('Subtype')
    if (subtype instanceof Name && subtype.name === 'Image') {
      this.#hasImages = true
      if (form && !isDecoration(form.dict, this.#isResult ? 1 : minImagePixels)) {
        this.#counts.images++
        this.#imageArea += area
      }
    }
    if (!form || depth > 12 || !(subtype instanceof Name && subtype.name === 'Form')) return
    const formResources = form.dict.has('Resources')
      ? await this.#file.dict(form.dict.get('Resources'))
      : resources
    const matrix = (await this.#file.array(form.dict.get('Matrix'))).map(Number)
    const formContext = { resources: formResources, depth, area: area * measureScale(matrix) }
    await this.#readContent(await form.content(), formContext)
  }

  async #readContent(bytes: Buffer, context: DrawContext): Promise<void> {
    this.#contentBytes += Math.max(bytes.length, minBytesPerContent)
    if (this.#contentBytes > maxContentBytes) this.#isTruncated = true
    if (this.#isTruncated) return
    const fonts = await this.#file.dict(context.resources.get('Font'))
    const content = new PdfContentReader(bytes, this.#text, context.area)
    for (let request = content.next(); request; request = content.next()) {
      if (request.what === 'font') content.font = await this.#loadFont(request.name, fonts)
      else await this.#drawObject(request.name, { ...context, area: content.area })
    }
    // Some programs write small images directly into the page. In a source, most of them are patterns and dots.
    if (this.#isResult && content.inlineImageCount > 0) {
      this.#hasImages = true
      this.#counts.images += content.inlineImageCount
      this.#imageArea += content.inlineImageArea
    }
    this.#glyphCount += content.glyphs
    this.#unknownGlyphCount += content.unknownGlyphCount
  }

  async #drawObject(name: string, context: DrawContext): Promise<void> {
    const objects = await this.#file.dict(context.resources.get('XObject'))
    await this.#readForm(objects.get(name), { ...context, depth: context.depth + 1 })
  }

  #loadFont(name: string, fonts: Dict): Promise<PdfFont> | PdfFont | undefined {
    const value = fonts.get(name)
    if (value === undefined) return undefined
    // Caches the font, because each page may refer to it.
    const key = value instanceof Ref ? value.id : value
    const knownFont = this.#fonts.get(key)
    if (knownFont !== undefined) return knownFont
    const font = this.#file.dict(value).then((dict) => readFont(dict, this.#file))
    this.#fonts.set(key, font)
    return font
  }
}

/** Whether an image is only a stencil or a part of a line (8.9.5). */
const isDecoration = (image: Dict, minPixels: number) =>
  image.get('ImageMask') === true ||
  ['Width', 'Height'].some((name) => {
    const pixels = image.get(name)
    return typeof pixels === 'number' && pixels < minPixels
  })

const lineEnd = Buffer.from('\n')

/** Joins the streams of a page, which may be split between any two tokens (7.8.2). */
function joinStreams(streams: readonly Buffer[]): Buffer {
  const [firstPart] = streams
  if (firstPart && streams.length === 1) return firstPart
  return Buffer.concat(streams.flatMap((stream) => [stream, lineEnd]))
}
