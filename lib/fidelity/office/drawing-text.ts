import { decodeMarkupEntities, readMarkup } from '../text/markup.ts'

/** Returns the text of a slide, or of a drawing on a sheet (ECMA-376, part 1, 21.1.2.3), without fallback copies. */
export function readDrawingText(xml: string): string {
  const parts: string[] = []
  let isText = false
  readMarkup(xml, {
    text: (text) => {
      if (isText) parts.push(text)
    },
    tag: ({ name, isEnd, isEmpty }) => {
      if (name === 'a:t') isText = !isEnd && !isEmpty
      else if (name === 'a:p' || name === 'a:br' || name === 'a:tc') parts.push('\n')
      return name === 'mc:Fallback'
    },
  })
  return decodeMarkupEntities(parts.join(''))
}
