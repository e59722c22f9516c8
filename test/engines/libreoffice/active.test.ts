import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, describe, test } from 'node:test'
import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js'
import { createLibreOffice } from '../../../lib/engines/libreoffice.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { readPdfText, readStdout } from '../support/inspect-result.ts'
import { convert, fixture, removeRuns } from '../support/run-engine.ts'

const engine = createLibreOffice({ processes: 1 })

after(async () => {
  await engine.close?.()
  await removeRuns()
})

/** Returns the content of a file as text without null bytes. A package is unpacked; each part follows its name. */
async function readContent(path: string): Promise<string> {
  const bytes = await readFile(path)
  if (bytes.toString('latin1', 0, 2) !== 'PK') return stripZeroBytes(bytes)
  const reader = new ZipReader(new Uint8ArrayReader(bytes))
  let text = ''
  for (const entry of await reader.getEntries()) {
    text += `${entry.filename}\n`
    if (!entry.directory) text += stripZeroBytes(Buffer.from(await entry.getData(new Uint8ArrayWriter())))
  }
  await reader.close()
  return text
}

const stripZeroBytes = (bytes: Buffer) => bytes.toString('latin1').replaceAll('\0', '')

const cases = [
  {
    name: 'macros.docm',
    to: ['pdf', 'docx', 'dotx', 'doc', 'odt', 'fodt', 'rtf', 'html', 'txt'],
    word: 'Marmots',
    activePatterns: [
      /EVILVBA/,
      /vbaProject/,
      /DDEAUTO/,
      /activeX/,
      /javascript:/,
      /attachedTemplate/,
      /host\.invalid/,
    ],
  },
  {
    name: 'macros.odt',
    to: ['pdf', 'docx', 'doc', 'ott', 'fodt', 'rtf', 'html', 'txt'],
    word: 'Badgers',
    activePatterns: [
      /EVILMACRO/,
      /Basic\//,
      /Scripts\//,
      /<script:event-listener/,
      /javascript:/,
      /vnd\.sun\.star\.script/,
      /EVILSCRIPT/,
    ],
  },
  {
    name: 'slides.odp',
    to: ['pdf', 'pptx', 'ppt', 'otp', 'fodp'],
    word: 'Wombats',
    activePatterns: [/EVILMACRO/, /Basic\//, /presentation:action="execute"/, /vnd\.sun\.star\.script/],
    // PowerPoint files would contain the `execute` action like this.
    alsoForbidden: [/ppaction:\/\/(?:program|macro)/],
  },
  {
    name: 'active.html',
    to: ['pdf', 'docx', 'doc', 'odt', 'rtf', 'txt'],
    word: 'Ferrets',
    activePatterns: [/EVILHEAD/, /EVILLOAD/, /EVILCLICK/, /EVILBODY/, /javascript:/],
  },
] as const satisfies {
  name: string
  to: FormatId[]
  word: string
  activePatterns: RegExp[]
  alsoForbidden?: RegExp[]
}[]

for (const testCase of cases) {
  describe(`active content in ${testCase.name}`, () => {
    test(`the test document ${testCase.name} contains active content`, async () => {
      const content = await readContent(fixture(`office/${testCase.name}`))
      for (const pattern of testCase.activePatterns) assert.match(content, pattern)
    })

    for (const to of testCase.to) {
      test(`active content in ${testCase.name} is removed from its ${to}, but the text is kept`, async () => {
        const { path } = await convert(engine, fixture(`office/${testCase.name}`), to)
        const content = to === 'pdf' ? await uncompressPdf(path) : await readContent(path)
        assert.ok(content.includes(testCase.word), `${testCase.word} is missing`)
        for (const pattern of [
          ...testCase.activePatterns,
          ...('alsoForbidden' in testCase ? testCase.alsoForbidden : []),
        ]) {
          assert.doesNotMatch(content, pattern)
        }
      })
    }
  })
}

/** Returns the text of a PDF, followed by its uncompressed objects, which would contain actions and links. */
async function uncompressPdf(path: string): Promise<string> {
  await readStdout('qpdf', '--check', path)
  const pdf = await readStdout('qpdf', '--qdf', '--object-streams=disable', path, '-')
  for (const action of ['/JavaScript', '/JS', '/Launch']) assert.ok(!pdf.includes(action), action)
  return (await readPdfText(path)) + pdf
}

test('an ordinary hyperlink of an office document is kept', async () => {
  const { path } = await convert(engine, fixture('office/macros.odt'), 'docx')
  assert.match(await readContent(path), /https:\/\/example\.com\/kept/)
})

describe('files outside of the document', () => {
  for (const to of ['pdf', 'docx', 'odt', 'html'] as const) {
    test(`a local file that a document references is not included when the document is converted to ${to}`, async () => {
      const source = to === 'odt' ? 'active.html' : 'macros.odt'
      const { path } = await convert(engine, fixture(`office/${source}`), to)
      const content = to === 'pdf' ? await readPdfText(path) : await readContent(path)
      // A section and a frame of the source reference this file, which LibreOffice can read in its sandbox.
      const [line = ''] = (await readFile('/etc/libreoffice/sofficerc', 'utf8')).split('\n')
      assert.ok(line.length > 3 && !content.includes(line))
      assert.doesNotMatch(content, /^(?:word\/media|Pictures)\/.*png/m)
      if (to === 'pdf')
        assert.equal((await readStdout('pdfimages', '-list', path)).trim().split('\n').length, 2)
    })
  }
})
