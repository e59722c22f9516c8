import assert from 'node:assert/strict'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { createLibreOffice } from '../../../lib/engines/libreoffice.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { readPdfText, readStdout } from '../support/inspect-result.ts'
import { refusal, scratch } from '../support/office-results.ts'
import { convert, fixture, type RunSettings } from '../support/run-engine.ts'

const engine = createLibreOffice()

after(() => engine.close?.())

function convertFixture(name: string, to: FormatId, settings?: RunSettings) {
  return convert(engine, fixture(`office/${name}`), to, settings)
}

async function convertToPdf(name: string, options?: RunSettings['options']): Promise<string> {
  const { path } = await convertFixture(name, 'pdf', options && { options })
  return path
}

describe('plain text, tables and web pages', () => {
  test('plain text in UTF-16 keeps its characters', async () => {
    assert.match(await readPdfText(await convertToPdf('utf16.txt')), /Lynxes àéîõü Ωμέγα\s+second line/)
  })

  test('a CSV is converted to PDF without a sheet name, page number or file name', async () => {
    const text = await readPdfText((await convertFixture('western.csv', 'pdf')).path)
    assert.doesNotMatch(text, /document|Page|Sheet/i)
    assert.ok(text.trim().length > 0)
  })

  test('a CSV in Windows-1252 with semicolons becomes columns', async () => {
    const { path } = await convertFixture('western.csv', 'tsv')
    assert.equal(await readFile(path, 'utf8'), 'Müsli\tPreis\nSüß; sauer\t3,50\nKäse\t12\n')
  })

  test('a CSV converted to a workbook keeps all but numbers and ISO dates as text, and contains no formulas', async () => {
    const texts = [
      '007',
      '+49 171',
      '1E5',
      '1/2',
      '=1+1',
      '-1+1',
      '@A1',
      "=cmd|' /C calc'!A0",
      '3/4/2024',
      '12345678901234567',
    ]
    const numbers = ['7', '-3.5', '123456789012345', '2024-02-29']
    const source = join(scratch, 'cells.csv')
    await writeFile(source, [...texts, ...numbers].map((field) => `${field},x\n`).join(''))
    for (const to of ['xlsx', 'ods', 'xls'] as const) {
      const sheet = await convert(engine, source, to)
      const back = await convert(engine, sheet.path, 'csv', { from: to })
      assert.equal(await readFile(back.path, 'utf8'), await readFile(source, 'utf8'), to)
      const repeatedRun = await convert(engine, back.path, 'xlsx', { from: 'csv' })
      const cells = await readStdout('unzip', '-p', repeatedRun.path, 'xl/worksheets/sheet1.xml')
      assert.doesNotMatch(cells, /<f[ >]/)
      const kinds = [...cells.matchAll(/<c r="A\d+"[^>]* t="(\w+)"/g)].map(([, kind]) => kind)
      assert.deepEqual(kinds, [...texts.map(() => 's'), ...numbers.map(() => 'n')])
    }
  })

  test('a sheet converted to CSV has unambiguous dates and times unless its cells are protected', async () => {
    const names = ['office', 'style', 'number', 'table', 'text'].map(
      (name) =>
        `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name === 'number' ? 'datastyle' : name}:1.0"`,
    )
    const day = '<number:day number:style="long"/>'
    const month = '<number:month number:style="long"/>'
    const hours =
      '<number:hours number:style="long"/><number:text>:</number:text><number:minutes number:style="long"/>'
    const createStyle = (name: string, contentXml: string, kind = 'date') =>
      `<number:${kind}-style style:name="N${name}">${contentXml}</number:${kind}-style>
       <style:style style:name="${name}" style:family="table-cell" style:data-style-name="N${name}"/>`
    const createCell = (name: string, type: string, value: string) =>
      `<table:table-cell table:style-name="${name}" office:value-type="${type}" office:${type === 'float' ? '' : `${type}-`}value="${value}"/>`
    const date = `${day}<number:text>.</number:text>${month}<number:text>.</number:text><number:year number:style="long"/>`
    const source = join(scratch, 'dates.fods')
    await writeFile(
      source,
      `<office:document ${names.join(' ')} office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.spreadsheet">
       <office:automatic-styles>${createStyle('d', date)}${createStyle('m', `${date}<number:text> </number:text>${hours}`)}
       ${createStyle('n', '<number:number number:decimal-places="1" number:min-decimal-places="1"/>', 'number')}
       ${createStyle('t', `${hours}<number:text> </number:text><number:am-pm/>`, 'time')}</office:automatic-styles>
       <office:body><office:spreadsheet><table:table table:name="a"><table:table-row>
       ${createCell('d', 'date', '2023-03-04')}${createCell('m', 'date', '2023-03-04T18:05:00')}${createCell('n', 'float', '1.2345')}
       ${createCell('t', 'time', 'PT12H30M00S')}${createCell('t', 'time', 'PT36H00M00S')}
       </table:table-row></table:table></office:spreadsheet></office:body></office:document>`,
    )
    const { path } = await convert(engine, source, 'csv')
    assert.equal(await readFile(path, 'utf8'), '2023-03-04,2023-03-04 18:05:00,1.2345,12:30:00,36:00:00\n')
    // The number format of protected cells cannot be changed, and trying must not crash LibreOffice.
    const protectedPath = join(scratch, 'protected-dates.fods')
    const key =
      'table:protected="true" table:protection-key="NHrmZ3JBYtcPY8VVFPdJXR+HCBw=" table:protection-key-digest-algorithm="http://www.w3.org/2000/09/xmldsig#sha1"'
    const unprotectedXml = await readFile(source, 'utf8')
    await writeFile(protectedPath, unprotectedXml.replace('table:name="a"', `table:name="a" ${key}`))
    assert.match(
      await readFile((await convert(engine, protectedPath, 'csv')).path, 'utf8'),
      /^03.04.2023,.*,1\.2345,.*\n$/,
    )
  })

  test('with headers=true, a CSV becomes an XLSX with a bold header row that is repeated on each printed page', async () => {
    const source = join(scratch, 'header.csv')
    await writeFile(source, '2023;name\n1;x\n')
    const { warnings } = await convert(engine, source, 'tsv', { options: { headers: true } })
    assert.deepEqual(warnings, ['OPTION_NOT_HELD'])
    const { path } = await convert(engine, source, 'xlsx', { options: { headers: 'true' } })
    const [cells, styles, book] = await Promise.all(
      ['worksheets/sheet1', 'styles', 'workbook'].map((name) =>
        readStdout('unzip', '-p', path, `xl/${name}.xml`),
      ),
    )
    assert.match(cells ?? '', /<c r="A1" [^>]*t="s"[\s\S]*<c r="A2" [^>]*t="n"/)
    assert.match(styles ?? '', /<b val="true"\/>/)
    assert.match(book ?? '', /Print_Titles[^<]*>[^<]*\$1:\$1/)
  })

  test('a CSV is read with the requested encoding and separator', async () => {
    const source = join(scratch, 'named.csv')
    await writeFile(source, Buffer.from('\xc4|1;2\n', 'latin1'))
    const to = (options: RunSettings['options'] = {}) => convert(engine, source, 'tsv', { options })
    const windowsRun = await to({ encoding: 'windows-1251', delimiter: 'pipe' })
    assert.equal(await readFile(windowsRun.path, 'utf8'), 'Д\t1;2\n')
    assert.deepEqual(windowsRun.warnings, [])
    const koi8Run = await to({ encoding: 'koi8-r', delimiter: ';' })
    assert.equal(await readFile(koi8Run.path, 'utf8'), 'д|1\t2\n')
  })

  test('web pages are read by LibreOffice in their declared or detected encoding', async () => {
    const words = 'Вчера вечером мы ходили в театр'
    const createPage = (head: string) => Buffer.from(`${head}<p>${words}</p>`)
    const createBytes = (head: string) => {
      const toCyrillicCode = (character: string) =>
        String.fromCharCode(character.charCodeAt(0) - 0x410 + 0xc0)
      return Buffer.from(`${head}<p>${words.replaceAll(/[А-я]/g, toCyrillicCode)}</p>`, 'latin1')
    }
    const sources = {
      'utf8.html': createPage(''),
      'said.html': createBytes('<meta charset="windows-1251">'),
      'mute.html': createBytes(''),
    }
    for (const [name, content] of Object.entries(sources)) {
      await writeFile(join(scratch, name), content)
      const { path, warnings } = await convert(engine, join(scratch, name), 'txt')
      assert.match(await readFile(path, 'utf8'), new RegExp(words), name)
      assert.deepEqual(warnings, name === 'mute.html' ? ['ENCODING_ASSUMED'] : [])
    }
  })

  test('LibreOffice keeps the text of inline frames of a web page', async () => {
    const source = join(scratch, 'frame.html')
    await writeFile(source, '<p>outside</p><iframe srcdoc="<p>otters</p>"></iframe>')
    assert.match(await readFile((await convert(engine, source, 'txt')).path, 'utf8'), /otters/)
  })

  test('a workbook converted to CSV contains formula results in UTF-8, and omitted sheets cause a warning', async () => {
    const { path, warnings, details } = await convertFixture('workbook.xlsx', 'csv')
    assert.equal(await readFile(path, 'utf8'), '"Otters, ""sea""",12.5\nÜnïcödé,25\n')
    assert.deepEqual(warnings, ['SHEETS_DROPPED'])
    assert.deepEqual(details, [{ kept: 1, total: 2 }])
  })
})

