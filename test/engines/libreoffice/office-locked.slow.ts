// Run by `npm run test:slow`: tests every office format with a password. LibreOffice wrote most of the fixtures; see
// make_locked.py.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createLibreOffice } from '../../../lib/engines/libreoffice.ts'
import { readPdfText } from '../support/inspect-result.ts'
import { convert, fixture } from '../support/run-engine.ts'

const engine = createLibreOffice()
after(() => engine.close?.())

for (const kind of ['docx', 'doc', 'odt', 'xlsx', 'xls', 'ods', 'pptx', 'ppt', 'odp'] as const) {
  test(`a protected ${kind} opens only with its password`, async () => {
    const source = fixture(`office/locked.${kind}`)
    const unlock = (password: string) =>
      convert(engine, source, kind, { operation: 'unlock', options: { password } })
    await assert.rejects(convert(engine, source, 'pdf'), { code: 'FILE_ENCRYPTED' })
    await assert.rejects(unlock('Secret'), { code: 'FILE_ENCRYPTED' })
    const { path } = await unlock('secret')
    const { path: pdf } = await convert(engine, path, 'pdf')
    assert.match(await readPdfText(pdf), /Pangolins|Otters|Wombats/)
  })
}
