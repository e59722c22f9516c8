// Collects the invisible text of a page: closed menus, text for other devices, or text that appears after a click.
// Evaluated in the browser when the page is in its print state.

/** Limits for the nodes and characters that are examined; a page with more shows most of its text. */
const [maxNodes, maxCharacters] = [200_000, 1_000_000]
/** Elements whose text is not counted, as in `hiddenHtmlElements` of the content reader. */
const noText =
  'script, style, head, noscript, object, svg, math, select, datalist, iframe, textarea, canvas, audio, video'

/** Returns the invisible texts, separated by line breaks. */
export function unseen() {
  const parts = []
  const walker = document.createTreeWalker(document.body ?? document.documentElement, NodeFilter.SHOW_TEXT)
  for (let count = 0; count < maxNodes; count++) {
    const node = walker.nextNode()
    if (!node) break
    if (/\S/.test(node.data) && isUnseen(node.parentElement)) parts.push(node.data)
  }
  return parts.join('\n').slice(0, maxCharacters)
}

/** Returns the words of the original page that its document no longer contains. */
export function removed({ html }) {
  const kept = new Map()
  for (const word of wordsOf(document)) kept.set(word, (kept.get(word) ?? 0) + 1)
  const missing = wordsOf(new DOMParser().parseFromString(html, 'text/html')).filter((word) => {
    const count = kept.get(word) ?? 0
    kept.set(word, count - 1)
    return count <= 0
  })
  return missing.join(' ').slice(0, maxCharacters)
}

function wordsOf(page) {
  const walker = page.createTreeWalker(page.body ?? page.documentElement, NodeFilter.SHOW_TEXT)
  const words = []
  for (let count = 0; count < maxNodes && walker.nextNode(); count++) {
    if (walker.currentNode.parentElement?.closest(noText)) continue
    // Adds the words one by one, because the number of arguments of a call is limited.
    for (const [word] of walker.currentNode.data.matchAll(/\S+/g)) words.push(word)
  }
  return words
}

const isUnseen = (element) =>
  element !== null && !element.closest(noText) && !element.checkVisibility({ visibilityProperty: true })
