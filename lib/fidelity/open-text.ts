import { attributeOf, readMarkup, type Tag, textOfMarkup } from './markup.ts'

export interface OpenText {
  /** What is seen. */
  readonly text: string
  readonly hasHidden: boolean
}

/** What may be hidden (OpenDocument 1.3, part 3). */
const hidable = new Set(['text:p', 'text:h', 'text:span', 'text:section'])
const hidingMark = 'text:display="none"'

/**
 * The text of OpenDocument.
 * @param besides elements that hold nothing to read.
 * @param styles the part with those that have a name.
 */
export function readOpenText(xml: string, besides: ReadonlySet<string>, styles: string): OpenText {
  if (!xml.includes(hidingMark) && !styles.includes(hidingMark))
    return { text: textOfMarkup(xml, besides), hasHidden: false }
  const hiding = hiddenByStyle(styles, xml)
  // Of each that is open, whether it is hidden or within what is.
  const open: boolean[] = []
  let hasHidden = false
  const text = textOfMarkup(xml, besides, {
    isHiddenFrom: (tag) => {
      if (hidable.has(tag.name) && !tag.isEmpty) {
        if (tag.isEnd) open.pop()
        else open.push(hides(tag, hiding) ?? open.at(-1) === true)
      }
      const isHidden = open.at(-1) === true
      hasHidden ||= isHidden
      return isHidden
    },
  })
  return { text, hasHidden }
}

/** @returns undefined where neither says so. */
function hides(tag: Tag, hiding: ReadonlyMap<string, boolean>): boolean | undefined {
  if (tag.name === 'text:section') return tag.source.includes(hidingMark) ? true : undefined
  return hiding.get(attributeOf(tag, 'text:style-name') ?? '')
}

/** Whether styles hide or show what they are of. What one is based on stands before it, or in the part before. */
function hiddenByStyle(...parts: readonly string[]): ReadonlyMap<string, boolean> {
  const hiding = new Map<string, boolean>()
  let name = ''
  const tag = (one: Tag) => {
    if (one.isEnd) return false
    if (one.name === 'style:style') {
      name = attributeOf(one, 'style:name') ?? ''
      const inherited = hiding.get(attributeOf(one, 'style:parent-style-name') ?? '')
      if (inherited !== undefined) hiding.set(name, inherited)
    } else if (one.name === 'style:text-properties') {
      const display = attributeOf(one, 'text:display')
      if (display !== undefined) hiding.set(name, display === 'none')
    }
    return one.name === 'office:body'
  }
  for (const xml of parts) readMarkup(xml, { text: () => {}, tag })
  return hiding
}
