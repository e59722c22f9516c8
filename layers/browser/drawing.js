// Keeps the links of a drawing that the page shows as an image. Evaluated in a browser whose scripts are disabled.

const maxLinks = 1000

/** Puts links over the image, in the places of the drawing's links. */
export function addLinks() {
  const image = document.images[0]
  const bytes = Uint8Array.from(atob(image.src.split(',')[1]), (character) => character.charCodeAt(0))
  const svg = new TextDecoder().decode(bytes)
  // Few drawings have links, and large ones take long to parse again.
  if (!/<(?:\w{1,50}:)?a\s/.test(svg)) return
  const { documentElement } = new DOMParser().parseFromString(svg, 'image/svg+xml')
  if (documentElement.localName !== 'svg') return
  for (const [href, { x, y, width, height }] of measureLinks(documentElement, image)) {
    const link = document.createElement('a')
    link.href = href
    link.style.cssText = `position:absolute;left:${x}px;top:${y}px;width:${width}px;height:${height}px`
    document.body.append(link)
  }
}

/** Returns the links and their rectangles, from a copy of the drawing that is shown in place of the image for now. */
function measureLinks(drawing, { width, height, naturalWidth, naturalHeight }) {
  const copy = document.importNode(drawing, true)
  // Images without a viewBox are scaled as if they had one.
  if (!copy.hasAttribute('viewBox')) copy.setAttribute('viewBox', `0 0 ${naturalWidth} ${naturalHeight}`)
  copy.style.cssText = `position:absolute;left:0;top:0;width:${width}px;height:${height}px;visibility:hidden`
  document.body.append(copy)
  const links = [...copy.querySelectorAll('a')].slice(0, maxLinks).flatMap((link) => {
    const href = link.href.baseVal.trim()
    return /^(?:https?|mailto|tel):/i.test(href) ? [[href, link.getBoundingClientRect()]] : []
  })
  copy.remove()
  return links
}
