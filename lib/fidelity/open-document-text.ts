import { markupText, readAttribute, readMarkup, type Tag } from './markup.ts'

export interface OpenDocumentText {
  /** What is seen. */
  readonly text: string
  readonly hasHidden: boolean
}

/** What may be hidden (OpenDocument 1.3, part 3). */
const hidableElements = new Set(['text:p', 'text:h', 'text:span', 'text:section'])
const hidingAttribute = 'text:display="none"'

/**
 * The text of OpenDocument.
 * @param ignoredElements elements that hold nothing to read.
 * @param styles the part with those that have a name.
 */
export function readOpenDocumentText(
  xml: string,
  ignoredElements: ReadonlySet<string>,
  styles: string,
): OpenDocumentText {
  if (!xml.includes(hidingAttribute) && !styles.includes(hidingAttribute))
    return { text: markupText(xml, ignoredElements), hasHidden: false }
  const hiddenStyles = findHiddenStyles(styles, xml)
  // Of each that is open, whether it is hidden or within what is.
  const open: boolean[] = []
  let hasHidden = false
  const text = markupText(xml, ignoredElements, {
    isHiddenFrom: (tag) => {
      if (hidableElements.has(tag.name) && !tag.isEmpty) {
        if (tag.isEnd) open.pop()
        else open.push(isHiddenBy(tag, hiddenStyles) ?? open.at(-1) === true)
      }
      const isHidden = open.at(-1) === true
      hasHidden ||= isHidden
      return isHidden
    },
  })
  return { text, hasHidden }
}

/** @returns undefined where neither says so. */
function isHiddenBy(tag: Tag, hiddenStyles: ReadonlyMap<string, boolean>): boolean | undefined {
  if (tag.name === 'text:section') return tag.source.includes(hidingAttribute) ? true : undefined
  return hiddenStyles.get(readAttribute(tag, 'text:style-name') ?? '')
}

/** Whether styles hide or show what they are of. What one is based on stands before it, or in the part before. */
function findHiddenStyles(...parts: readonly string[]): ReadonlyMap<string, boolean> {
  const hiddenStyles = new Map<string, boolean>()
  let name = ''
  const tag = (one: Tag) => {
    if (one.isEnd) return false
    if (one.name === 'style:style') {
      name = readAttribute(one, 'style:name') ?? ''
      const inherited = hiddenStyles.get(readAttribute(one, 'style:parent-style-name') ?? '')
      if (inherited !== undefined) hiddenStyles.set(name, inherited)
    } else if (one.name === 'style:text-properties') {
      const display = readAttribute(one, 'text:display')
      if (display !== undefined) hiddenStyles.set(name, display === 'none')
    }
    return one.name === 'office:body'
  }
  for (const xml of parts) readMarkup(xml, { text: () => {}, tag })
  return hiddenStyles
}
