import type { Format } from '../formats/index.ts'

/**
 * What people want from a file of another category: a film as MP3, a page as PNG. The rest works as well, and is made
 * when it is asked for by name; in a list of a hundred it would only hide what is wanted.
 */
const acrossCategories: Readonly<Record<string, readonly string[]>> = {
  video: ['mp4', 'webm', 'mov', 'mkv', 'avi'],
  audio: ['mp3', 'wav', 'm4a', 'aac', 'flac', 'ogg', 'opus'],
  image: ['jpg', 'png', 'webp', 'avif', 'gif', 'tiff', 'svg', 'bmp'],
  document: ['pdf', 'docx', 'odt', 'rtf', 'txt', 'html', 'md'],
  ebook: ['epub', 'mobi', 'azw3', 'fb2'],
  archive: ['zip'],
  font: [],
}

/** Whether a conversion that works is also shown among the targets of its source. */
export function isOffered(from: Format, to: Format): boolean {
  if (from.id === to.id) return false
  return from.category === to.category || (acrossCategories[to.category]?.includes(to.id) ?? false)
}
