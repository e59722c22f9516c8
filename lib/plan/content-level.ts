import type { Format } from '../formats/index.ts'

/** How much of what people care about a format can hold; a route may fall to its target's level, never below. */
function contentLevel({ category, vector, fixedLayout }: Format): number {
  switch (category) {
    case 'document':
    case 'ebook':
      return fixedLayout ? 2 : 3
    case 'video':
      return 2
    case 'image':
      return vector ? 2 : 1
    case 'audio':
      return 1
    case 'archive':
    case 'font':
      return 0
  }
}

const canHavePages = (format: Format) => format.multiPage === true
const isText = ({ category }: Format) => category === 'document' || category === 'ebook'
/** Pages that are pictures, in an archive. */
const isComic = ({ category, fixedLayout }: Format) => category === 'ebook' && fixedLayout === true
/** The text of all pages one after the other, as in a web page; pictures made of that would be one tall one. */
const keepsTextOfPages = (intermediate: Format, to: Format) =>
  isText(intermediate) && !intermediate.fixedLayout && isText(to)
const canHaveMotion = (format: Format) => format.category === 'video' || format.animated === true

/**
 * Whether `between` passes on all that `from` has and `to` can hold. docx → png → pdf is none: the text is gone.
 * tiff → png → pdf is none: the other pages are gone. jpg → pdf → txt is none either: a picture on a page is not
 * text, so a picture stays a picture until the last step, and sound stays sound.
 */
export function passesContent(from: Format, intermediate: Format, to: Format): boolean {
  if (contentLevel(intermediate) < Math.min(contentLevel(from), contentLevel(to))) return false
  if ((from.category === 'image' || from.category === 'audio') && intermediate.category !== from.category)
    return false
  // A film is not made into pictures to take one of them, nor a picture into a film that stands still.
  if (from.category === 'video' && intermediate.category === 'image') return false
  if (to.category === 'video' && !canHaveMotion(from)) return false
  if (isComic(from) && isText(to) && !to.fixedLayout) return false
  // Whatever the target: several pages come out of a step to jpg or png as a ZIP, which no next step reads.
  if (canHavePages(from) && !canHavePages(intermediate) && !keepsTextOfPages(intermediate, to)) return false
  if (canHaveMotion(from) && canHaveMotion(to) && !canHaveMotion(intermediate)) return false
  return true
}
