import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as docx from 'docx'
import { createPresentation } from '../../../lib/engines/pdf/slides/presentation.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { createOfficeProfile } from '../../support/office-profile.ts'
import type { KnownDocument } from './make-document.ts'

/** Runs a program in the folder of the document and returns its output. */
export type Run = (bin: string, ...args: string[]) => string

interface MakeContext {
  /** Contains the document as `source.html` and `made.html`, and its parts as `source.json`. */
  readonly folder: string
  readonly run: Run
}

/** A program that makes `made.<format>`. */
export interface Maker {
  readonly program: string
  readonly format: FormatId
  readonly make: (context: MakeContext, document: KnownDocument) => unknown
}

const createPandocMaker = (format: FormatId): Maker => ({
  program: 'pandoc',
  format,
  make: ({ run }) =>
    run('pandoc', '-s', 'source.html', '-t', pandocWriters[format] ?? format, '-o', `made.${format}`),
})
const pandocWriters: Partial<Record<FormatId, string>> = { md: 'gfm', tex: 'latex', dbk: 'docbook' }

const createCalibreMaker = (format: FormatId): Maker => ({
  program: 'calibre',
  format,
  make: ({ run }) => run('ebook-convert', 'source.html', `made.${format}`),
})

/** `module` is the part of LibreOffice that opens the page. */
const createOfficeMaker = (module: 'Writer' | 'Calc', format: FormatId, filter: string): Maker => ({
  program: `LibreOffice ${module}`,
  format,
  make: ({ folder, run }) =>
    run(
      'soffice',
      createOfficeProfile(folder),
      '--headless',
      `--infilter=HTML (Star${module})`,
      '--convert-to',
      `${format}:${filter}`,
      '--outdir',
      folder,
      'made.html',
    ),
})

const createPdfMaker = (program: string, ...command: [bin: string, ...args: string[]]): Maker => ({
  program,
  format: 'pdf',
  make: ({ run }) => run(...command),
})

const workbookScript = `import json, xlsxwriter
with xlsxwriter.Workbook('made.xlsx') as book:
    for part in json.load(open('source.json')):
        sheet = book.add_worksheet()
        for at, row in enumerate(part['rows']):
            sheet.write_row(at, 0, row)`

const pdfScript = `import json
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer, Table
pdfmetrics.registerFont(TTFont('DejaVu', '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf'))
style = ParagraphStyle('text', fontName='DejaVu', fontSize=9)
def flow(rows):
    return Table(rows, style=[('FONT', (0, 0), (-1, -1), 'DejaVu', 7), ('GRID', (0, 0), (-1, -1), 1, 'black')])
parts = [part['rows'] for part in json.load(open('source.json'))]
SimpleDocTemplate('made.pdf').build([piece for rows in parts for piece in
    ([flow(rows)] if len(rows[0]) > 1 else [Paragraph(text, style) for text, in rows]) + [Spacer(1, 12)]])`

async function makeWord({ folder }: MakeContext, { parts }: KnownDocument): Promise<void> {
  const children = parts.flatMap<docx.Paragraph | docx.Table>(({ rows }) =>
    rows.some((cells) => cells.length > 1)
      ? [
          new docx.Table({
            rows: rows.map(
              (cells) =>
                new docx.TableRow({
                  children: cells.map((text) => new docx.TableCell({ children: [new docx.Paragraph(text)] })),
                }),
            ),
          }),
        ]
      : rows.map(([text = '']) => new docx.Paragraph(text)),
  )
  writeFileSync(
    join(folder, 'made.docx'),
    await docx.Packer.toBuffer(new docx.Document({ sections: [{ children }] })),
  )
}

async function makeSlides({ folder }: MakeContext, { parts }: KnownDocument): Promise<void> {
  const presentation = await createPresentation()
  for (const { rows } of parts) {
    const slide = presentation.addSlide()
    const box = { x: 0.3, y: 0.3, w: 9.4, fontSize: 10 }
    if (rows.some((cells) => cells.length > 1))
      slide.addTable(
        rows.map((cells) => cells.map((text) => ({ text }))),
        box,
      )
    else
      slide.addText(
        rows.map(([text = '']) => ({ text, options: { breakLine: true } })),
        { ...box, h: 4 },
      )
  }
  await presentation.writeFile({ fileName: join(folder, 'made.pptx') })
}

export const makers: readonly [Maker, ...Maker[]] = [
  { program: 'hand', format: 'html', make: () => undefined },
  ...(['docx', 'odt', 'epub', 'rtf', 'md', 'rst', 'org', 'tex', 'fb2', 'dbk', 'pptx'] as const).map(
    createPandocMaker,
  ),
  ...(['mobi', 'azw3', 'epub', 'docx', 'fb2', 'htmlz'] as const).map(createCalibreMaker),
  createOfficeMaker('Writer', 'doc', 'MS Word 97'),
  createOfficeMaker('Writer', 'docx', 'MS Word 2007 XML'),
  createOfficeMaker('Writer', 'odt', 'writer8'),
  createOfficeMaker('Writer', 'rtf', 'Rich Text Format'),
  createOfficeMaker('Writer', 'pdf', 'writer_pdf_Export'),
  createOfficeMaker('Calc', 'xlsx', 'Calc MS Excel 2007 XML'),
  createOfficeMaker('Calc', 'xls', 'MS Excel 97'),
  createOfficeMaker('Calc', 'ods', 'calc8'),
  createOfficeMaker('Calc', 'csv', 'Text - txt - csv (StarCalc):44,34,76'),
  createPdfMaker(
    'Chromium',
    'chromium-headless-shell',
    '--no-sandbox',
    '--disable-gpu',
    '--print-to-pdf=made.pdf',
    'source.html',
  ),
  createPdfMaker('MuPDF', 'mutool', 'convert', '-o', 'made.pdf', 'source.html'),
  createPdfMaker('ReportLab', '/usr/bin/python3', '-c', pdfScript),
  { program: 'XlsxWriter', format: 'xlsx', make: ({ run }) => run('/usr/bin/python3', '-c', workbookScript) },
  { program: 'docx', format: 'docx', make: makeWord },
  { program: 'PptxGenJS', format: 'pptx', make: makeSlides },
]