test('a drawing becomes an SVG of its first page, with a warning about the other pages', async () => {
  const { path, warnings } = await convertFixture('drawing.odg', 'svg')
  const svg = await readFile(path, 'utf8')
  assert.match(svg, /Herons/)
  assert.doesNotMatch(svg, /Egrets/)
  assert.deepEqual(warnings, ['PAGES_DROPPED'])
})

describe('protected and damaged documents', () => {
  for (const kind of ['docx', 'doc', 'odt', 'ppt'] as const) {
    test(`a protected ${kind} requires its password`, async () => {
      const name = `locked.${kind}`
      const code = 'FILE_ENCRYPTED'
      await assert.rejects(
        convertFixture(name, 'pdf'),
        refusal(code, /Send its password in the field `password`/),
      )
      const unlock = (password: string) =>
        convertFixture(name, kind, { operation: 'unlock', options: { password } })
      await assert.rejects(unlock('wrong'), refusal(code, /cannot be opened with this password/))
      const { path, warnings } = await unlock('secret')
      assert.deepEqual(warnings, ['ENCRYPTION_REMOVED'])
      const pdf = await convert(engine, path, 'pdf')
      assert.match(await readPdfText(pdf.path), /Pangolins|Wombats/)
    })
  }

  test('a protected workbook named .docx is reported with its detected format if the password is right', async () => {
    const path = join(scratch, 'sheet.docx')
    await copyFile(fixture('office/locked.xlsx'), path)
    const unlock = (password: string) =>
      convert(engine, path, 'docx', { operation: 'unlock', options: { password } })
    await assert.rejects(unlock('wrong'), refusal('FILE_ENCRYPTED', /cannot be opened with this password/))
    await assert.rejects(
      unlock('secret'),
      refusal('UNSUPPORTED_FORMAT', /It is .* \(xlsx\), although its file name says docx/),
    )
  })

  test('unlocking a document that has no password returns it unchanged, without a warning', async () => {
    const report = fixture('office/report.docx')
    const { path, warnings } = await convertFixture('report.docx', 'docx', {
      operation: 'unlock',
      options: { password: 'secret' },
    })
    assert.deepEqual(warnings, [])
    assert.deepEqual(await readFile(path), await readFile(report))
  })

  test('a document that is truncated, empty, of another format or only noise is reported as damaged', async () => {
    const report = await readFile(fixture('office/report.docx'))
    const unreadableFiles = {
      'half.docx': report.subarray(0, report.length / 2),
      'empty.docx': Buffer.alloc(0),
      'text.docx': Buffer.from('only a text\n'.repeat(50)),
      'noise.rtf': Buffer.alloc(4096, 7),
      'renamed.xlsx': report,
      'renamed.odt': report,
    }
    for (const [name, bytes] of Object.entries(unreadableFiles)) {
      const path = join(scratch, name)
      await writeFile(path, bytes)
      await assert.rejects(
        convert(engine, path, 'pdf'),
        refusal('CORRUPT_FILE', /damaged or not a \w+ file/),
        name,
      )
    }
  })
})

