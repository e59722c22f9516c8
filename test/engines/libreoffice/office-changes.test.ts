import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { TextReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js'
import { createLibreOffice } from '../../../lib/engines/libreoffice.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { readStdout } from '../support/inspect-result.ts'
import { convert } from '../support/run-engine.ts'

const engine = createLibreOffice()
after(() => engine.close?.())

const officeNamespace = 'http://schemas.openxmlformats.org/officeDocument/2006'
const packageNamespace = 'http://schemas.openxmlformats.org/package/2006'

async function writeDocx(body: string): Promise<string> {
  const zip = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false })
  const parts = {
    '[Content_Types].xml': `<Types xmlns="${packageNamespace}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    '_rels/.rels': `<Relationships xmlns="${packageNamespace}/relationships"><Relationship Id="r1" Type="${officeNamespace}/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
    'word/document.xml': `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`,
  }
  for (const [name, text] of Object.entries(parts)) await zip.add(name, new TextReader(text))
  const path = join(scratchFolder('changes'), 'a.docx')
  await writeFile(path, await zip.close())
  return path
}

test('text that was inserted and deleted again with tracked changes is left out of PDF, HTML and ODT', async () => {
  const by = (id: number) => `w:id="${id}" w:author="A" w:date="2026-01-01T00:00:00Z"`
  const run = (text: string, tag = 't') => `<w:r><w:${tag} xml:space="preserve">${text}</w:${tag}></w:r>`
  const path = await writeDocx(
    `<w:p>${run('one ')}<w:ins ${by(1)}>${run('two ')}<w:del ${by(2)}>${run('taken ', 'delText')}</w:del>${run('three ')}</w:ins>
       <w:del ${by(3)}>${run('away ', 'delText')}</w:del>${run('four')}</w:p>
     <w:p><w:pPr><w:rPr><w:ins ${by(4)}/><w:del ${by(5)}/></w:rPr></w:pPr>${run('five')}</w:p>`,
  )
  for (const to of ['pdf', 'html', 'odt'] as const) {
    const convertedRun = await convert(engine, path, to)
    const text = await (to === 'pdf'
      ? readStdout('pdftotext', convertedRun.path, '-')
      : readStdout('pandoc', `--from=${to}`, '--to=plain', convertedRun.path))
    assert.match(text.replaceAll(/\s+/g, ' '), /one two three four five/, to)
  }
})
