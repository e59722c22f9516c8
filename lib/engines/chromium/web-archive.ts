/** A part of a web page archive, decoded. */
export interface WebPart {
  readonly contentType: string
  readonly bytes: Buffer
}

/** A saved page with what it shows. */
export interface WebArchive {
  /** Where the page was, which its links are relative to. */
  readonly url: string
  readonly page: WebPart
  /** All parts by `partKey` of their addresses. */
  readonly parts: ReadonlyMap<string, WebPart>
  /** Its last part is closed (RFC 2046, 5.1.1). */
  readonly isWhole: boolean
}

interface Entity {
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** Parts may be groups of parts, as in mails; deeper is nothing that a browser ever saved. */
const maxDepth = 4
const maxParts = 10_000

/** Where parts are found that have a Content-ID and are linked to as `cid:…`. */
const byContentId = 'http://cid.invalid/'

/** The same for http and https, as browsers change the one to the other for hosts that they know. */
export function partKey(url: string): string {
  return url.replace(/#.*$/s, '').replace(/^https?:/i, '')
}

/** Reads MHTML (RFC 2557); undefined where there is no page in it. */
export function readWebArchive(file: Buffer, fallbackUrl: string): WebArchive | undefined {
  const top = entityOf(file.toString('latin1'))
  const found = leaves(top, 0)
  const start = /\bstart="?([^";\s]+)/i.exec(top.headers.get('content-type') ?? '')?.[1]
  const isPage = (entity: Entity) => /^text\/html|^application\/xhtml\+xml/i.test(typeOf(entity))
  const root =
    found.find((part) => part.headers.get('content-id') === start && isPage(part)) ?? found.find(isPage)
  if (!root) return undefined
  const url = absolute(root.headers.get('content-location') ?? '', fallbackUrl)
  const parts = new Map<string, WebPart>()
  for (const part of found) {
    const location = part.headers.get('content-location')
    const id = part.headers.get('content-id')
    const decoded = partOf(part)
    if (location !== undefined) parts.set(partKey(absolute(location, url)), decoded)
    if (id !== undefined) parts.set(partKey(absolute(byContentId + id.replace(/^<|>$/g, ''), url)), decoded)
  }
  const mark = boundaryOf(top)
  const isWhole = mark === undefined || top.body.includes(`--${mark}--`)
  return { url, page: partOf(root), parts, isWhole }
}

function entityOf(text: string): Entity {
  const end = /\r?\n\r?\n/.exec(text)
  const head = end ? text.slice(0, end.index) : text
  const headers = new Map<string, string>()
  // Lines that begin with a space go on from the one before (RFC 5322 2.2.3).
  for (const line of head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(line) ?? []
    if (name !== undefined && value !== undefined) headers.set(name.toLowerCase(), value.trim())
  }
  return { headers, body: end ? text.slice(end.index + end[0].length) : '' }
}

const typeOf = ({ headers }: Entity) => headers.get('content-type') ?? 'text/plain'

function boundaryOf(entity: Entity): string | undefined {
  const boundary = /^multipart\/[^;]*;.*?\bboundary=(?:"([^"]+)"|([^\s;]+))/i.exec(typeOf(entity))
  return boundary?.[1] ?? boundary?.[2]
}

function leaves(entity: Entity, depth: number): Entity[] {
  const mark = boundaryOf(entity)
  if (mark === undefined || depth === maxDepth) return [entity]
  const pieces = `\n${entity.body}`.split(`\n--${mark}`).slice(1, maxParts)
  return pieces
    .filter((piece) => !piece.startsWith('--'))
    .flatMap((piece) => leaves(entityOf(piece.replace(/^[^\n]*\n/, '')), depth + 1))
}

function partOf(entity: Entity): WebPart {
  const contentType = typeOf(entity)
  const bytes = decoded(entity)
  if (!/^(?:text\/(?:html|css)|application\/xhtml\+xml|image\/svg\+xml)/i.test(contentType))
    return { contentType, bytes }
  // No browser asks anybody for an address of this kind.
  const linked = bytes.toString('latin1').replace(/\bcid:(?=[\w<%.-])/gi, byContentId)
  return { contentType, bytes: Buffer.from(linked, 'latin1') }
}

function decoded({ headers, body }: Entity): Buffer {
  switch (headers.get('content-transfer-encoding')?.toLowerCase()) {
    case 'base64':
      return Buffer.from(body, 'base64')
    case 'quoted-printable': {
      const joined = body.replace(/[ \t]*=[ \t]*\r?\n/g, '')
      const bytes = joined.replace(/=([0-9a-f]{2})/gi, (_, hex) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      )
      return Buffer.from(bytes, 'latin1')
    }
    default:
      return Buffer.from(body, 'latin1')
  }
}

/** Pages from disks and phones have addresses that no page could be loaded from. */
function absolute(location: string, base: string): string {
  const url = URL.parse(location, base)
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.href : base
}
