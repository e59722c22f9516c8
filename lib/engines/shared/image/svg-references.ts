import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Tools } from '../../engine.ts'

/** Bytes of a drawing that are searched. */
const maxBytes = 64 * 1024 * 1024
/** Elements that draw what they refer to (SVG 2, 16.1.6); links of `a` lead elsewhere. */
const elementReference =
  /<(?:\w{1,40}:)?(?:image|feImage|use)\b[^<>]{0,4000}?\bhref\s{0,9}=\s{0,9}["']\s{0,9}([^"'<>\s#]{1,500})/g
const styleReference = /\burl\(\s{0,9}["']?\s{0,9}([^"'()<>\s#]{1,500})/g
const maxNames = 3

/** Warns about files that a drawing refers to: it is converted alone, so they are missing in the result. */
export async function warnAboutMissingFiles(svgFile: Buffer, tools: Tools): Promise<void> {
  const svg = await unpack(svgFile)
  const references = new Set(
    [elementReference, styleReference]
      .flatMap((pattern) => [...svg.matchAll(pattern)])
      .map(([, reference = '']) => reference)
      .filter((reference) => !/^data:/i.test(reference)),
  )
  if (references.size === 0) return
  const names = [...references].slice(0, maxNames).map((reference) => shortName(reference))
  const more = references.size > maxNames ? ` and ${references.size - maxNames} more` : ''
  const [subject, object] = references.size === 1 ? ['A file is', 'it'] : ['Files are', 'them']
  tools.warn(
    'LINKS_DROPPED',
    `${subject} missing in the drawing: ${names.join(', ')}${more}. Embed ${object} in the drawing and send it again.`,
  )
}

export const warnAboutMissingFilesOf = async (path: string, tools: Tools): Promise<void> =>
  warnAboutMissingFiles(await readFile(path), tools)

/** The file name of a path or URL. */
const shortName = (reference: string) =>
  (/[^/\\]+(?=[/\\]?$)/.exec(reference.replace(/[?].*/, ''))?.[0] ?? reference).slice(0, 60)

/** Returns the text as Latin-1; a file that cannot be decompressed is reported by its renderer. */
async function unpack(file: Buffer): Promise<string> {
  const isPacked = file[0] === 0x1f && file[1] === 0x8b
  const bytes = isPacked
    ? await promisify(gunzip)(file, { maxOutputLength: maxBytes }).catch(() => Buffer.alloc(0))
    : file
  return bytes.toString('latin1', 0, maxBytes)
}
