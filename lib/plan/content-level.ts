import type { Format } from '../formats/index.ts'

/** Returns how much content a format can contain. A route may drop to the level of its target, but not below. */
function getContentLevel({ category, vector, fixedLayout }: Format): number {
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
/** Whether a format is a comic book: an archive of page images. */
const isComic = ({ category, fixedLayout }: Format) => category === 'ebook' && fixedLayout === true
/**
 * Whether the intermediate format keeps the text of all pages but not the page breaks, as a web page does. False for
 * images, which would become one tall page.
 */
const keepsTextOfPages = (intermediate: Format, to: Format) =>
  isText(intermediate) && !intermediate.fixedLayout && isText(to)
const canHaveMotion = (format: Format) => format.category === 'video' || format.animated === true

/**
 * Whether the intermediate format keeps all content of `from` that `to` can contain. docx → png → pdf loses the text,
 * and tiff → png → pdf loses all pages but one. jpg → pdf → txt is rejected because an image on a page is not text:
 * images must stay images until the last step, and audio must stay audio.
 */
export function passesContent(from: Format, intermediate: Format, to: Format): boolean {
  if (getContentLevel(intermediate) < Math.min(getContentLevel(from), getContentLevel(to))) return false
  if ((from.category === 'image' || from.category === 'audio') && intermediate.category !== from.category)
    return false
  // A video does not pass through an image format, and a source without motion is not converted to a video.
  if (from.category === 'video' && intermediate.category === 'image') return false
  if (to.category === 'video' && !canHaveMotion(from)) return false
  if (isComic(from) && isText(to) && !to.fixedLayout) return false
  // This holds for any target: converting several pages to jpg or png produces a ZIP, which no further step reads.
  if (canHavePages(from) && !canHavePages(intermediate) && !keepsTextOfPages(intermediate, to)) return false
  if (canHaveMotion(from) && canHaveMotion(to) && !canHaveMotion(intermediate)) return false
  return true
}
