import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { createLibreOffice } from '../../../lib/engines/libreoffice.ts'
import { testConformance } from '../support/conformance.ts'
import { fixture } from '../support/run-engine.ts'

const scratch = await mkdtemp(join(tmpdir(), 'office-long-'))
const longTextPath = join(scratch, 'long.txt')
await writeFile(longTextPath, 'The quick brown fox jumps over the lazy dog.\n'.repeat(20_000))
after(() => rm(scratch, { recursive: true }))

testConformance(createLibreOffice(), {
  fixtures: {
    docx: fixture('office/report.docx'),
    xlsx: fixture('office/workbook.xlsx'),
    odp: fixture('office/slides.odp'),
    odg: fixture('office/drawing.odg'),
  },
  // `npm run conformance` tests all formats.
  only: (from, to) =>
    to === 'pdf' || ['docx odt', 'docx rtf', 'xlsx csv', 'odp pptx', 'odg svg'].includes(`${from} ${to}`),
  garbage: ['docx', 'doc', 'ods', 'xls', 'pptx', 'vsd', 'dxf'],
  long: { source: longTextPath, to: 'pdf' },
})
