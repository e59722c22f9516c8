import type { ContentSummary } from '../content-summary.ts'
import { isEmbeddedObject, readAttribute, readMarkup, Tag } from './markup.ts'

/** What a document contains in addition to its text. */
export type ElementCounts = Pick<
  ContentSummary['counts'],
  'images' | 'imageArea' | 'links' | 'tables' | 'fields' | 'checkedFields'
>

/**
 * Matches file names of pixel images. Vector graphics are not counted, because many target formats turn them into
 * paths.
 */
const rasterNamePattern = /\.(?:avif|bmp|gif|jfif|jpe?g|png|tiff?|webp)$/i
const isRasterName = (name: string | undefined): boolean => name !== undefined && rasterNamePattern.test(name)

const isWebLink = (url: string | undefined): boolean => url !== undefined && /^(?:https?|mailto):/i.test(url)

/** Finds the start tags of elements with one of these names, without tokenizing the whole text. */
export function* findTags(markup: string, names: readonly string[]): Generator<Tag> {
  const pattern = new RegExp(`<(?:${names.join('|')})(?=[\\s/>])`, 'g')
  let end = 0
  for (const { index } of markup.matchAll(pattern)) {
    // Skips a match within the previous tag.
    if (index < end) continue
    end = markup.indexOf('>', index)
    if (end < 0) return
    yield new Tag(markup, index + 1, end, false)
  }
}

function countTags(markup: string, names: readonly string[], isCounted: (tag: Tag) => boolean = () => true) {
  let count = 0
  for (const tag of findTags(markup, names)) if (isCounted(tag)) count++
  return count
}

const dataImagePattern = /^data:image\/(?:avif|bmp|gif|jpe?g|png|webp)[;,]/i
/** Shorter data URLs are transparent placeholders of one pixel. */
const minDataUrlLength = 150
const isDataImage = (url: string) => url.length >= minDataUrlLength && dataImagePattern.test(url)
const htmlFieldElements: readonly string[] = ['input', 'select', 'textarea']
const checkedAttributePattern = /\schecked(?=[\s=/]|$)/i
/** Types of `<input>` without a value of their own. */
const buttonTypePattern = /^(?:hidden|submit|button|reset|image)$/i

/** Elements whose content is plain text or is not shown; tags in it create no elements. */
const opaqueElements: ReadonlySet<string> = new Set([
  ...['script', 'style', 'template', 'noscript', 'textarea', 'iframe', 'title'],
])

type CountedElement = 'images' | 'links' | 'tables' | 'fields'

function toCountedElement(tag: Tag): CountedElement | undefined {
  const { name } = tag
  if (name === 'img' || name === 'embed')
    return isDataImage(readAttribute(tag, 'src') ?? '') ? 'images' : undefined
  if (name === 'object') return isDataImage(readAttribute(tag, 'data') ?? '') ? 'images' : undefined
  if (name === 'a') return isWebLink(readAttribute(tag, 'href')) ? 'links' : undefined
  if (name === 'table') return 'tables'
  const isField =
    htmlFieldElements.includes(name) && !buttonTypePattern.test(readAttribute(tag, 'type') ?? '')
  return isField ? 'fields' : undefined
}

/**
 * Counts the elements of an HTML page. Images in other files do not count, because pages are converted without them.
 */
export function countHtmlElements(html: string): ElementCounts {
  const counts = { images: 0, links: 0, tables: 0, fields: 0, checkedFields: 0 }
  const countTag = (tag: Tag) => {
    if (tag.isEnd) return false
    const element = toCountedElement(tag)
    if (element) counts[element]++
    if (element === 'fields' && checkedAttributePattern.test(tag.source)) counts.checkedFields++
    return opaqueElements.has(tag.name) || isEmbeddedObject(tag)
  }
  readMarkup(html, { text: () => undefined, tag: countTag }, { isHtml: true })
  return counts
}

/** Counts the images that a page of an EPUB shows, which are separate files. */
export const countPageImages = (page: string): number =>
  countTags(page, ['img', 'image', 'svg:image'], (tag) =>
    ['src', 'xlink:href', 'href'].some((name) => isRasterName(readAttribute(tag, name))),
  )

/** Counts the elements in the body of a Word document. @param relations from ids to targets */
export function countWordElements(xml: string, relations: ReadonlyMap<string, string>): ElementCounts {
  const getRelationTarget = (tag: Tag, attribute: string) =>
    relations.get(readAttribute(tag, attribute) ?? '')
  const countImages = (name: string, attribute: string) =>
    countTags(xml, [name], (tag) => isRasterName(getRelationTarget(tag, attribute)))
  return {
    // Older programs write VML, and newer programs may write VML and DrawingML for the same image.
    images: Math.max(countImages('a:blip', 'r:embed'), countImages('v:imagedata', 'r:id')),
    ...measureWordImages(xml, (tag) => isRasterName(getRelationTarget(tag, 'r:embed'))),
    links: countTags(xml, ['w:hyperlink'], (tag) => isWebLink(getRelationTarget(tag, 'r:id'))),
    tables: countTags(xml, ['w:tbl']),
    fields: countTags(xml, ['w:ffData', 'w14:checkbox', 'w:dropDownList', 'w:comboBox', 'w:date']),
    checkedFields: countCheckedWordFields(xml),
  }
}

