import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { downscaleFineImages } from '../../lib/engines/pdf/ocr/downscale.ts'
import { findDecimalSeparator, parseSheetNumber } from '../../lib/engines/pdf/sheets/numbers.ts'
import { pdf } from '../../lib/engines/pdf.ts'
import type { FormatId } from '../../lib/formats/index.ts'
import { scratchFolder } from '../scratch-folder.ts'
import { output, zipNames } from './judge.ts'
import { pdfOf } from './pdf-maker.ts'
import { convert } from './run-engine.ts'

const folder = scratchFolder('tables')

/** A table with lines around its cells, 100 points wide and 20 high each. */
function ruled(top: number, rows: readonly (readonly string[])[]): string {
  const [columns, count] = [rows[0]?.length ?? 0, rows.length]
  const flat = Array.from(
    { length: count + 1 },
    (_, at) => `50 ${top - at * 20} m ${50 + columns * 100} ${top - at * 20} l S`,
  )
  const steep = Array.from(
    { length: columns + 1 },
    (_, at) => `${50 + at * 100} ${top} m ${50 + at * 100} ${top - count * 20} l S`,
  )
  const words = rows.flatMap((row, y) =>
    row.map((text, x) => `BT /F1 10 Tf ${55 + x * 100} ${top - y * 20 - 14} Td (${text}) Tj ET`),
  )
  return [...flat, ...steep, ...words].join('\n')
}

const says = (y: number, text: string) => `BT /F1 10 Tf 50 ${y} Td (${text}) Tj ET`

