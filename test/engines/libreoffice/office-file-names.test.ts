import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createLibreOffice } from '../../../lib/engines/libreoffice.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { readStdout } from '../support/inspect-result.ts'
import { convert } from '../support/run-engine.ts'

const engine = createLibreOffice()
after(() => engine.close?.())

const namespaces = ['office', 'style', 'table', 'text', 'presentation'].map(
  (name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
)
const createDocument = (kind: string, body: string) =>
  `<office:document ${namespaces.join(' ')} xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2" office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.${kind}"><office:body>${body}</office:body></office:document>`

const sources = {
  fodt: createDocument(
    'text',
    '<office:text><text:p>Says <text:file-name text:display="full">old</text:file-name>.</text:p></office:text>',
  ),
  fods: createDocument(
    'spreadsheet',
    '<office:spreadsheet><table:table table:name="Sheet"><table:table-row><table:table-cell table:formula="of:=CELL(&quot;FILENAME&quot;)" office:value-type="string"><text:p>old</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet>',
  ),
}

test('file name fields and formulas of a document show the original file name, without a folder', async () => {
  const folder = scratchFolder('places')
  for (const [kind, source] of Object.entries(sources)) {
    const name = `Zürich 100% #1.${kind}`
    const path = join(folder, name)
    await writeFile(path, source)
    const convertedRun = await convert(engine, path, 'pdf', { names: [name] })
    const text = (await readStdout('pdftotext', convertedRun.path, '-')).replaceAll('\n', ' ')
    assert.ok(text.includes(name) || text.includes(name.replace('%', '%25').replace('#', '%23')), text)
    assert.doesNotMatch(text, /\/\w+\/|document\.fod/, text)
  }
})
