// Makes content fit that is wider than the paper and would scroll on a screen. Evaluated in the browser, whose viewport
// is as wide as the printable area.

const minZoom = 0.5
/** A table that would be smaller in portrait is easier to read on a landscape page. */
const minPortraitZoom = 0.6
const landscapeName = 'wide-table'
const longWord = /\S{25}/

/** Calls the original getter and method: an element of a form shadows the form's properties of the same name. */
const { get: getParent } = Object.getOwnPropertyDescriptor(Node.prototype, 'parentElement')
const parentOf = (element) => getParent.call(element)
const isWithin = (element, selector) => Element.prototype.closest.call(element, selector) !== null
/** Finds elements with styles; elements of unknown namespaces have no `style` property. */
const findStyled = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.style)

/** Paper sizes in millimeters, portrait. */
const papers = {
  a3: [297, 420],
  a4: [210, 297],
  a5: [148, 210],
  b4: [250, 353],
  b5: [176, 250],
  letter: [215.9, 279.4],
  legal: [215.9, 355.6],
  ledger: [279.4, 431.8],
}

/** Returns the paper width and margins from the @page rules of the page, in pixels. */
export function paper() {
  const said = { size: '', left: '', right: '' }
  const look = (rule) => {
    if (rule instanceof CSSMediaRule && matchMedia(rule.conditionText).matches)
      [...rule.cssRules].forEach(look)
    if (!(rule instanceof CSSPageRule) || rule.selectorText !== '') return
    said.size = rule.style.getPropertyValue('size') || said.size
    said.left = rule.style.marginLeft || said.left
    said.right = rule.style.marginRight || said.right
  }
  for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) rulesOf(sheet).forEach(look)
  const words = said.size.toLowerCase().split(/\s+/)
  const lengths = words.map(pixels).filter((length) => length !== null)
  const named = papers[words.find((word) => word in papers)]?.map((side) => (side * 96) / 25.4)
  const [width, height = width] = named ?? lengths
  return {
    width: width === undefined ? null : words.includes('landscape') ? Math.max(width, height) : width,
    left: pixels(said.left),
    right: pixels(said.right),
  }
}

function rulesOf(sheet) {
  try {
    return [...sheet.cssRules]
  } catch {
    // The browser hides the rules of a style sheet from another origin.
    return []
  }
}

function pixels(length) {
  if (!/^\d/.test(length)) return null
  const probe = document.createElement('div')
  probe.style.cssText = `position:absolute;width:${length}`
  document.documentElement.append(probe)
  const { width } = probe.getBoundingClientRect()
  probe.remove()
  return width
}

/** Returns the authors in the page's metadata. */
export function author() {
  const names = [...document.querySelectorAll('meta[name="author" i], meta[name="dcterms.creator" i]')]
  return [...new Set(names.map((one) => one.content.replace(/\s+/g, ' ').trim()))].filter(Boolean).join(', ')
}

/**
 * Makes all wide elements fit and returns how many were changed.
 *
 * @param landscapePixels how much wider than the paper a landscape page is; 0 if the client or the page chose the
 * paper.
 */
export function fit({ landscapePixels }) {
  let fitted = unfold()
  for (const one of findStyled('img, svg, video, canvas, iframe')) {
    if (one.getBoundingClientRect().width <= roomOf(one) + 1) continue
    one.style.cssText += ';max-width:100%;height:auto;object-fit:contain'
    fitted++
  }
  for (const text of findStyled('pre')) {
    if (text.scrollWidth <= text.clientWidth + 1 && text.getBoundingClientRect().width <= roomOf(text) + 1)
      continue
    text.style.cssText += ';white-space:pre-wrap;overflow-wrap:anywhere;overflow:visible'
    fitted++
  }
  for (const text of findStyled('body *')) {
    if (isWithin(text, 'table') || !leavesPaper(text)) continue
    const keepsSpaces = getComputedStyle(text).whiteSpace === 'pre'
    text.style.cssText += `;white-space:${keepsSpaces ? 'pre-wrap' : 'normal'};overflow-wrap:anywhere`
    fitted++
  }
  for (const table of findStyled('table')) {
    const parent = parentOf(table)
    if (parent && isWithin(parent, 'table')) continue
    if (shrink(table, landscapePixels)) fitted++
  }
  return fitted
}

