import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Document, ExternalHyperlink, Packer, Paragraph, Table, TableCell, TableRow, TextRun } from 'docx'
import { createLibreOffice } from '../../../lib/engines/libreoffice.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { readStdout } from '../support/inspect-result.ts'
import { convert } from '../support/run-engine.ts'

const office = createLibreOffice({ processes: 1 })
const folder = scratchFolder('links')

after(() => office.close?.())

const createLink = (link: string, ...runs: readonly TextRun[]) =>
  new Paragraph({ children: [new ExternalHyperlink({ link, children: [...runs] })] })

test('a document that already has a style with the name of the added link style keeps its link in PDF', async () => {
  const namespaces = [
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"',
    'xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"',
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"',
    'xmlns:xlink="http://www.w3.org/1999/xlink"',
  ]
  const name = 'Link without a look of its own'
  const path = join(folder, 'again.fodt')
  await writeFile(
    path,
    `<?xml version="1.0"?><office:document ${namespaces.join(' ')} office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.text">
    <office:styles><style:style style:name="L" style:display-name="${name}" style:family="text"/></office:styles>
    <office:body><office:text><text:p>to <text:a xlink:type="simple" xlink:href="https://example.com/again" text:style-name="Standard" text:visited-style-name="Standard">link</text:a></text:p></office:text></office:body></office:document>`,
  )
  const result = await convert(office, path, 'pdf')
  const pdf = await readStdout('qpdf', '--qdf', '--object-streams=disable', result.path, '-')
  assert.match(pdf, /\/URI \(https:\/\/example\.com\/again\)/)
})

test('links without a style, such as those of Google Docs, work in the PDF', async () => {
  const plainLink = createLink('https://example.com/plain', new TextRun('plain'))
  const coloredLink = createLink(
    'https://example.com/colored',
    new TextRun({ text: 'colored', color: '1155CC', underline: {} }),
  )
  const styledLink = createLink(
    'https://example.com/styled',
    new TextRun({ text: 'styled', style: 'Hyperlink' }),
  )
  const table = new Table({
    rows: [new TableRow({ children: [new TableCell({ children: [coloredLink] })] })],
  })
  const path = join(folder, 'links.docx')
  await writeFile(
    path,
    await Packer.toBuffer(new Document({ sections: [{ children: [plainLink, table, styledLink] }] })),
  )
  const result = await convert(office, path, 'pdf')
  const pdf = await readStdout('qpdf', '--qdf', '--object-streams=disable', result.path, '-')
  assert.deepEqual([...pdf.matchAll(/\/URI \((.*?)\)/g)].map(([, url]) => url).sort(), [
    'https://example.com/colored',
    'https://example.com/plain',
    'https://example.com/styled',
  ])
})
