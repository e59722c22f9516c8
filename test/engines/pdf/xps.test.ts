import assert from 'node:assert/strict'
import { readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { TextReader, Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js'
import { pdf } from '../../../lib/engines/pdf.ts'
import { detectFile } from '../../formats/detect-file.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { countPdfPages, readStdout } from '../support/inspect-result.ts'
import { convert } from '../support/run-engine.ts'

const microsoftNamespace = 'http://schemas.microsoft.com/xps/2005/06'
const ecmaNamespace = 'http://schemas.openxps.org/oxps/v1.0'
const packageNamespace = 'http://schemas.openxmlformats.org/package/2006'

/** Creates an XPS document of two pages with one word each, the second in landscape. */
async function createXps(namespace: string): Promise<Uint8Array> {
  const createPage = (width: number, height: number, word: string) =>
    `<FixedPage xmlns="${namespace}" Width="${width}" Height="${height}" xml:lang="en"><Glyphs Fill="#000000" FontUri="/font.ttf" FontRenderingEmSize="18" OriginX="20" OriginY="60" UnicodeString="${word}"/></FixedPage>`
  const type = (extension: string, mime: string) =>
    `<Default Extension="${extension}" ContentType="application/${mime}"/>`
  const parts = {
    '[Content_Types].xml': `<Types xmlns="${packageNamespace}/content-types">${type('rels', 'vnd.openxmlformats-package.relationships+xml')}${type('fdseq', 'vnd.ms-package.xps-fixeddocumentsequence+xml')}${type('fdoc', 'vnd.ms-package.xps-fixeddocument+xml')}${type('fpage', 'vnd.ms-package.xps-fixedpage+xml')}${type('ttf', 'vnd.ms-opentype')}</Types>`,
    '_rels/.rels': `<Relationships xmlns="${packageNamespace}/relationships"><Relationship Id="r1" Type="${namespace}/fixedrepresentation" Target="/all.fdseq"/></Relationships>`,
    'all.fdseq': `<FixedDocumentSequence xmlns="${namespace}"><DocumentReference Source="/one.fdoc"/></FixedDocumentSequence>`,
    'one.fdoc': `<FixedDocument xmlns="${namespace}"><PageContent Source="/1.fpage"/><PageContent Source="/2.fpage"/></FixedDocument>`,
    '1.fpage': createPage(200, 400, 'alphamarker'),
    '2.fpage': createPage(400, 200, 'betamarker'),
  }
  const writer = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false })
  for (const [name, text] of Object.entries(parts)) await writer.add(name, new TextReader(text))
  const font = await readFile('/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf')
  await writer.add('font.ttf', new Uint8ArrayReader(font))
  return writer.close()
}

const folder = scratchFolder('xps-test')

describe('XPS documents', () => {
  for (const [id, namespace] of [
    ['xps', microsoftNamespace],
    ['oxps', ecmaNamespace],
  ] as const) {
    test(`an XPS document in the format ${id} becomes a PDF with its pages and text`, async () => {
      const path = join(folder, `paper.${id}`)
      await writeFile(path, await createXps(namespace))
      const { path: pdfPath, result } = await convert(pdf, path, 'pdf')
      assert.deepEqual(result.details, { pages: 2 })
      assert.equal(await countPdfPages(pdfPath), 2)
      assert.match(await readStdout('pdftotext', pdfPath, '-'), /^alphamarker\s+betamarker\s+$/)
      // XPS has 96 units per inch.
      assert.match(await readStdout('pdfinfo', '-f', '2', '-l', '2', pdfPath), /size:\s+300 x 150 pts/)
    })
  }

  test('an XPS document is detected by its content, and its file extension decides between XPS and OpenXPS', async () => {
    const [oldXps, standardXps] = [await createXps(microsoftNamespace), await createXps(ecmaNamespace)]
    assert.equal(await detectFile('upload', oldXps), 'xps')
    assert.equal(await detectFile('upload', standardXps), 'oxps')
    assert.equal(await detectFile('paper.oxps', oldXps), 'oxps')
  })

  test('a truncated XPS document is refused', async () => {
    const path = join(folder, 'cut.xps')
    await writeFile(path, await createXps(microsoftNamespace))
    await truncate(path, 900)
    await assert.rejects(convert(pdf, path, 'pdf'), { code: 'CORRUPT_FILE', message: /^The XML Paper/ })
    await assert.rejects(detectFile('cut.xps', await readFile(path)), { code: 'CORRUPT_FILE' })
  })
})