/** Returns the available width for an element in pixels: the part of its parent's content box that is on the paper. */
function roomOf(element) {
  const parent = parentOf(element)
  if (!parent) return document.documentElement.clientWidth
  const { left, right } = Element.prototype.getBoundingClientRect.call(parent)
  const { paddingLeft, paddingRight } = getComputedStyle(parent)
  const from = Math.max(0, left + Number.parseFloat(paddingLeft))
  const to = Math.min(document.documentElement.clientWidth, right - Number.parseFloat(paddingRight))
  return Math.max(50, to - from)
}

/** Whether an element has visible text that may not wrap and reaches beyond the right edge of the paper. */
function leavesPaper(element) {
  const { whiteSpace, overflowX } = getComputedStyle(element)
  if (!/^(?:nowrap|pre)$/.test(whiteSpace) || /hidden|clip/.test(overflowX)) return false
  const range = document.createRange()
  range.selectNodeContents(element)
  return range.getBoundingClientRect().right > document.documentElement.clientWidth + 1
}

/** Whether the table is a block in the text of the page, and can have pages of its own. */
function isInFlow(table) {
  for (let one = table; one && one !== document.body; one = parentOf(one)) {
    const { display, float, position } = getComputedStyle(one)
    if (float !== 'none' || !/^(?:static|relative)$/.test(position)) return false
    if (one !== table && display !== 'block') return false
  }
  return true
}

/** Prints the table on landscape pages. */
function turnPages(table) {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(`@page ${landscapeName} { size: A4 landscape }`)
  document.adoptedStyleSheets.push(sheet)
  table.style.page = landscapeName
}

function shrink(table, landscapePixels) {
  // A scrolling table is wider than its box; the two widths are measured at different zoom levels, so use their ratio.
  const width = () =>
    table.getBoundingClientRect().width * Math.max(1, table.scrollWidth / Math.max(1, table.offsetWidth))
  if (width() <= roomOf(table) + 1) return false
  for (let around = parentOf(table); around; around = parentOf(around)) {
    if (around.style && getComputedStyle(around).overflowX !== 'visible') around.style.overflow = 'visible'
  }
  table.style.minWidth = '0'
  table.style.maxWidth = '100%'
  const cells = [...table.querySelectorAll('th, td')].filter((one) => one.style)
  for (const cell of cells) {
    if (longWord.test(cell.textContent)) cell.style.overflowWrap = 'anywhere'
  }
  const isTurned = landscapePixels > 0 && roomOf(table) / width() < minPortraitZoom && isInFlow(table)
  if (isTurned) turnPages(table)
  const room = roomOf(table) + (isTurned ? landscapePixels : 0)
  const isWide = () => width() > room + 1
  let zoom = 1
  const shrinkTo = (limit) => {
    // Takes several passes, because borders and characters are rounded to whole pixels.
    for (let tries = 0; tries < 4 && isWide() && zoom > limit; tries++) {
      zoom = Math.max(limit, (zoom * room * 0.99) / width())
      table.style.zoom = zoom
    }
  }
  shrinkTo(minZoom)
  if (!isWide()) return true
  // Break words before making the text unreadably small.
  for (const cell of cells) cell.style.cssText += ';overflow-wrap:anywhere;white-space:normal'
  shrinkTo(0)
  return true
}

/** Opens collapsed elements and expands scrolling ones, because paper cannot be clicked or scrolled. */
function unfold() {
  const folded = [...document.querySelectorAll('details:not([open])')]
  for (const part of folded) {
    // Only one of several `details` with the same name can be open.
    part.removeAttribute('name')
    part.open = true
  }
  const rolled = findStyled('body, body *').filter(
    (part) =>
      part.scrollHeight > part.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(part).overflowY),
  )
  for (const part of rolled) {
    for (let around = part; around; around = parentOf(around)) {
      if (!around.style || getComputedStyle(around).overflowY === 'visible') continue
      around.style.cssText += ';height:auto!important;max-height:none!important;overflow-y:visible!important'
    }
  }
  return folded.length + rolled.length
}
