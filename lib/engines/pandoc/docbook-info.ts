import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { InputFile, Tools } from '../engine.ts'

/** Each is passed over once, whether or not it ends. */
const element = (name: string) =>
  new RegExp(`<(${name})\\b[^<>]*>([^<]*(?:<(?!/?(?:${name})\\b)[^<]*)*)</\\1\\s*>`, 'g')

const info = element('info|(?:article|book|chapter|appendix|part|preface|section|sect[1-5]|set)info')
const said = element('abstract|legalnotice')
const heading = /<title\b[^<>]*>([^<]*(?:<(?!\/title\b)[^<]*)*)<\/title\s*>/g

const namesTogether = /<\/(?:firstname|othername|honorific)>(?=<)/g

/** pandoc leaves out abstract and legal notice of a DocBook: a copy has them in front of the text, and names in words. */
export async function infoAsText(input: InputFile, tools: Tools): Promise<InputFile> {
  const book = await readFile(input.path, 'utf8')
  const path = join(tools.workDir, 'info.xml')
  await writeFile(
    path,
    book
      .replaceAll(namesTogether, '$& ')
      .replaceAll(info, (whole, _name, inner: string) => `${whole}${textsOf(inner)}`),
  )
  return { ...input, path }
}

const textsOf = (inner: string) =>
  [...inner.matchAll(said)]
    .map(([, , text = '']) => text.replaceAll(heading, '<para><emphasis role="strong">$1</emphasis></para>'))
    .join('')
