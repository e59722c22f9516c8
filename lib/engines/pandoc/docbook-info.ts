import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { InputFile, Tools } from '../engine.ts'

/** Returns a pattern that matches an element in linear time, even if the end tag is missing. */
const createElementPattern = (name: string) =>
  new RegExp(`<(${name})\\b[^<>]*>([^<]*(?:<(?!/?(?:${name})\\b)[^<]*)*)</\\1\\s*>`, 'g')

const infoPattern = createElementPattern(
  'info|(?:article|book|chapter|appendix|part|preface|section|sect[1-5]|set)info',
)
const infoTextPattern = createElementPattern('abstract|legalnotice')
const titlePattern =
  /<title\b[^<>]{0,500}>([^<]{0,2000}(?:<(?!\/?title\b)[^<]{0,2000}){0,200})<\/title\s{0,9}>/g

const missingSpacePattern = /<\/(?:firstname|othername|honorific)>(?=<)/g

/**
 * Returns a copy of a DocBook file in which the abstract and the legal notice, which pandoc drops, are in the text, and
 * parts of names are separated by spaces.
 */
export async function moveInfoToText(input: InputFile, tools: Tools): Promise<InputFile> {
  const book = await readFile(input.path, 'utf8')
  const path = join(tools.workDir, 'info.xml')
  await writeFile(
    path,
    book
      .replaceAll(missingSpacePattern, '$& ')
      .replaceAll(
        infoPattern,
        (infoElement, _name, inner: string) => `${infoElement}${extractInfoTexts(inner)}`,
      ),
  )
  return { ...input, path }
}

const extractInfoTexts = (innerXml: string) =>
  [...innerXml.matchAll(infoTextPattern)]
    .map(([, , text = '']) =>
      text.replaceAll(titlePattern, '<para><emphasis role="strong">$1</emphasis></para>'),
    )
    .join('')