const createDocument = (body: string) =>
  `<?xml version="1.0"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.${body.includes('<office:presentation>') ? 'presentation' : 'text'}"><office:body>${body}</office:body></office:document>`

const createShape = (words: string) =>
  `<draw:custom-shape text:anchor-type="paragraph" svg:x="1cm" svg:y="1cm" svg:width="5cm" svg:height="2cm"><text:p>${words}</text:p><draw:enhanced-geometry svg:viewBox="0 0 9 9" draw:enhanced-path="M 0 0 L 9 0 9 9 0 9 Z N"/></draw:custom-shape>`

test('text in shapes and groups of shapes appears once in the web page of a document', async () => {
  const words = ['alone', 'grouped', 'beside']
  const shapes = `${createShape('alone')}<draw:g>${createShape('grouped')}${createShape('beside')}</draw:g>`
  const sources = {
    'shapes.fodt': `<office:text><text:p>before</text:p><text:p>${shapes}around</text:p></office:text>`,
    'shapes.fodp': `<office:presentation><draw:page>${shapes}</draw:page></office:presentation>`,
  }
  for (const [name, body] of Object.entries(sources)) {
    const path = join(scratch, name)
    await writeFile(path, createDocument(body))
    const page = await readFile((await convert(engine, path, 'html')).path, 'utf8')
    for (const word of words) assert.equal(page.split(word).length, 2, `${word} of ${name}`)
  }
})

test('a sheet with a visible comment becomes a web page with the comment', async () => {
  const comment =
    '<office:annotation office:display="true"><text:p>comment-apple</text:p></office:annotation>'
  const cell = `<table:table-cell office:value-type="string">${comment}<text:p>cell-pear</text:p></table:table-cell>`
  const body = `<office:spreadsheet><table:table table:name="One"><table:table-row>${cell}</table:table-row></table:table></office:spreadsheet>`
  const path = join(scratch, 'comment.fods')
  const namespace = 'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
  const sheet = createDocument(body).replace('xmlns:text', `${namespace}xmlns:text`)
  await writeFile(path, sheet.replace('opendocument.text"', 'opendocument.spreadsheet"'))
  const page = await readFile((await convert(engine, path, 'html')).path, 'utf8')
  for (const word of ['comment-apple', 'cell-pear']) assert.equal(page.split(word).length, 2, word)
  assert.deepEqual((await convert(engine, path, 'csv')).warnings, [])
})
