/** Source of a pattern with one group, which matches constructs whose content must not be searched for elements. */
export const hiddenContentPattern = String.raw`<!--[\s\S]*?(?:-->|$)|<(script|style|textarea|xmp|template)\b[\s\S]*?(?:<\/\1\s*>|$)`
const attributesPattern = String.raw`(?:[^<>"']|"[^"]*"|'[^']*')*`
const objectTagPattern = new RegExp(
  `${hiddenContentPattern}|<object(?=[\\s/])(${attributesPattern})>|<(/)object\\s*>|<embed(?=[\\s/])(${attributesPattern})>`,
  'gi',
)
const imageUrlPattern = /([\s/"'])(?:data|src)(?=\s*=\s*["']?\s*data:image\/)/i

interface Element {
  readonly attributes: string
  readonly start: number
  readonly contentStart: number
}

interface ImageElement extends Element {
  readonly contentEnd: number
  readonly end: number
}

/**
 * Replaces `<object>` and `<embed>` elements that contain an image as a data URL with `<img>`, because many programs
 * show only their fallback content. Browsers show this content only if they cannot show the object.
 */
export function replaceImageObjects(html: string): string {
  let page = ''
  let at = 0
  for (const { attributes, start, contentStart, contentEnd, end } of findImages(html)) {
    const imageAttributes = attributes.replace(imageUrlPattern, '$1src').replace(/\/$/, '')
    const text = readText(html.slice(contentStart, contentEnd))
    page += `${html.slice(at, start)}<img${imageAttributes}${text && ` alt="${text}"`}>`
    at = end
  }
  return page + html.slice(at)
}

/** Finds the elements in the order of the page, without those in the fallback content of others. */
function findImages(html: string): readonly ImageElement[] {
  const images: ImageElement[] = []
  const openObjects: Element[] = []
  for (const match of html.matchAll(objectTagPattern)) {
    const [tag, , objectAttributes, slash, embedAttributes] = match
    const [start, end] = [match.index, match.index + tag.length]
    if (objectAttributes !== undefined)
      openObjects.push({ attributes: objectAttributes, start, contentStart: end })
    if (embedAttributes !== undefined && imageUrlPattern.test(embedAttributes))
      images.push({ attributes: embedAttributes, start, contentStart: end, contentEnd: end, end })
    const object = slash === undefined ? undefined : openObjects.pop()
    if (!object || !imageUrlPattern.test(object.attributes)) continue
    while ((images.at(-1)?.start ?? -1) > object.start) images.pop()
    images.push({ ...object, contentEnd: start, end })
  }
  return images
}

const readText = (html: string) =>
  html
    .replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll(/[\s"<>]+/g, ' ')
    .trim()
