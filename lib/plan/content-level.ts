import type { Format } from '../formats/index.ts'

/** How much of what people care about a format can hold; a route may fall to its target's level, never below. */
function level({ category, vector, fixedLayout }: Format): number {
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

const holdsPages = (format: Format) => format.multiPage === true
const isText = ({ category }: Format) => category === 'document' || category === 'ebook'
/** Pages that are pictures, in an archive. */
const isComic = ({ category, fixedLayout }: Format) => category === 'ebook' && fixedLayout === true
/** The text of all pages one after the other, as in a web page; pictures made of that would be one tall one. */
const holdsTextOfPages = (between: Format, to: Format) =>
  isText(between) && !between.fixedLayout && isText(to)
const moves = (format: Format) => format.category === 'video' || format.animated === true

/**
 * Whether `between` passes on all that `from` has and `to` can hold. docx → png → pdf is none: the text is gone.
 * tiff → png → pdf is none: the other pages are gone. jpg → pdf → txt is none either: a picture on a page is not
 * text, so a picture stays a picture until the last step, and sound stays sound.
 */
export function passesContent(from: Format, between: Format, to: Format): boolean {
  if (level(between) < Math.min(level(from), level(to))) return false
  if ((from.category === 'image' || from.category === 'audio') && between.category !== from.category)
    return false
  // A film is not made into pictures to take one of them, nor a picture into a film that stands still.
  if (from.category === 'video' && between.category === 'image') return false
  if (to.category === 'video' && !moves(from)) return false
  if (isComic(from) && isText(to) && !to.fixedLayout) return false
  // Whatever the target: several pages come out of a step to jpg or png as a ZIP, which no next step reads.
  if (holdsPages(from) && !holdsPages(between) && !holdsTextOfPages(between, to)) return false
  if (moves(from) && moves(to) && !moves(between)) return false
  return true
}