/** Rounds an area; 0 if it is infinite, as the sum of the sizes in a malicious file can be. */
export const roundArea = (area: number): number => (Number.isFinite(area) ? Math.round(area) : 0)

const emusPerPoint = 12_700

/** Adds up the areas of pixel images. Omits the sum if none is found, for example because all images are VML. */
function measureWordImages(xml: string, isRaster: (blip: Tag) => boolean): Pick<ElementCounts, 'imageArea'> {
  let [imageArea, frameArea, images] = [0, 0, 0]
  for (const tag of findTags(xml, ['wp:extent', 'a:blip'])) {
    const readSide = (name: string) => Number(readAttribute(tag, name)) / emusPerPoint || 0
    if (tag.name === 'wp:extent') frameArea = readSide('cx') * readSide('cy')
    else if (isRaster(tag)) {
      images++
      imageArea += frameArea
    }
  }
  return images > 0 ? { imageArea: roundArea(imageArea) } : {}
}

/**
 * Counts checked check boxes. The state of a legacy check box overrides its default (ECMA-376, part 1, 17.16.7 and
 * 17.16.8).
 */
function countCheckedWordFields(xml: string): number {
  const isOn = (tag: Tag, attribute: string) =>
    !/^(?:0|false|off)$/.test(readAttribute(tag, attribute) ?? '1')
  let [count, isCheckBox, isChecked] = [0, false, false]
  for (const tag of findTags(xml, ['w:ffData', 'w:checkBox', 'w:default', 'w:checked', 'w14:checked'])) {
    if (tag.name === 'w14:checked') count += isOn(tag, 'w14:val') ? 1 : 0
    else if (tag.name === 'w:checkBox') isCheckBox = true
    else if (tag.name !== 'w:ffData') isChecked = isCheckBox && isOn(tag, 'w:val')
    else {
      count += isChecked ? 1 : 0
      isCheckBox = false
      isChecked = false
    }
  }
  return count + (isChecked ? 1 : 0)
}

/** Returns the targets of a part's relationships by id (ECMA-376, part 2, 9.3). */
export function readRelations(xml: string | undefined): ReadonlyMap<string, string> {
  const tags = [...findTags(xml ?? '', ['Relationship'])]
  return new Map(tags.map((tag) => [readAttribute(tag, 'Id') ?? '', readAttribute(tag, 'Target') ?? '']))
}

const rasterTypePattern = /^image\/(?:bmp|gif|jpeg|png|tiff|webp)$/

/**
 * Counts the elements in the content of an OpenDocument file.
 * @param hasImage whether the file contains the image with a URL.
 */
export function countOpenDocumentElements(xml: string, hasImage: (url: string) => boolean): ElementCounts {
  // In a flat file, images are embedded and therefore have no name.
  const isRasterImage = (tag: Tag): boolean => {
    const name = readAttribute(tag, 'xlink:href')
    return name === undefined
      ? rasterTypePattern.test(readAttribute(tag, 'draw:mime-type') ?? '')
      : isRasterName(name) && hasImage(name)
  }
  const formFields = [
    'form:checkbox',
    'form:combobox',
    'form:date',
    'form:listbox',
    'form:radio',
    'form:text',
  ]
  return {
    images: countTags(xml, ['draw:image'], isRasterImage),
    imageArea: measureOpenDocumentImages(xml, isRasterImage),
    links: countTags(xml, ['text:a'], (tag) => isWebLink(readAttribute(tag, 'xlink:href'))),
    tables: countTags(xml, ['table:table']),
    fields: countTags(xml, formFields),
    checkedFields: countTags(xml, ['form:checkbox', 'form:radio'], (tag) =>
      /="(?:checked|true)"/.test(tag.source),
    ),
  }
}

const pointsPerUnit: Readonly<Record<string, number>> = {
  in: 72,
  cm: 72 / 2.54,
  mm: 7.2 / 2.54,
  pt: 1,
  pc: 12,
}

function measureOpenDocumentImages(xml: string, isRasterImage: (tag: Tag) => boolean): number {
  let [imageArea, frameArea] = [0, 0]
  for (const tag of findTags(xml, ['draw:frame', 'draw:image'])) {
    const readSide = (name: string) => {
      const length = readAttribute(tag, name) ?? ''
      return Number.parseFloat(length) * (pointsPerUnit[length.slice(-2)] ?? 0) || 0
    }
    if (tag.name === 'draw:frame') frameArea = readSide('svg:width') * readSide('svg:height')
    else if (isRasterImage(tag)) imageArea += frameArea
  }
  return roundArea(imageArea)
}
