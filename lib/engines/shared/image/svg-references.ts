import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { describeNames } from '../../../model/warning-details.ts'
import type { Tools } from '../../engine.ts'

/** Maximum bytes of a drawing that are searched. */
const maxBytes = 64 * 1024 * 1024
/** Match what draws or styles the file that it refers to (SVG 2, 16.1.6), unlike `a`, which links to another page. */
const fileReferencePatterns = [
  /<(?:\w{1,40}:)?(?:image|feImage|use|link)\b[^<>]{0,4000}?\bhref\s{0,9}=\s{0,9}["']\s{0,9}([^"'<>#]{1,500})/g,
  /<(?:\w{1,40}:)?(?:img|video|audio|iframe|embed)\b[^<>]{0,4000}?\ssrc\s{0,9}=\s{0,9}["']\s{0,9}([^"'<>#]{1,500})/g,
  /<\?xml-stylesheet\b[^<>]{0,4000}?\shref\s{0,9}=\s{0,9}["']\s{0,9}([^"'<>#]{1,500})/g,
  /\burl\(\s{0,9}["']?\s{0,9}([^"'()<>\s#]{1,500})/g,
  /@import\s{1,9}["']\s{0,9}([^"'<>#]{1,500})/g,
]
const maxNames = 3

/** Patterns of references to elements of the same drawing. */
const localReferencePatterns = [
  /<(?:\w{1,40}:)?(?:use|textPath|feImage|linearGradient|radialGradient|pattern)\b[^<>]{0,4000}?\bhref\s{0,9}=\s{0,9}["']\s{0,9}#([^"'<>\s]{1,500})/g,
  /[\s;"'{](?:fill|stroke|clip-path|mask|filter|marker(?:-start|-mid|-end)?)\s{0,9}[:=]\s{0,9}["']?\s{0,9}url\(\s{0,9}["']?\s{0,9}#([^"'()<>\s]{1,500})/g,
]
const elementIdPattern = /\sid\s{0,9}=\s{0,9}["']([^"'<>]{1,500})["']/g
const commentPattern = /<!--[\s\S]*?(?:-->|$)/g

const findMatches = (pattern: RegExp, text: string) =>
  [...text.matchAll(pattern)].map(([, reference = '']) => reference)

/** Warns about elements that a drawing refers to but does not contain. */
function warnAboutMissingElements(svg: string, tools: Tools): void {
  const text = svg.replace(commentPattern, '')
  const ids = new Set(findMatches(elementIdPattern, text))
  const referencedIds = new Set(localReferencePatterns.flatMap((pattern) => findMatches(pattern, text)))
  const names = [...referencedIds].filter((name) => !ids.has(name) && !ids.has(decodeName(name)))
  if (names.length === 0) return
  const shownIds = names.slice(0, maxNames).map((name) => `#${toUnicode(name).slice(0, 60)}`)
  const moreText = names.length > maxNames ? ` and ${names.length - maxNames} more` : ''
  const message = `The drawing refers to elements that it does not contain: ${shownIds.join(', ')}${moreText}.`
  tools.warn('REFERENCES_MISSING', `${message} Check whether anything is missing.`)
}

function decodeName(name: string): string {
  try {
    return Buffer.from(decodeURIComponent(name)).toString('latin1')
  } catch {
    return name
  }
}

/** Decodes a name: drawings are searched as Latin-1, but nearly all of them are UTF-8. */
function toUnicode(name: string): string {
  const bytes = Buffer.from(name, 'latin1')
  return isUtf8(bytes) ? bytes.toString() : name
}

/**
 * Warns about elements that a drawing lacks, and about files that it refers to. A drawing is converted alone, so these
 * files are missing in the result.
 */
export async function warnAboutMissingFiles(svgFile: Buffer, tools: Tools): Promise<void> {
  const svg = await decompressSvg(svgFile)
  warnAboutMissingElements(svg, tools)
  const references = new Set(
    fileReferencePatterns
      .flatMap((pattern) => findMatches(pattern, svg))
      .map((reference) => reference.trim())
      .filter((reference) => !/^data:/i.test(reference)),
  )
  if (references.size === 0) return
  const names = [...references].slice(0, maxNames).map((reference) => shortenName(toUnicode(reference)))
  const moreText = references.size > maxNames ? ` and ${references.size - maxNames} more` : ''
  const [subject, object] = references.size === 1 ? ['A file is', 'it'] : ['Files are', 'them']
  tools.warn(
    'LINKS_DROPPED',
    `${subject} missing in the drawing: ${names.join(', ')}${moreText}. Embed ${object} in the drawing and send it again.`,
    describeNames([...references].map((reference) => shortenName(toUnicode(reference)))),
  )
}

export const warnAboutMissingFilesAt = async (path: string, tools: Tools): Promise<void> =>
  warnAboutMissingFiles(await readFile(path), tools)

/** Returns the file name of a path or URL. */
const shortenName = (reference: string) =>
  (/[^/\\]+(?=[/\\]?$)/.exec(reference.replace(/[?].*/, ''))?.[0] ?? reference).slice(0, 60)

/** Returns the text as Latin-1; a file that cannot be decompressed is reported by its renderer. */
async function decompressSvg(file: Buffer): Promise<string> {
  const isGzipped = file[0] === 0x1f && file[1] === 0x8b
  const bytes = isGzipped
    ? await promisify(gunzip)(file, { maxOutputLength: maxBytes }).catch(() => Buffer.alloc(0))
    : file
  return bytes.toString('latin1', 0, maxBytes)
}
