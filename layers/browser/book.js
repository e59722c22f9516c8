// Combines the documents of a book into one page. The engine evaluates the functions in the browser one by one: the
// page has no scripts, and scripts of the book never run.

/** Appends a document in reading order. Returns its style sheets, external ones as URLs to fetch. */
export function addChapter({ text, loose, url, index, page }) {
  const source = parseDocument(text, loose)
  const looks = [...source.querySelectorAll('style, link[rel~="stylesheet" i][href]')]
    .filter((one) => !/\balternate\b/i.test(one.getAttribute('rel') ?? ''))
    .map((one) =>
      one.localName === 'style'
        ? { text: inStyle(one.textContent, url) }
        : { href: absolute(one.getAttribute('href'), url) },
    )
  const chapter = document.createElement('div')
  chapter.id = `mutabor-${index}`
  chapter.dataset.book = 'chapter'
  const { documentElement: root } = source
  for (const name of ['lang', 'dir', 'class']) {
    const value = root.getAttribute(name) ?? root.getAttribute(`xml:${name}`)
    if (value) chapter.setAttribute(name, value)
  }
  // DOM methods, unlike the parser, allow several `body` elements, so that CSS rules for `body` apply to each document.
  const body = document.importNode(source.body, true)
  for (const one of body.querySelectorAll('script, base, meta, link, style, template')) one.remove()
  for (const one of [body, ...body.querySelectorAll('*')]) rebase(one, url)
  chapter.append(body)
  if (page) {
    const { name, width, height } = page
    chapter.style.cssText = `page:${name};width:${width}px;height:${height}px;position:relative;overflow:hidden`
  } else if (index === 0 && isImageOnly(body)) chapter.dataset.book = 'cover'
  document.documentElement.append(chapter)
  return looks
}

function parseDocument(text, loose) {
  const parser = new DOMParser()
  const strict = parser.parseFromString(text, 'application/xhtml+xml')
  const isBroken = !strict.body || strict.querySelector('parsererror')
  return isBroken ? parser.parseFromString(loose, 'text/html') : strict
}

const isImageOnly = (body) => body.textContent.trim() === '' && body.querySelectorAll('img, svg').length === 1

function absolute(link, url) {
  try {
    return new URL(link, url).href
  } catch {
    return 'about:blank'
  }
}

const inStyle = (style, url) =>
  style.replace(/url\(\s*["']?(?!data:|#)([^"')]+)["']?\s*\)/gi, (_, link) => `url("${absolute(link, url)}")`)

/** Resolves relative URLs against the URL of their document. */
function rebase(element, url) {
  if (element.hasAttribute('style'))
    element.setAttribute('style', inStyle(element.getAttribute('style'), url))
  for (const name of ['src', 'poster', 'data', 'background']) {
    if (element.hasAttribute(name)) element.setAttribute(name, absolute(element.getAttribute(name), url))
  }
  element.removeAttribute('srcset')
  for (const name of ['href', 'xlink:href']) {
    const link = element.getAttribute(name)
    // In an SVG drawing, a fragment refers to an element of the drawing.
    const isOwn = link?.startsWith('#') && !/^a(rea)?$/i.test(element.localName)
    if (link !== null && !isOwn) element.setAttribute(name, absolute(link, url))
  }
}

/**
 * Adds one set of style sheets to the listed `chapters`, by default to all. Ignores page sizes, because they
 * describe the screen of a reading device.
 */
export function addLook({ text, chapters }) {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(text)
  const rules = [...sheet.cssRules].filter((rule) => !(rule instanceof CSSPageRule))
  const isFree = (rule) =>
    rule instanceof CSSNamespaceRule || rule instanceof CSSFontFaceRule || rule instanceof CSSKeyframesRule
  const free = rules.filter(isFree).map((rule) => rule.cssText)
  const rest = rules.filter((rule) => !isFree(rule)).map((rule) => rule.cssText)
  const style = document.createElement('style')
  if (chapters) {
    const scope = chapters.map((index) => `#mutabor-${index}`).join(',')
    // Applies the rules for the root element to the chapters instead.
    const own = rest.map((rule) => rule.replace(/(^|[\s,>+~(}])(?:html|:root)(?=[\s,.:#[>+~{])/g, '$1:scope'))
    style.textContent = `${free.join('\n')}\n@scope (${scope}) {\n${own.join('\n')}\n}`
  } else style.textContent = [...free, ...rest].join('\n')
  document.head.append(style)
}

/**
 * Turns links between documents into links within the page. `indexes` maps the URLs of documents to chapter indexes.
 */
export function joinLinks({ indexes }) {
  for (const link of document.querySelectorAll('a[href], area[href]')) {
    const [address, fragment = ''] = link.getAttribute('href').split('#')
    const index = indexes[address]
    if (index === undefined) {
      // Drops links to files of the book that are not part of the page.
      if (address.startsWith(document.baseURI) || !/^(https?|mailto):/i.test(address))
        link.removeAttribute('href')
      continue
    }
    const chapter = document.getElementById(`mutabor-${index}`)
    let id = fragment
    try {
      id = decodeURIComponent(fragment)
    } catch {
      // The fragment is not percent-encoded: use it unchanged.
    }
    const target = id && chapter.querySelector(`[id="${CSS.escape(id)}"], a[name="${CSS.escape(id)}"]`)
    if (!target) link.setAttribute('href', `#${chapter.id}`)
    else if (document.getElementById(id) === target) link.setAttribute('href', `#${id}`)
    else {
      // Another document has an element with the same id.
      const mark = `${chapter.id}-${id}`
      if (!document.getElementById(mark)) {
        const anchor = document.createElement('span')
        anchor.id = mark
        target.before(anchor)
      }
      link.setAttribute('href', `#${mark}`)
    }
  }
}
