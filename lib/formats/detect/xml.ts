import type { FormatId } from '../index.ts'

const flatOpenDocumentFormats: Readonly<Record<string, FormatId>> = {
  text: 'fodt',
  spreadsheet: 'fods',
  presentation: 'fodp',
  graphics: 'fodg',
}

const uniformOfficeFormats: Readonly<Record<string, FormatId>> = {
  text: 'uot',
  spreadsheet: 'uos',
  presentation: 'uop',
}

/** Returns the format of an XML file from its root tag, undefined if the registry has no such format. */
export function detectXmlFormat(head: Uint8Array): FormatId | undefined {
  const text = decodeXml(head)
  if (/^\s*<!doctype html/i.test(text)) return 'html'
  const root = findRootTag(text)
  if (root === undefined) return undefined
  const name = /^<([^\s/>]+)/.exec(root)?.[1]?.toLowerCase() ?? ''
  const localName = name.slice(name.indexOf(':') + 1)
  switch (localName) {
    case 'svg':
      return isSvgFont(text) ? 'svg-font' : 'svg'
    case 'html':
      return 'html'
    case 'document':
      return flatOpenDocumentFormats[
        /office:mimetype="application\/vnd\.oasis\.opendocument\.([a-z]+)/.exec(root)?.[1] ?? ''
      ]
    case 'fictionbook':
      return 'fb2'
    case 'opml':
      return 'opml'
    case 'tei':
      return 'tei'
    case 'sami':
      return 'smi'
    case 'tt':
      return 'ttml'
    case 'article':
    case 'book':
      return detectArticleFormat(text, root)
    case 'uof':
      return uniformOfficeFormats[/mimetype="vnd\.uof\.([a-z]+)/i.exec(root)?.[1] ?? '']
    case 'worddocument':
      return 'wordml'
    case 'workbook':
      return /urn:schemas-microsoft-com:office:spreadsheet/.test(root) ? 'xmlss' : undefined
    default:
      return undefined
  }
}

/**
 * Returns whether an SVG file is a font. A drawing can also define fonts, but draws something outside of its
 * definitions.
 */
function isSvgFont(text: string): boolean {
  if (!/<font[\s>]/.test(text)) return false
  const drawnText = text.replace(/<defs[\s\S]*?(?:<\/defs>|$)/g, '')
  return !/<(?:path|text|image|use|rect|circle|ellipse|line|poly\w+|g)[\s>/]/.test(drawnText)
}

/** Distinguishes JATS, DocBook and unknown files, whose root tags can have the same name. */
function detectArticleFormat(text: string, root: string): FormatId | undefined {
  if (/\sarticle-type=|\sdtd-version=/.test(root) || /<!doctype[^<>]{0,500}\bJATS\b/i.test(text))
    return 'jats'
  if (/docbook\.org\/ns\/docbook/.test(root) || /<!doctype[^<>]{0,500}\bDocBook\b/i.test(text)) return 'dbk'
  return undefined
}

function decodeXml(head: Uint8Array): string {
  const isUtf16 = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)
  if (!isUtf16) return new TextDecoder().decode(head)
  return new TextDecoder(head[0] === 0xff ? 'utf-16le' : 'utf-16be').decode(head)
}

/** Returns the first tag that is not a declaration, comment or processing instruction. */
function findRootTag(text: string): string | undefined {
  let remainingText = text.trimStart()
  for (;;) {
    const end = getPreambleLength(remainingText)
    if (end === undefined) break
    remainingText = remainingText.slice(end).trimStart()
  }
  return /^<[A-Za-z][^>]*>/.exec(remainingText)?.[0]
}

function getPreambleLength(text: string): number | undefined {
  if (text.startsWith('<!--')) return findEndOf(text, '-->')
  if (text.startsWith('<?')) return findEndOf(text, '?>')
  // The internal subset of a document type can contain tags.
  if (/^<!doctype[^>[]*\[/i.test(text)) return findEndOf(text, ']>')
  if (text.startsWith('<!')) return findEndOf(text, '>')
  return undefined
}

function findEndOf(text: string, delimiter: string): number | undefined {
  const at = text.indexOf(delimiter)
  return at < 0 ? undefined : at + delimiter.length
}
