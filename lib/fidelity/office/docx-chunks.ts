import { decodeMarkup, extractHtmlText, readAttribute, readMarkup } from '../text/markup.ts'
import type { Zip } from '../zip.ts'

/**
 * Reads documents embedded as part of a Word document's text (ECMA-376, part 1, 17.17.2.1), such as HTML pages in
 * filled templates; some programs write all text this way. Embedded Word and RTF documents are skipped.
 */
export async function readChunkTexts(zip: Zip): Promise<string[]> {
  const partNames = new Set<string>()
  readMarkup((await zip.text('word/_rels/document.xml.rels')) ?? '', {
    text: () => {},
    tag: (tag) => {
      const target = readAttribute(tag, 'Target')
      if (target !== undefined && readAttribute(tag, 'Type')?.endsWith('/aFChunk'))
        partNames.add(target.startsWith('/') ? target.slice(1) : `word/${target}`)
      return false
    },
  })
  const texts: string[] = []
  for (const name of partNames) texts.push((await zip.read(name, readChunkText)) ?? '')
  return texts
}

function readChunkText(content: Buffer): string {
  const start = content.toString('latin1', 0, 1000).trimStart()
  if (start.startsWith('PK') || start.startsWith('{\\rtf')) return ''
  return extractHtmlText(
    decodeMarkup(/^MIME-Version:/im.test(start) ? extractMhtmlHtml(content.toString('latin1')) : content),
  )
}

/** Extracts the HTML of an MHTML file (RFC 2557). */
function extractMhtmlHtml(mhtml: string): Buffer {
  const contentTypeAt = mhtml.search(/Content-Type:\s{0,9}text\/html/i)
  const headerEnd = /\r?\n\r?\n/.exec(mhtml.slice(Math.max(contentTypeAt, 0)))
  if (contentTypeAt < 0 || !headerEnd) return Buffer.alloc(0)
  const head =
    mhtml
      .slice(0, contentTypeAt + headerEnd.index)
      .split(/\r?\n\r?\n/)
      .at(-1) ?? ''
  const rest = mhtml.slice(contentTypeAt + headerEnd.index + headerEnd[0].length)
  const close = rest.search(/\r?\n--/)
  const body = close < 0 ? rest : rest.slice(0, close)
  if (/Encoding:\s{0,9}base64/i.test(head)) return Buffer.from(body, 'base64')
  if (!/Encoding:\s{0,9}quoted-printable/i.test(head)) return Buffer.from(body, 'latin1')
  const bytes = body
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([\dA-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1')
}
