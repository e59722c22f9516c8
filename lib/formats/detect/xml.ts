import type { FormatId } from '../index.ts'

const flatOpenDocument: Readonly<Record<string, FormatId>> = {
  text: 'fodt',
  spreadsheet: 'fods',
  presentation: 'fodp',
  graphics: 'fodg',
}

const uniformOffice: Readonly<Record<string, FormatId>> = {
  text: 'uot',
  spreadsheet: 'uos',
  presentation: 'uop',
}

/** Returns the format of an XML file from its root tag, undefined if the registry has no such format. */
export function xmlFormat(head: Uint8Array): FormatId | undefined {
  const text = decodeXml(head)
  if (/^\s*<!doctype html/i.test(text)) return 'html'
  const root = rootTag(text)
  if (root === undefined) return undefined
  const name = /^<([^\s/>]+)/.exec(root)?.[1]?.toLowerCase() ?? ''
  const local = name.slice(name.indexOf(':') + 1)
  switch (local) {
    case 'svg':
      return isSvgFont(text) ? 'svg-font' : 'svg'
    case 'html':
      return 'html'
    case 'document':
      return flatOpenDocument[
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
      return articleFormat(text, root)
    case 'uof':
      return uniformOffice[/mimetype="vnd\.uof\.([a-z]+)/i.exec(root)?.[1] ?? '']
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
function articleFormat(text: string, root: string): FormatId | undefined {
  if (/\sarticle-type=|\sdtd-version=/.test(root) || /<!doctype[^<>]{0,500}\bJATS\b/i.test(text))
    return 'jats'
  if (/docbook\.org\/ns\/docbook/.test(root) || /<!doctype[^<>]{0,500}\bDocBook\b/i.test(text)) return 'dbk'
  return undefined
}

function decodeXml(head: Uint8Array): string {
  const utf16 = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)
  if (!utf16) return new TextDecoder().decode(head)
  return new TextDecoder(head[0] === 0xff ? 'utf-16le' : 'utf-16be').decode(head)
}

/** The first tag that is not a declaration, comment or processing instruction. */
function rootTag(text: string): string | undefined {
  let rest = text.trimStart()
  for (;;) {
    const end = preambleLength(rest)
    if (end === undefined) break
    rest = rest.slice(end).trimStart()
  }
  return /^<[A-Za-z][^>]*>/.exec(rest)?.[0]
}

function preambleLength(text: string): number | undefined {
  if (text.startsWith('<!--')) return endOf(text, '-->')
  if (text.startsWith('<?')) return endOf(text, '?>')
  // An internal subset can contain tags.
  if (/^<!doctype[^>[]*\[/i.test(text)) return endOf(text, ']>')
  if (text.startsWith('<!')) return endOf(text, '>')
  return undefined
}

function endOf(text: string, delimiter: string): number | undefined {
  const at = text.indexOf(delimiter)
  return at < 0 ? undefined : at + delimiter.length
}