async function papers(name: string, contents: readonly string[]): Promise<string> {
  const path = join(folder, name)
  const kids = contents.map((_, at) => `${10 + at * 2} 0 R`).join(' ')
  const pages = contents.flatMap((content, at) => [
    [10 + at * 2, `<< /Type /Page /Parent 2 0 R /Contents ${11 + at * 2} 0 R >>`],
    [11 + at * 2, { dict: '<< >>', data: Buffer.from(content) }],
  ])
  const bytes = pdfOf(
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

const head = ['Bird', 'Caught', 'Code']
const catches = () =>
  papers('catches.pdf', [
    `${says(270, 'Words before the table.')}\n${ruled(250, [head, ['Heron', '1,204.50', '007']])}`,
    ruled(250, [head, ['Tern', '85.10', '=1+1']]),
  ])

const part = (path: string, name: string) => output('unzip', '-p', path, name)
const made = async (source: string, to: FormatId) => convert(pdf, source, to)

describe('a workbook of a PDF', () => {
  test('holds its tables and nothing else, one that goes on over pages as one', async () => {
    const { path, result, warnings } = await made(await catches(), 'xlsx')
    assert.deepEqual(warnings, ['TABLES_ONLY'])
    assert.deepEqual(result.details, { pages: 2, tables: 1 })
    assert.match(await part(path, 'xl/workbook.xml'), /<sheet name="Table 1"/)
    const texts = [...(await part(path, 'xl/sharedStrings.xml')).matchAll(/<t[^>]*>([^<]*)/g)].map(
      ([, text]) => text,
    )
    assert.deepEqual(texts, ['Bird', 'Caught', 'Code', 'Heron', '007', 'Tern', '=1+1'])
    const sheet = await part(path, 'xl/worksheets/sheet1.xml')
    assert.match(sheet, /r="B2" s="\d+"><v>1204\.5<\/v>/)
    assert.match(sheet, /r="B3" s="\d+"><v>85\.1<\/v>/)
    assert.doesNotMatch(sheet, /<f>/)
    assert.match(await part(path, 'docProps/core.xml'), /<dc:creator>Ada Reed</)
  })

  test('without words around its tables says nothing of them', async () => {
    const { warnings } = await made(
      await papers('bare.pdf', [ruled(250, [head, ['Tern', '1', 'x']])]),
      'xlsx',
    )
    assert.deepEqual(warnings, [])
  })

  test('without a table holds the text, and says so', async () => {
    const { path, result, warnings } = await made(
      await papers('prose.pdf', [says(200, 'Only words.')]),
      'xlsx',
    )
    assert.deepEqual(warnings, ['NO_TABLES'])
    assert.deepEqual(result.details, { pages: 1, tables: 0 })
    assert.match(await part(path, 'xl/sharedStrings.xml'), /Only words\./)
  })
})

test('a CSV of a PDF holds all of its tables, one below the other', async () => {
  const source = await papers('two-tables.pdf', [
    `${ruled(280, [head, ['Heron', '1,204.50', '007']])}\n${says(200, 'Between them.')}\n${ruled(180, [
      ['Net', 'Depth'],
      ['fine "A"', '12'],
    ])}`,
  ])
  const { path, warnings, result } = await made(source, 'csv')
  const csv = await readFile(path, 'utf8')
  assert.equal(csv, 'Bird,Caught,Code\r\nHeron,"1,204.50",007\r\n\r\nNet,Depth\r\n"fine ""A""",12\r\n')
  assert.deepEqual(warnings, ['TABLES_ONLY'])
  assert.deepEqual(result.details, { pages: 1, tables: 2 })
})

test('slides of a PDF are its pages: text over a picture of the rest', async () => {
  const { path, warnings } = await made(await catches(), 'pptx')
  assert.deepEqual(warnings, [])
  const names = await zipNames(path)
  assert.equal(names.filter((name) => /^ppt\/slides\/slide\d+\.xml$/.test(name)).length, 2)
  assert.equal(names.filter((name) => /^ppt\/media\/.*jpe?g$/.test(name)).length, 2)
  // 400 by 300 points in English Metric Units.
  assert.match(await part(path, 'ppt/presentation.xml'), /<p:sldSz cx="5080000" cy="3810000"/)
  const slide = await part(path, 'ppt/slides/slide1.xml')
  assert.match(slide, /sz="1000"[\s\S]*<a:t>Words before the table\.<\/a:t>/)
  assert.match(slide, /<a:t>Heron<\/a:t>/)
  const core = await part(path, 'docProps/core.xml')
  assert.match(core, /<dc:title>Catches<[\s\S]*<dc:creator>Ada Reed</)
  assert.doesNotMatch(core, /Pptx/)
})

test('a Word document of a PDF is by its author', async () => {
  const core = await part((await made(await catches(), 'docx')).path, 'docProps/core.xml')
  assert.match(core, /<dc:title>Catches</)
  assert.match(core, /<dc:creator>Ada Reed</)
  assert.doesNotMatch(core, /Mutabor|Un-named/)
  const nobody = await papers('prose2.pdf', [says(200, 'Only words.')])
  assert.doesNotMatch(await part((await made(nobody, 'docx')).path, 'docProps/core.xml'), /Mutabor|Un-named/)
})

describe('what stands in a cell', () => {
  test('is a number where it is nothing else', () => {
    assert.deepEqual(parseSheetNumber('1204', undefined), { value: 1204, format: '0' })
    assert.deepEqual(parseSheetNumber('-1,204.50', '.'), { value: -1204.5, format: '#,##0.00' })
    assert.deepEqual(parseSheetNumber('1.204,5', ','), { value: 1204.5, format: '#,##0.0' })
    assert.deepEqual(parseSheetNumber('€ 12,00', ','), { value: 12, format: '"€"0.00' })
    assert.deepEqual(parseSheetNumber('12.5 %', '.'), { value: 0.125, format: '0.0%' })
  })

  test('stays text where a sheet would change it', () => {
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

  test('is read as its table writes numbers, and left alone where that cannot be told', () => {
    assert.equal(findDecimalSeparator(['1,204.50', '12']), '.')
    assert.equal(findDecimalSeparator(['1.204,50', '1.204']), ',')
    assert.equal(findDecimalSeparator(['1.204', '1,204']), undefined)
    assert.equal(parseSheetNumber('1.204', undefined), undefined)
  })
})

test('pages of very fine pictures are made coarser before they are read, and that is told', async () => {
  const looked = async (dpi: number, width: number) => {
    const ran: string[] = []
    const told: string[] = []
    const row = `   1     0 image    ${width}  8419  rgb     3   8  image  no         7  0   ${dpi}   ${dpi}  312K 0.2%`
    await downscaleFineImages('scan.pdf', {
      exec: async (bin) => {
        ran.push(bin)
        return { stdout: `page num\n----\n${row}\n`, stderr: '' }
      },
      warn: (code) => told.push(code),
      progress: () => {},
      signal: new AbortController().signal,
      workDir: folder,
    })
    return [ran, told]
  }
  assert.deepEqual(await looked(720, 5953), [['pdfimages', 'gs'], ['PICTURES_REDUCED']])
  assert.deepEqual(await looked(300, 5953), [['pdfimages'], []])
  assert.deepEqual(await looked(720, 900), [['pdfimages'], []])
})
