// The words of a page that are there and not shown: in menus that are closed, for other devices, before a click.
// Evaluated in the browser, where the page is as it is printed.

/** More is not told; pages of so much text show most of it. */
const [mostNodes, mostLetters] = [200_000, 1_000_000]
const noText = 'script, style, head'

/** What stands in them, with line ends between. */
export function unseen() {
  const parts = [...document.querySelectorAll('template')].map(({ content }) => content.textContent)
  const walker = document.createTreeWalker(document.body ?? document.documentElement, NodeFilter.SHOW_TEXT)
  for (let count = 0; count < mostNodes; count++) {
    const node = walker.nextNode()
    if (!node) break
    if (/\S/.test(node.data) && isUnseen(node.parentElement)) parts.push(node.data)
  }
  return parts.join('\n').slice(0, mostLetters)
}

const isUnseen = (element) =>
  element !== null && !element.closest(noText) && !element.checkVisibility({ visibilityProperty: true })
