/** A part of a web page archive, decoded. */
export interface ArchivePart {
  readonly contentType: string
  readonly bytes: Buffer
}

/** A saved page with its resources. */
interface WebArchive {
  /** Original URL of the page, against which links are resolved. */
  readonly url: string
  readonly page: ArchivePart
  /** All parts. The keys are their URLs, normalized by `normalizePartUrl`. */
  readonly parts: ReadonlyMap<string, ArchivePart>
  /** Whether the closing boundary is present (RFC 2046, 5.1.1). */
  readonly isComplete: boolean
}

interface MimeEntity {
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** Maximum nesting depth of parts. Parts may be nested as in emails, but no browser nests them deeper than this. */
const maxDepth = 4
const maxParts = 10_000

/** URL prefix that replaces `cid:` in links to parts with a Content-ID. */
const contentIdBase = 'http://cid.invalid/'

/** Normalizes a URL. It treats http and https as equal, because browsers upgrade the scheme of known hosts. */
export function normalizePartUrl(url: string): string {
  return url.replace(/#.*$/s, '').replace(/^https?:/i, '')
}

/** Reads MHTML (RFC 2557); returns undefined if it contains no page. */
export function readWebArchive(file: Buffer, fallbackUrl: string): WebArchive | undefined {
  const top = parseEntity(file.toString('latin1'))
  const foundParts = listLeafParts(top, 0)
  const startContentId = /\bstart="?([^";\s]+)/i.exec(top.headers.get('content-type') ?? '')?.[1]
  const isPage = (entity: MimeEntity) => /^text\/html|^application\/xhtml\+xml/i.test(readContentType(entity))
  const root =
    foundParts.find((part) => part.headers.get('content-id') === startContentId && isPage(part)) ??
    foundParts.find(isPage)
  if (!root) return undefined
  const url = resolveUrl(root.headers.get('content-location') ?? '', fallbackUrl)
  const parts = new Map<string, ArchivePart>()
  for (const foundPart of foundParts) {
    const location = foundPart.headers.get('content-location')
    const id = foundPart.headers.get('content-id')
    const decodedPart = decodePart(foundPart)
    if (location !== undefined) parts.set(normalizePartUrl(resolveUrl(location, url)), decodedPart)
    if (id !== undefined)
      parts.set(normalizePartUrl(resolveUrl(contentIdBase + id.replace(/^<|>$/g, ''), url)), decodedPart)
  }
  const boundary = readBoundary(top)
  const isComplete = boundary === undefined || top.body.includes(`--${boundary}--`)
  return { url, page: decodePart(root), parts, isComplete }
}

function parseEntity(text: string): MimeEntity {
  const end = /\r?\n\r?\n/.exec(text)
  const head = end ? text.slice(0, end.index) : text
  const headers = new Map<string, string>()
  // Lines that start with a space continue the previous one (RFC 5322 2.2.3).
  for (const line of head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const [, name, value] = /^([\w-]+):(.*)$/.exec(line) ?? []
    if (name !== undefined && value !== undefined) headers.set(name.toLowerCase(), value.trim())
  }
  return { headers, body: end ? text.slice(end.index + end[0].length) : '' }
}

const readContentType = ({ headers }: MimeEntity) => headers.get('content-type') ?? 'text/plain'

function readBoundary(entity: MimeEntity): string | undefined {
  const boundary = /^multipart\/[^;]*;.*?\bboundary=(?:"([^"]+)"|([^\s;]+))/i.exec(readContentType(entity))
  return boundary?.[1] ?? boundary?.[2]
}

function listLeafParts(entity: MimeEntity, depth: number): MimeEntity[] {
  const boundary = readBoundary(entity)
  if (boundary === undefined || depth === maxDepth) return [entity]
  const sections = `\n${entity.body}`.split(`\n--${boundary}`).slice(1, maxParts)
  return sections
    .filter((section) => !section.startsWith('--'))
    .flatMap((section) => listLeafParts(parseEntity(section.replace(/^[^\n]*\n/, '')), depth + 1))
}

function decodePart(entity: MimeEntity): ArchivePart {
  const contentType = readContentType(entity)
  const bytes = decodeBody(entity)
  if (!/^(?:text\/(?:html|css)|application\/xhtml\+xml|image\/svg\+xml)/i.test(contentType))
    return { contentType, bytes }
  // Browsers do not send interceptable requests for cid: URLs.
  const linkedHtml = bytes.toString('latin1').replace(/\bcid:(?=[\w<%.-])/gi, contentIdBase)
  return { contentType, bytes: Buffer.from(linkedHtml, 'latin1') }
}

function decodeBody({ headers, body }: MimeEntity): Buffer {
  switch (headers.get('content-transfer-encoding')?.toLowerCase()) {
    case 'base64':
      return Buffer.from(body, 'base64')
    case 'quoted-printable': {
      const joinedLines = body.replace(/[ \t]{0,20}=[ \t]{0,20}\r?\n/g, '')
      const bytes = joinedLines.replace(/=([0-9a-f]{2})/gi, (_, hex) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      )
      return Buffer.from(bytes, 'latin1')
    }
    default:
      return Buffer.from(body, 'latin1')
  }
}

/** Resolves a URL. Returns the base if the URL is not from the web, as in pages saved from a disk or a phone. */
function resolveUrl(location: string, base: string): string {
  const url = URL.parse(location, base)
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.href : base
}
