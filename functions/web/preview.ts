import type { Format } from './api.ts'
import { element } from './element.ts'

/** Decoding a larger picture for a stamp of it would make the page sluggish. */
const largestPreviewBytes = 40_000_000

/** The stamp at the head of a card: the picture itself where the browser can show it, else the format's name. */
export function badgeOf(
  file: File | undefined,
  format: Format | undefined,
): { readonly element: HTMLElement; release(): void } {
  const words = element('span', { class: 'badge-words' }, (format?.id ?? '?').toUpperCase())
  const badge = element(
    'div',
    { class: 'badge', 'data-category': format?.category, 'aria-hidden': 'true' },
    words,
  )
  const isPicture = format?.category === 'image' || file?.type.startsWith('image/')
  if (!file || !isPicture || file.size > largestPreviewBytes) return { element: badge, release: () => {} }
  const url = URL.createObjectURL(file)
  const picture = element('img', { alt: '', decoding: 'async', src: url })
  picture.addEventListener('load', () => badge.replaceChildren(picture), { once: true })
  return { element: badge, release: () => URL.revokeObjectURL(url) }
}
