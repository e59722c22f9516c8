/**
 * Reads the text of XML and HTML. Examines each character once, however malformed the input is: regular expressions
 * that search for the end of an element take hours for a file of unclosed tags.
 */

export class Tag {
  /** Name with its prefix, such as `w:t`; lower case in HTML. */
  readonly name: string
  readonly isEnd: boolean
  /** Whether the tag is self-closing. */
  readonly isEmpty: boolean
  readonly #markup: string
  readonly #start: number
  readonly #end: number

  /** @param start start of the text inside the brackets. */
  constructor(markup: string, start: number, end: number, isHtml: boolean) {
    this.isEnd = markup.charCodeAt(start) === slashCode
    this.isEmpty = markup.charCodeAt(end - 1) === slashCode
    this.#markup = markup
    this.#start = start
    this.#end = end
    const from = this.isEnd ? start + 1 : start
    let to = from
    while (to < end && isNameCode(markup.charCodeAt(to))) to++
    const name = markup.slice(from, to)
    this.name = isHtml ? name.toLowerCase() : name
  }

  /** Name without its prefix, which depends on the writer. */
  get localName(): string {
    return this.name.slice(this.name.indexOf(':') + 1)
  }

  /** The source text, without the brackets. */
  get source(): string {
    return this.#markup.slice(this.#start, this.#end)
  }
}

const slashCode = 47

interface MarkupReader {
  text(text: string): void
  /** Called for each tag. @returns whether to skip the element's content. */
  tag(tag: Tag): boolean | undefined
}

/** Delimiters of markup other than tags. */
const nonTags = [
  { start: '<!--', end: '-->' },
  { start: '<![CDATA[', end: ']]>', isText: true },
  { start: '<?', end: '?>' },
  { start: '<!', end: '>' },
] as const

export function readMarkup(markup: string, reader: MarkupReader, { isHtml = false } = {}): void {
  const findEndTag = createEndTagFinder(markup)
  let at = 0
  for (let start = markup.indexOf('<'); start >= 0; start = markup.indexOf('<', at)) {
    if (start > at) reader.text(markup.slice(at, start))
    at = start
    const nonTag = findNonTag(markup, start)
    const from = start + (nonTag?.start ?? '<').length
    const end = markup.indexOf(nonTag?.end ?? '>', from)
    // Markup without an end counts as text.
    if (end < 0) break
    at = end + (nonTag?.end ?? '>').length
    if (nonTag) {
      if ('isText' in nonTag) reader.text(markup.slice(from, end))
      continue
    }
    const tag = new Tag(markup, from, end, isHtml)
    const isSkipped = reader.tag(tag) === true && !tag.isEmpty && !tag.isEnd
    if (isSkipped) at = findEndTag(markup.slice(from, from + tag.name.length), at) ?? at
  }
  reader.text(markup.slice(at))
}

function findNonTag(markup: string, at: number): (typeof nonTags)[number] | undefined {
  const nextCode = markup.charCodeAt(at + 1)
  // All of these delimiters start with `<!` or `<?`, so most tags need no comparison.
  return nextCode === 33 || nextCode === 63
    ? nonTags.find(({ start }) => markup.startsWith(start, at))
    : undefined
}

/** Creates a function that finds the end tag of an element. It searches only once for an end tag that is missing. */
function createEndTagFinder(markup: string): (name: string, from: number) => number | undefined {
  const unclosedNames = new Set<string>()
  return (name, from) => {
    const at = unclosedNames.has(name) ? -1 : markup.indexOf(`</${name}`, from)
    if (at < 0) unclosedNames.add(name)
    return at < 0 ? undefined : at
  }
}

/** Whether a character is neither whitespace nor a slash. */
const isNameCode = (code: number) => code > 32 && code !== 47

export const readAttribute = ({ source }: Tag, name: string): string | undefined => {
  const at = source.indexOf(` ${name}=`)
  if (at < 0) return undefined
  const quote = source[at + name.length + 2]
  const end = quote === undefined ? -1 : source.indexOf(quote, at + name.length + 3)
  return end < 0 ? undefined : decodeMarkupEntities(source.slice(at + name.length + 3, end))
}

const characterByEntity: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  shy: '',
  ndash: '–',
  mdash: '—',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  Auml: 'Ä',
  Ouml: 'Ö',
  Uuml: 'Ü',
  szlig: 'ß',
  eacute: 'é',
  egrave: 'è',
  agrave: 'à',
  ccedil: 'ç',
  oslash: 'ø',
  aring: 'å',
  aelig: 'æ',
  ntilde: 'ñ',
}

