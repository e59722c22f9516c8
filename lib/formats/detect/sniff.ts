import { gunzipSync } from 'node:zlib'
import { fileTypeFromBuffer } from 'file-type'
import type { WASMagic } from 'wasmagic'
import type { FormatId } from '../index.ts'
import { detectUtf16 } from '../utf16.ts'
import { decodeAscii, type OpenedFile } from './byte-source.ts'
import { formatByMime, signatures, textPatterns } from './families.ts'
import { detectXmlFormat } from './xml.ts'

/** A first guess from the bytes; containers and text need further checks. */
export type Sniffed =
  | { readonly kind: 'format'; readonly format: FormatId }
  | { readonly kind: 'zip' | 'ole' | 'text' }
  | { readonly kind: 'unknown'; readonly looksLike: string }

/** MIME types of `file-type` that many different formats share. */
const ambiguousTypes = [
  'application/xml',
  'text/xml',
  'application/gzip',
  'application/zip',
  'application/x-cfb',
]

/** Idle time after which libmagic is unloaded: it uses 50 MB, and loading it again takes 50 ms. */
const magicIdleMs = 60_000
let libmagicPromise: Promise<WASMagic> | undefined
let unloadTimer: NodeJS.Timeout | undefined

function loadLibmagic(): Promise<WASMagic> {
  libmagicPromise ??= import('wasmagic').then((library) => library.WASMagic.create())
  clearTimeout(unloadTimer)
  unloadTimer = setTimeout(() => {
    libmagicPromise = undefined
  }, magicIdleMs).unref()
  return libmagicPromise
}

export async function sniff(file: OpenedFile): Promise<Sniffed> {
  const { head } = file
  const signature = signatures.find(({ at, bytes }) =>
    bytes.every((byte, index) => head[at + index] === byte),
  )
  if (signature) return { kind: 'format', format: signature.format }
  if (startsWith(head, [0x50, 0x4b, 3, 4]) || startsWith(head, [0x50, 0x4b, 5, 6])) return { kind: 'zip' }
  if (startsWith(head, [0xd0, 0xcf, 0x11, 0xe0])) return { kind: 'ole' }
  if (isPdf(head)) return { kind: 'format', format: 'pdf' }
  const type = await detectMimeType(head)
  const format = formatByMime.get(type)
  if (format) return { kind: 'format', format }
  const markup = detectMarkupFormat(type, head)
  if (markup) return { kind: 'format', format: markup }
  if (isText(type)) return { kind: 'text' }
  return { kind: 'unknown', looksLike: type === 'application/octet-stream' ? 'no known format' : type }
}

/** Returns the MIME type by `file-type`, which is a hundred times faster, or by libmagic, which knows more formats. */
async function detectMimeType(head: Uint8Array): Promise<string> {
  const quickMatch = await fileTypeFromBuffer(head)
  if (quickMatch && !ambiguousTypes.includes(quickMatch.mime)) return removeMimeParameters(quickMatch.mime)
  if (isPlainUtf8(head)) return 'text/plain'
  const type = removeMimeParameters((await loadLibmagic()).getMime(head))
  return type === 'application/octet-stream' && detectUtf16(head) ? 'text/plain' : type
}

/** Returns whether the head is UTF-8 text without control characters, except line breaks, tabs and form feeds. */
function isPlainUtf8(head: Uint8Array): boolean {
  if (head.some((byte) => byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0c && byte !== 0x0d))
    return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return true
  } catch {
    return false
  }
}

function removeMimeParameters(mime: string): string {
  return (mime.split(';')[0] ?? '').trim().toLowerCase()
}

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte)
}

/** Whether the file is a PDF. Accepts garbage before the header, as PDF readers do. */
function isPdf(head: Uint8Array): boolean {
  return decodeAscii(head, 0, 1024).includes('%PDF-')
}

function detectMarkupFormat(type: string, head: Uint8Array): FormatId | undefined {
  if (type === 'application/gzip') {
    const unpackedHead = gunzipStart(head)
    return unpackedHead && detectXmlFormat(unpackedHead) === 'svg' ? 'svgz' : 'gz'
  }
  if (type === 'text/html') return detectXmlFormat(head) ?? 'html'
  if (
    !type.startsWith('text/') &&
    type !== 'message/rfc822' &&
    type !== 'image/svg+xml' &&
    type !== 'application/xml'
  )
    return undefined
  return (
    detectXmlFormat(head) ?? textPatterns.find(([pattern]) => pattern.test(decodeAscii(head, 0, 4096)))?.[1]
  )
}

function gunzipStart(head: Uint8Array): Uint8Array | undefined {
  try {
    // Z_SYNC_FLUSH accepts a stream without its end. 4 KiB cannot expand to more than 4 MB.
    return gunzipSync(head.subarray(0, 4096), { finishFlush: 2 })
  } catch {
    return undefined
  }
}

/** Returns whether a type is text. Source code and emails, for example, are converted as text if their name says so. */
function isText(type: string): boolean {
  return type.startsWith('text/') || type === 'application/json' || type === 'message/rfc822'
}
