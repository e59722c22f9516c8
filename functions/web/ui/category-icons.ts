import archive from 'lucide-static/icons/archive.svg'
import ebook from 'lucide-static/icons/book-open.svg'
import document from 'lucide-static/icons/file-text.svg'
import image from 'lucide-static/icons/image.svg'
import audio from 'lucide-static/icons/music.svg'
import video from 'lucide-static/icons/square-play.svg'
import font from 'lucide-static/icons/type.svg'
import type { IconElements } from './line-icon.tsx'

/** Icons of the format categories. */
export const categoryIcons: Readonly<Record<string, IconElements>> = {
  image,
  document,
  ebook,
  video,
  audio,
  archive,
  font,
}
