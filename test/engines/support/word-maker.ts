import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js'
import { scratchFolder } from '../../support/scratch-folder.ts'

const officeNamespace = 'http://schemas.openxmlformats.org/officeDocument/2006'

const packageNamespace = 'http://schemas.openxmlformats.org/package/2006'

export const wordNamespace = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'

const folder = scratchFolder('word-documents')

/**
 * Writes a Word document and returns its path.
 *
 * @param parts relationship type, file name and content of each additional part; without content, the part is missing
 */
export async function writeWordDocument(
  name: string,
  body: string,
  parts: readonly (readonly [kind: string, file: string, content: string | Buffer | undefined])[] = [],
) {
  const path = join(folder, `${name}.docx`)
  const zip = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false })
  const createRelation = ([kind, file]: readonly [string, string, ...unknown[]], at: number) =>
    `<Relationship Id="r${at}" Type="${officeNamespace}/relationships/${kind}" Target="${file}"/>`
  const wrapRelations = (all: string) =>
    `<Relationships xmlns="${packageNamespace}/relationships">${all}</Relationships>`
  const namespaces = `xmlns:w="${wordNamespace}" xmlns:r="${officeNamespace}/relationships"`
  const types = `<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
    <Default Extension="xml" ContentType="application/xml"/><Default Extension="mht" ContentType="message/rfc822"/>
    <Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>
    <Override PartName="/word/footnotes.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"/>`
  const files: readonly (readonly [string, string | Buffer])[] = [
    ['[Content_Types].xml', `<Types xmlns="${packageNamespace}/content-types">${types}</Types>`],
    ['_rels/.rels', wrapRelations(createRelation(['officeDocument', 'word/document.xml'], 0))],
    ['word/_rels/document.xml.rels', wrapRelations(parts.map(createRelation).join(''))],
    ['word/document.xml', `<w:document ${namespaces}><w:body>${body}</w:body></w:document>`],
    ...parts.flatMap(([, file, content]) =>
      content === undefined ? [] : [[`word/${file}`, content] as const],
    ),
  ]
  for (const [file, content] of files) await zip.add(file, new Uint8ArrayReader(Buffer.from(content)))
  await writeFile(path, await zip.close())
  return path
}
