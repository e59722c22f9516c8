import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { downscaleFineImages } from '../../../lib/engines/pdf/ocr/downscale.ts'
import { findDecimalSeparator, parseSheetNumber } from '../../../lib/engines/pdf/sheets/numbers.ts'
import { pdf } from '../../../lib/engines/pdf.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { listZipNames, readStdout } from '../support/inspect-result.ts'
import { createPdf } from '../support/pdf-maker.ts'
import { convert } from '../support/run-engine.ts'
import { createScannedPage, createScannedPdf } from '../support/scan-maker.ts'

const folder = scratchFolder('tables')

/** Draws a table with rules around its cells, each 100 points wide and 20 high. */
function drawRuledTable(top: number, rows: readonly (readonly string[])[]): string {
  const [columns, count] = [rows[0]?.length ?? 0, rows.length]
  const horizontalRules = Array.from(
    { length: count + 1 },
    (_, at) => `50 ${top - at * 20} m ${50 + columns * 100} ${top - at * 20} l S`,
  )
  const verticalRules = Array.from(
    { length: columns + 1 },
    (_, at) => `${50 + at * 100} ${top} m ${50 + at * 100} ${top - count * 20} l S`,
  )
  const words = rows.flatMap((row, y) =>
    row.map((text, x) => `BT /F1 10 Tf ${55 + x * 100} ${top - y * 20 - 14} Td (${text}) Tj ET`),
  )
  return [...horizontalRules, ...verticalRules, ...words].join('\n')
}

const drawText = (y: number, text: string) => `BT /F1 10 Tf 50 ${y} Td (${text}) Tj ET`

async function writePdf(name: string, contents: readonly string[]): Promise<string> {
  const path = join(folder, name)
  const kids = contents.map((_, at) => `${10 + at * 2} 0 R`).join(' ')
  const pages = contents.flatMap((content, at) => [
    [10 + at * 2, `<< /Type /Page /Parent 2 0 R /Contents ${11 + at * 2} 0 R >>`],
    [11 + at * 2, { dict: '<< >>', data: Buffer.from(content) }],
  ])
  const bytes = createPdf(
    {
      1: '<< /Type /Catalog /Pages 2 0 R >>',
      2: `<< /Type /Pages /Kids [${kids}] /Count ${contents.length} /MediaBox [0 0 400 300] /Resources << /Font << /F1 3 0 R >> >> >>`,
      3: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      4: '<< /Title (Catches) /Author (Ada Reed) >>',
      ...Object.fromEntries(pages),
    },
    '/Info 4 0 R',
  )
  await writeFile(path, bytes)
  return path
}

const header = ['Bird', 'Caught', 'Code']
const writePdfWithTables = () =>
  writePdf('catches.pdf', [
    `${drawText(270, 'Words before the table.')}\n${drawRuledTable(250, [header, ['Heron', '1,204.50', '007']])}`,
    drawRuledTable(250, [header, ['Tern', '85.10', '=1+1']]),
  ])

const readPart = (path: string, name: string) => readStdout('unzip', '-p', path, name)
const convertTo = async (source: string, to: FormatId) => convert(pdf, source, to)

describe('PDF to Excel', () => {
  test('PDF to Excel collects the tables of a PDF, and a table that continues on another page becomes one table', async () => {
    const { path, result, warnings } = await convertTo(await writePdfWithTables(), 'xlsx')
    assert.deepEqual(warnings, ['TABLES_ONLY'])
    assert.deepEqual(result.details, { pages: 2, tables: 1 })
    assert.match(await readPart(path, 'xl/workbook.xml'), /<sheet name="Table 1"/)
    const texts = [...(await readPart(path, 'xl/sharedStrings.xml')).matchAll(/<t[^>]*>([^<]*)/g)].map(
      ([, text]) => text,
    )
    assert.deepEqual(texts, ['Bird', 'Caught', 'Code', 'Heron', '007', 'Tern', '=1+1'])
    const sheet = await readPart(path, 'xl/worksheets/sheet1.xml')
    assert.match(sheet, /r="B2" s="\d+"><v>1204\.5<\/v>/)
    assert.match(sheet, /r="B3" s="\d+"><v>85\.1<\/v>/)
    assert.doesNotMatch(sheet, /<f>/)
    assert.match(await readPart(path, 'docProps/core.xml'), /<dc:creator>Ada Reed</)
  })

  test('PDF to Excel gives no warning if the PDF has no text outside its tables', async () => {
    const { warnings } = await convertTo(
      await writePdf('bare.pdf', [drawRuledTable(250, [header, ['Tern', '1', 'x']])]),
      'xlsx',
    )
    assert.deepEqual(warnings, [])
  })

  test('PDF to Excel warns which pages were read by OCR', async () => {
    const scan = join(folder, 'scan.pdf')
    await writeFile(scan, await createScannedPdf([await createScannedPage(['Ebbe und Flut am Strand'])]))
    const { warnings, messages, details } = await convertTo(scan, 'xlsx')
    assert.ok(warnings.includes('OCR_USED'), warnings.join())
    assert.match(messages[warnings.indexOf('OCR_USED')] ?? '', /\(OCR\): 1\./)
    assert.deepEqual(details, [{ count: 1, pages: '1' }])
  })

  test('a PDF without tables becomes a workbook with its text and a warning', async () => {
    const { path, result, warnings } = await convertTo(
      await writePdf('prose.pdf', [drawText(200, 'Only words.')]),
      'xlsx',
    )
    assert.deepEqual(warnings, ['NO_TABLES'])
    assert.deepEqual(result.details, { pages: 1, tables: 0 })
    assert.match(await readPart(path, 'xl/sharedStrings.xml'), /Only words\./)
  })
})

