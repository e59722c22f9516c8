import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createOfficeProfile } from '../../support/office-profile.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { readStdout } from './inspect-result.ts'

const words = 'sea oar net sail tide rope mast deck keel port bay cove reef'.split(' ')

/** Creates paragraphs with consecutive numbers in every second word, so that their order can be checked. */
export function createProse(
  firstNumber: number,
  paragraphCount: number,
  style: 'Body' | 'Plain' = 'Body',
): string {
  let number = firstNumber
  return Array.from({ length: paragraphCount }, (_, index) => {
    const text = Array.from({ length: countWordPairs(index) }, (_, at) => {
      const [one, two] = [(at * 5) % words.length, (at * 3 + index) % words.length]
      return `${words[one]} ${words[two]}${number++}`
    }).join(' ')
    return `<text:p text:style-name="${style}">${text}.</text:p>`
  }).join('')
}

/**
 * Returns the number of word pairs in a paragraph. It varies, because paragraphs that start at equal heights in all
 * columns would look like table rows.
 */
export const countWordPairs = (paragraphStyle: number) => 25 + ((paragraphStyle * 17) % 23)

/** Returns the numbers in the words of a text, in order. */
export const extractNumbers = (text: string): number[] =>
  (text.match(/(?<=\p{Ll})\d+/gu) ?? []).map((digits) => Number(digits))

export const createHeading = (text: string) =>
  `<text:h text:style-name="Title" text:outline-level="1">${text}</text:h>`

/** Wraps content in 2 or 3 columns of equal width; `Uneven` means a column of one third and one of two thirds. */
export const wrapInColumns = (name: string, style: 2 | 3 | 'Uneven', content: string) =>
  `<text:section text:style-name="Columns${style}" text:name="${name}">${content}</text:section>`

/** Creates a table without rules, with several lines of text per cell. */
export function createBorderlessTable(rows: number): string {
  const createCell = (number: number) =>
    `<table:table-cell><text:p text:style-name="Plain">${words.map((word) => `${word}${number}`).join(' ')}</text:p></table:table-cell>`
  const createRow = (number: number) =>
    `<table:table-row>${[0, 1, 2].map((at) => createCell(number * 3 + at)).join('')}</table:table-row>`
  const allRows = Array.from({ length: rows }, (_, number) => createRow(number)).join('')
  return `<table:table><table:table-column table:number-columns-repeated="3"/>${allRows}</table:table>`
}

const names = ['office', 'style', 'text', 'table']
  .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .join(' ')

const evenColumnsStyle = (count: number) =>
  `<style:style style:name="Columns${count}" style:family="section"><style:section-properties text:dont-balance-text-columns="false"><style:columns fo:column-count="${count}" fo:column-gap="7mm"/></style:section-properties></style:style>`

const paragraphStyle = (name: string, paragraphProperties: string, textProperties: string) =>
  `<style:style style:name="${name}" style:family="paragraph"><style:paragraph-properties ${paragraphProperties}/><style:text-properties ${textProperties}/></style:style>`

/** Creates a flat OpenDocument file with A4 pages. */
const createFlatOdt = (body: string) => `<?xml version="1.0" encoding="UTF-8"?>
<office:document ${names} xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.text">
<office:automatic-styles>
<style:page-layout style:name="sheet"><style:page-layout-properties fo:page-width="210mm" fo:page-height="297mm" fo:margin="20mm"/></style:page-layout>
${paragraphStyle('Body', 'fo:margin-bottom="2mm" fo:text-align="justify"', 'fo:font-family="Liberation Serif" fo:font-size="10pt"')}
${paragraphStyle('Plain', 'fo:margin-bottom="2mm"', 'fo:font-family="Liberation Serif" fo:font-size="10pt"')}
${paragraphStyle('Title', 'fo:margin-bottom="4mm"', 'fo:font-family="Liberation Sans" fo:font-size="16pt" fo:font-weight="bold"')}
${evenColumnsStyle(2)}${evenColumnsStyle(3)}
<style:style style:name="ColumnsUneven" style:family="section"><style:section-properties><style:columns fo:column-count="2"><style:column style:rel-width="30*" fo:end-indent="4mm"/><style:column style:rel-width="60*" fo:start-indent="4mm"/></style:columns></style:section-properties></style:style>
</office:automatic-styles>
<office:master-styles><style:master-page style:name="Standard" style:page-layout-name="sheet"/></office:master-styles>
<office:body><office:text>${body}</office:text></office:body></office:document>`

/** Converts documents with these bodies to PDF; returns the folder that contains `<name>.pdf` for each. */
export async function printDocuments(bodies: Readonly<Record<string, string>>): Promise<string> {
  const folder = scratchFolder('columns')
  const sources = Object.keys(bodies).map((name) => join(folder, `${name}.fodt`))
  for (const [name, body] of Object.entries(bodies))
    await writeFile(join(folder, `${name}.fodt`), createFlatOdt(body))
  await makePdf(folder, sources)
  return folder
}

/** Converts documents to PDF with LibreOffice. */
export async function makePdf(folder: string, sources: readonly string[]): Promise<void> {
  await readStdout(
    'soffice',
    ...[createOfficeProfile(folder), '--headless'],
    ...['--convert-to', 'pdf', '--outdir', folder, ...sources],
  )
  await rm(join(folder, 'profile'), { recursive: true })
}
