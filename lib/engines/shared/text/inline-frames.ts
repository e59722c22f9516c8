import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Tools } from '../../engine.ts'
import { hiddenContentPattern, replaceImageObjects } from './image-objects.ts'

const framePattern = new RegExp(
  String.raw`${hiddenContentPattern}|<iframe(?=[\s/])((?:[^<>"']|"[^"]*"|'[^']*')*)>`,
  'gi',
)
const srcdocPattern = /[\s/"']srcdoc\s*=\s*(?:"([^"]*)"|'([^']*)')/i

/** What a frame's document has outside of its content. */
const documentPattern =
  /<!doctype\b[^<>]*>|<title\b[\s\S]*?(?:<\/title\s*>|$)|<\/?(?:html|head|body)\b[^<>]*>/gi

/** Character references that the markup of a document needs in an attribute; the others are decoded with its text. */
const referencePattern = /&(?:amp|lt|gt|quot|apos|#(\d{1,7}|x[\da-f]{1,6}));?/gi
const characterByReference: Readonly<Record<string, string>> = {
  '&amp': '&',
  '&lt': '<',
  '&gt': '>',
  '&quot': '"',
  '&apos': "'",
}

/** Frames in frames that are inlined; the number of nested frames in a document can be as high as its size allows. */
const maxNesting = 4

const decodeReferences = (value: string) =>
  value.replaceAll(referencePattern, (reference, code?: string) => {
    if (code === undefined) return characterByReference[reference.toLowerCase().replace(';', '')] ?? reference
    const codePoint = Number(/^x/i.test(code) ? `0${code}` : code)
    return codePoint > 0 && codePoint < 0x80 ? String.fromCodePoint(codePoint) : reference
  })

/** Moves the documents of inline frames (`srcdoc`) into the page, because many programs skip them. */
export function inlineFrames(html: string): string {
  let page = html
  for (let level = 0; level < maxNesting; level++) {
    const inlinedPage = page.replaceAll(framePattern, (match, _hidden: unknown, attributes = '') => {
      const [, quoted, singleQuoted] = srcdocPattern.exec(attributes) ?? []
      const srcdoc = quoted ?? singleQuoted
      if (srcdoc === undefined) return match
      return `<div>${decodeReferences(srcdoc).replaceAll(documentPattern, '')}</div><iframe${attributes.replace(srcdocPattern, '')}>`
    })
    if (inlinedPage === page) break
    page = inlinedPage
  }
  return page
}

/** Returns the path of a copy that shows what inline frames and objects contain, or of the page itself. */
export async function inlineEmbeddedContent(path: string, tools: Tools): Promise<string> {
  const html = await readFile(path, 'utf8')
  const inlinedHtml = replaceImageObjects(inlineFrames(html))
  if (inlinedHtml === html) return path
  const copyPath = join(tools.workDir, 'inlined.html')
  await writeFile(copyPath, inlinedHtml)
  return copyPath
}