test('PDF to CSV writes all tables of a PDF, one below the other', async () => {
  const source = await writePdf('two-tables.pdf', [
    `${drawRuledTable(280, [header, ['Heron', '1,204.50', '007']])}\n${drawText(200, 'Between them.')}\n${drawRuledTable(
      180,
      [
        ['Net', 'Depth'],
        ['fine "A"', '12'],
      ],
    )}`,
  ])
  const { path, warnings, result } = await convertTo(source, 'csv')
  const csv = await readFile(path, 'utf8')
  assert.equal(csv, 'Bird,Caught,Code\r\nHeron,"1,204.50",007\r\n\r\nNet,Depth\r\n"fine ""A""",12\r\n')
  assert.deepEqual(warnings, ['TABLES_ONLY'])
  assert.deepEqual(result.details, { pages: 1, tables: 2 })
})

test('each page of a PDF becomes a PowerPoint slide with text over an image of everything else', async () => {
  const { path, warnings } = await convertTo(await writePdfWithTables(), 'pptx')
  assert.deepEqual(warnings, [])
  const names = await listZipNames(path)
  assert.equal(names.filter((name) => /^ppt\/slides\/slide\d+\.xml$/.test(name)).length, 2)
  assert.equal(names.filter((name) => /^ppt\/media\/.*jpe?g$/.test(name)).length, 2)
  // 400 x 300 points in English Metric Units.
  assert.match(await readPart(path, 'ppt/presentation.xml'), /<p:sldSz cx="5080000" cy="3810000"/)
  const slide = await readPart(path, 'ppt/slides/slide1.xml')
  assert.match(slide, /sz="1000"[\s\S]*<a:t>Words before the table\.<\/a:t>/)
  assert.match(slide, /<a:t>Heron<\/a:t>/)
  const core = await readPart(path, 'docProps/core.xml')
  assert.match(core, /<dc:title>Catches<[\s\S]*<dc:creator>Ada Reed</)
  assert.doesNotMatch(core, /Pptx/)
})

test('PDF to Word keeps the title and author of the PDF', async () => {
  const core = await readPart((await convertTo(await writePdfWithTables(), 'docx')).path, 'docProps/core.xml')
  assert.match(core, /<dc:title>Catches</)
  assert.match(core, /<dc:creator>Ada Reed</)
  assert.doesNotMatch(core, /Mutabor|Un-named/)
  const withoutAuthor = await writePdf('prose2.pdf', [drawText(200, 'Only words.')])
  assert.doesNotMatch(
    await readPart((await convertTo(withoutAuthor, 'docx')).path, 'docProps/core.xml'),
    /Mutabor|Un-named/,
  )
})

describe('numbers in table cells of a PDF', () => {
  test('PDF table text that is only a number becomes a number with its format', () => {
    assert.deepEqual(parseSheetNumber('1204', undefined), { value: 1204, format: '0' })
    assert.deepEqual(parseSheetNumber('-1,204.50', '.'), { value: -1204.5, format: '#,##0.00' })
    assert.deepEqual(parseSheetNumber('1.204,5', ','), { value: 1204.5, format: '#,##0.0' })
    assert.deepEqual(parseSheetNumber('€ 12,00', ','), { value: 12, format: '"€"0.00' })
    assert.deepEqual(parseSheetNumber('12.5 %', '.'), { value: 0.125, format: '0.0%' })
  })

  test('PDF table text that a spreadsheet would change stays text', () => {
    for (const text of [
      '007',
      '1E5',
      '1/2',
      '+49 30 1234',
      '1234567890123456',
      '2026-01-02',
      '',
      '-',
      '1,2,3',
    ])
      assert.equal(parseSheetNumber(text, '.'), undefined, text)
  })

  test('the decimal separator is derived from the whole PDF table, and ambiguous numbers stay text', () => {
    assert.equal(findDecimalSeparator(['1,204.50', '12']), '.')
    assert.equal(findDecimalSeparator(['1.204,50', '1.204']), ',')
    assert.equal(findDecimalSeparator(['1.204', '1,204']), undefined)
    assert.equal(parseSheetNumber('1.204', undefined), undefined)
  })
})

test('PDF page images of very high resolution are downscaled before OCR, with a warning', async () => {
  const downscaleWithFake = async (dpi: number, width: number) => {
    const programs: string[] = []
    const warnings: string[] = []
    const row = `   1     0 image    ${width}  8419  rgb     3   8  image  no         7  0   ${dpi}   ${dpi}  312K 0.2%`
    await downscaleFineImages('scan.pdf', {
      exec: async (bin) => {
        programs.push(bin)
        return { stdout: `page num\n----\n${row}\n`, stderr: '' }
      },
      warn: (code) => warnings.push(code),
      host: () => Promise.reject(new Error('no host is needed')),
      progress: () => {},
      signal: new AbortController().signal,
      workDir: folder,
    })
    return [programs, warnings]
  }
  assert.deepEqual(await downscaleWithFake(720, 5953), [['pdfimages', 'gs'], ['PICTURES_REDUCED']])
  assert.deepEqual(await downscaleWithFake(300, 5953), [['pdfimages'], []])
  assert.deepEqual(await downscaleWithFake(720, 900), [['pdfimages'], []])
})
