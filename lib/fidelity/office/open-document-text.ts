import { extractText, readAttribute, readMarkup, type Tag } from '../text/markup.ts'

interface OpenDocumentText {
  /** The visible text. */
  readonly text: string
  readonly hasHidden: boolean
}

/** Elements that can be hidden (OpenDocument 1.3, part 3). */
const hidableElements = new Set(['text:p', 'text:h', 'text:span', 'text:section'])
const hidingAttribute = 'text:display="none"'

/**
 * Returns the text of an OpenDocument file.
 * @param ignoredElements elements without readable text.
 * @param styles the XML part with the named styles.
 */
export function readOpenDocumentText(
  xml: string,
  ignoredElements: ReadonlySet<string>,
  styles: string,
): OpenDocumentText {
  if (!xml.includes(hidingAttribute) && !styles.includes(hidingAttribute))
    return { text: extractText(xml, ignoredElements), hasHidden: false }
  const hiddenStyles = findHiddenStyles(styles, xml)
  // One entry per open element: whether it is hidden, directly or by an ancestor.
  const hiddenStates: boolean[] = []
  let hasHidden = false
  const text = extractText(xml, ignoredElements, {
    isHiddenFrom: (tag) => {
      if (hidableElements.has(tag.name) && !tag.isEmpty) {
        if (tag.isEnd) hiddenStates.pop()
        else hiddenStates.push(isHiddenBy(tag, hiddenStyles) ?? hiddenStates.at(-1) === true)
      }
      const isHidden = hiddenStates.at(-1) === true
      hasHidden ||= isHidden
      return isHidden
    },
  })
  return { text, hasHidden }
}

/** Whether an element is hidden; undefined if neither the element nor its style states the visibility. */
function isHiddenBy(tag: Tag, hiddenStyles: ReadonlyMap<string, boolean>): boolean | undefined {
  if (tag.name === 'text:section') return tag.source.includes(hidingAttribute) ? true : undefined
  return hiddenStyles.get(readAttribute(tag, 'text:style-name') ?? '')
}

/** Finds which styles hide or show text. Parent styles precede their children, or are in the preceding part. */
function findHiddenStyles(...parts: readonly string[]): ReadonlyMap<string, boolean> {
  const hiddenStyles = new Map<string, boolean>()
  let name = ''
  const tag = (styleTag: Tag) => {
    if (styleTag.isEnd) return false
    if (styleTag.name === 'style:style') {
      name = readAttribute(styleTag, 'style:name') ?? ''
      const isInheritedHidden = hiddenStyles.get(readAttribute(styleTag, 'style:parent-style-name') ?? '')
      if (isInheritedHidden !== undefined) hiddenStyles.set(name, isInheritedHidden)
    } else if (styleTag.name === 'style:text-properties') {
      const display = readAttribute(styleTag, 'text:display')
      if (display !== undefined) hiddenStyles.set(name, display === 'none')
    }
    return styleTag.name === 'office:body'
  }
  for (const xml of parts) readMarkup(xml, { text: () => {}, tag })
  return hiddenStyles
}