/** Decodes character references; unknown names are replaced with a space. */
export function decodeMarkupEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replaceAll(
    /&(?:#[xX]([\da-fA-F]{1,6})|#(\d{1,7})|(\w{2,8}));/g,
    (_, hex: string | undefined, decimal: string | undefined, name: string | undefined) => {
      if (name !== undefined) return characterByEntity[name] ?? ' '
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
      return code <= 0x10ffff ? String.fromCodePoint(code) : ' '
    },
  )
}

/** Tags that can occur within a word, such as around a bold initial, or around parts of words in office files. */
const inlineElements = new Set([
  ...[
    'a',
    'b',
    'i',
    'u',
    's',
    'em',
    'strong',
    'span',
    'small',
    'big',
    'font',
    'tt',
    'code',
    'mark',
    'q',
    'cite',
  ],
  ...['abbr', 'dfn', 'wbr', 'emphasis', 'phrase', 'strike', 'del', 'ins', 'kbd', 'var', 'samp', 'bdi', 'bdo'],
  ...['text:span', 'text:a', 'text:bookmark', 'text:bookmark-start', 'text:bookmark-end'],
  ...['text:soft-page-break', 'text:reference-mark-start', 'text:reference-mark-end', 'text:change-start'],
  ...['text:change-end', 'text:change', 'text:alphabetical-index-mark', 'v', 'emph', 'hi'],
])

interface TextOptions {
  readonly isHtml?: boolean
  /** Called for each tag; returns whether the text after the tag is invisible. */
  readonly isHiddenFrom?: (tag: Tag) => boolean
}

/** Returns the visible text of markup. @param hiddenElements elements without readable text. */
export function extractText(
  markup: string,
  hiddenElements: ReadonlySet<string>,
  { isHtml = false, isHiddenFrom }: TextOptions = {},
): string {
  const templateValues: string[] = []
  let isHidden = false
  readMarkup(
    markup,
    {
      text: (text) => {
        if (!isHidden) templateValues.push(text)
      },
      tag: (tag) => {
        const { name, isEnd } = tag
        if (!inlineElements.has(name)) templateValues.push(' ')
        if (isHiddenFrom) isHidden = isHiddenFrom(tag)
        return !isEnd && (hiddenElements.has(name) || isEmbeddedObject(tag))
      },
    },
    { isHtml },
  )
  return decodeMarkupEntities(templateValues.join(''))
}

/** Whether the page contains the object as a data URL, so that its fallback content is not shown. */
export const isEmbeddedObject = (tag: Tag): boolean =>
  tag.name === 'object' && /^\s*data:/i.test(readAttribute(tag, 'data') ?? '')

const hiddenHtmlElements = new Set([
  ...['script', 'style', 'head', 'template', 'noscript', 'svg', 'math', 'select', 'datalist', 'iframe'],
  ...['textarea', 'canvas', 'audio', 'video'],
])

const hiddenWithObjects = new Set([...hiddenHtmlElements, 'object'])

/** @param showsFallback whether objects show their fallback content, because the page is a single file. */
export const extractHtmlText = (html: string, { showsFallback = false } = {}): string =>
  extractText(html, showsFallback ? hiddenHtmlElements : hiddenWithObjects, { isHtml: true })

/** Decodes a file by its byte order mark, by its declared encoding, as UTF-8, or else as Windows-1252. */
export function decodeMarkup(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeAs('utf-16le', bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decodeAs('utf-16be', bytes)
  const head = bytes.toString('latin1', 0, 1024)
  const declaredCharset = /(?:encoding\s*=\s*["']|charset\s*=\s*["']?)([\w-]{1,40})/i
    .exec(head)?.[1]
    ?.toLowerCase()
  // A declaration of UTF-16 must be wrong, because it was readable as single bytes.
  if (declaredCharset === undefined || declaredCharset.startsWith('utf')) return decodeUtf8(bytes)
  try {
    return decodeAs(declaredCharset, bytes)
  } catch {
    return decodeUtf8(bytes)
  }
}

const decodeAs = (encoding: string, bytes: Buffer) => new TextDecoder(encoding).decode(bytes)

function decodeUtf8(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  return text.includes('\ufffd') ? decodeAs('windows-1252', bytes) : text
}
