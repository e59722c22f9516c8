import type { FormatId } from '../../formats/index.ts'
import type { OfficeFilter, OfficeRequest } from './process.ts'

export type OfficeFamily = OfficeRequest['family']

interface OfficeFormat {
  readonly id: FormatId
  readonly family: OfficeFamily
  /** Import filters, tried in this order. Without explicit filters, LibreOffice would read any garbage as text. */
  readonly read: readonly OfficeFilter[]
  /** Export filter; unset for formats that can only be read. */
  readonly write?: OfficeFilter
}

/** Returns a single filter for both reading and writing. */
function readAndWrite(filter: string): Pick<OfficeFormat, 'read' | 'write'> {
  return { read: [{ filter }], write: { filter } }
}

function readOnly(...filters: readonly string[]): Pick<OfficeFormat, 'read'> {
  return { read: filters.map((filter) => ({ filter })) }
}

const textFilter = { filter: 'Text (encoded)', options: 'UTF8,LF,,,' }
const csvFilter = { filter: 'Text - txt - csv (StarCalc)' }
/**
 * Import options for the output of `copyAsCsv`, in order: separator (comma), quote, UTF-8, first line, column formats
 * (none), language (English), whether quoted fields are text (yes), whether to detect dates (yes).
 */
const tableImport = { ...csvFilter, options: '44,34,76,1,,1033,true,true' }
/**
 * Export options, in order: separator, quote, UTF-8, first line, column formats (none), language, whether to quote all
 * text (no), whether numbers stay numbers (yes), whether to write values as shown (no, as that would round them).
 */
const csvExportOptions = '44,34,76,1,,0,false,true,false'
const tsvExportOptions = '9,34,76,1,,0,false,true,false'

/** Filter names as in LibreOffice's registry (org.openoffice.TypeDetection.Filter). */
const officeFormats: readonly OfficeFormat[] = [
  { id: 'docx', family: 'text', ...readAndWrite('MS Word 2007 XML') },
  { id: 'docm', family: 'text', ...readOnly('MS Word 2007 XML VBA') },
  { id: 'dotx', family: 'text', ...readAndWrite('MS Word 2007 XML Template') },
  { id: 'dotm', family: 'text', ...readOnly('MS Word 2007 XML Template') },
  {
    id: 'doc',
    family: 'text',
    ...readOnly('MS Word 97', 'MS Word 95', 'MS WinWord 6.0'),
    write: { filter: 'MS Word 97' },
  },
  { id: 'dot', family: 'text', ...readOnly('MS Word 97 Vorlage', 'MS Word 95 Vorlage') },
  { id: 'odt', family: 'text', ...readAndWrite('writer8') },
  { id: 'ott', family: 'text', ...readAndWrite('writer8_template') },
  { id: 'fodt', family: 'text', ...readAndWrite('OpenDocument Text Flat XML') },
  { id: 'rtf', family: 'text', ...readAndWrite('Rich Text Format') },
  {
    id: 'txt',
    family: 'text',
    read: [textFilter],
    write: { filter: 'Text (encoded)', options: 'UTF8,LF,,,false' },
  },
  { id: 'html', family: 'text', ...readOnly('HTML (StarWriter)') },
  { id: 'sxw', family: 'text', ...readOnly('StarOffice XML (Writer)') },
  { id: 'wpd', family: 'text', ...readOnly('WordPerfect') },
  { id: 'wps', family: 'text', ...readOnly('MS_Works') },
  { id: 'wri', family: 'text', ...readOnly('MS_Write') },
  { id: 'uot', family: 'text', ...readOnly('UOF text') },
  { id: 'wordml', family: 'text', ...readAndWrite('MS Word 2003 XML') },
  { id: 'hwp', family: 'text', ...readOnly('writer_MIZI_Hwp_97') },
  { id: 'pages', family: 'text', ...readOnly('Apple Pages') },

  { id: 'xlsx', family: 'sheet', ...readAndWrite('Calc MS Excel 2007 XML') },
  { id: 'xlsm', family: 'sheet', ...readOnly('Calc MS Excel 2007 VBA XML') },
  { id: 'xlsb', family: 'sheet', ...readOnly('Calc MS Excel 2007 Binary') },
  { id: 'xltx', family: 'sheet', ...readAndWrite('Calc MS Excel 2007 XML Template') },
  { id: 'xltm', family: 'sheet', ...readOnly('Calc MS Excel 2007 XML Template') },
  {
    id: 'xls',
    family: 'sheet',
    ...readOnly('MS Excel 97', 'MS Excel 95', 'MS Excel 5.0/95', 'MS Excel 4.0'),
    write: { filter: 'MS Excel 97' },
  },
  {
    id: 'xlt',
    family: 'sheet',
    ...readOnly('MS Excel 97 Vorlage/Template', 'MS Excel 5.0/95 Vorlage/Template'),
  },
  { id: 'ods', family: 'sheet', ...readAndWrite('calc8') },
  { id: 'ots', family: 'sheet', ...readAndWrite('calc8_template') },
  { id: 'fods', family: 'sheet', ...readAndWrite('OpenDocument Spreadsheet Flat XML') },
  {
    id: 'csv',
    family: 'sheet',
    read: [tableImport],
    write: { filter: csvFilter.filter, options: csvExportOptions },
  },
  {
    id: 'tsv',
    family: 'sheet',
    read: [tableImport],
    write: { filter: csvFilter.filter, options: tsvExportOptions },
  },
  // Imports the tables of the page, one below another.
  { id: 'html', family: 'sheet', ...readOnly('HTML (StarCalc)') },
  { id: 'dif', family: 'sheet', ...readOnly('DIF') },
  { id: 'slk', family: 'sheet', ...readOnly('SYLK') },
  { id: 'sxc', family: 'sheet', ...readOnly('StarOffice XML (Calc)') },
  { id: 'uos', family: 'sheet', ...readOnly('UOF spreadsheet') },
  { id: 'xmlss', family: 'sheet', ...readOnly('MS Excel 2003 XML Orcus') },
  { id: 'et', family: 'sheet', ...readOnly('MS Excel 97') },
  { id: 'wk1', family: 'sheet', ...readOnly('Lotus', 'WPS_Lotus_Calc') },
  { id: 'wk4', family: 'sheet', ...readOnly('WPS_Lotus_Calc') },
  { id: '123', family: 'sheet', ...readOnly('WPS_Lotus_Calc') },
  { id: 'wb1', family: 'sheet', ...readOnly('WPS_QPro_Calc') },
  { id: 'wb2', family: 'sheet', ...readOnly('Quattro Pro 6.0', 'WPS_QPro_Calc') },
  { id: 'wb3', family: 'sheet', ...readOnly('WPS_QPro_Calc') },
  { id: 'numbers', family: 'sheet', ...readOnly('Apple Numbers') },

  { id: 'pptx', family: 'slides', ...readAndWrite('Impress MS PowerPoint 2007 XML') },
  { id: 'pptm', family: 'slides', ...readOnly('Impress MS PowerPoint 2007 XML VBA') },
  { id: 'ppsx', family: 'slides', ...readAndWrite('Impress MS PowerPoint 2007 XML AutoPlay') },
  { id: 'potx', family: 'slides', ...readAndWrite('Impress MS PowerPoint 2007 XML Template') },
  { id: 'potm', family: 'slides', ...readOnly('Impress MS PowerPoint 2007 XML Template') },
  { id: 'ppt', family: 'slides', ...readAndWrite('MS PowerPoint 97') },
  { id: 'pps', family: 'slides', ...readAndWrite('MS PowerPoint 97 AutoPlay') },
  { id: 'pot', family: 'slides', ...readAndWrite('MS PowerPoint 97 Vorlage') },
  { id: 'odp', family: 'slides', ...readAndWrite('impress8') },
  { id: 'otp', family: 'slides', ...readAndWrite('impress8_template') },
  { id: 'fodp', family: 'slides', ...readAndWrite('OpenDocument Presentation Flat XML') },
  { id: 'dps', family: 'slides', ...readOnly('MS PowerPoint 97') },
  { id: 'uop', family: 'slides', ...readOnly('UOF presentation') },
  { id: 'sxi', family: 'slides', ...readOnly('StarOffice XML (Impress)') },
  { id: 'key', family: 'slides', ...readOnly('Apple Keynote') },

  { id: 'odg', family: 'drawing', ...readAndWrite('draw8') },
  { id: 'otg', family: 'drawing', ...readAndWrite('draw8_template') },
  { id: 'fodg', family: 'drawing', ...readAndWrite('OpenDocument Drawing Flat XML') },
  { id: 'vsd', family: 'drawing', ...readOnly('Visio Document') },
  { id: 'vsdx', family: 'drawing', ...readOnly('Visio Document') },
  { id: 'pub', family: 'drawing', ...readOnly('Publisher Document') },
  { id: 'dxf', family: 'drawing', ...readOnly('DXF - AutoCAD Interchange') },
  {
    id: 'emf',
    family: 'drawing',
    ...readOnly('EMF - MS Windows Metafile'),
    write: { filter: 'draw_emf_Export', firstPageOnly: true },
  },
  {
    id: 'wmf',
    family: 'drawing',
    ...readOnly('WMF - MS Windows Metafile'),
    write: { filter: 'draw_wmf_Export', firstPageOnly: true },
  },
]

/** Targets that are not office formats; each family has its own filter. */
const exportTargets: readonly { id: FormatId; filters: Partial<Record<OfficeFamily, OfficeFilter>> }[] = [
  {
    id: 'pdf',
    filters: {
      text: { filter: 'writer_pdf_Export' },
      sheet: { filter: 'calc_pdf_Export' },
      slides: { filter: 'impress_pdf_Export' },
      drawing: { filter: 'draw_pdf_Export' },
    },
  },
  {
    id: 'html',
    filters: {
      text: { filter: 'HTML (StarWriter)', options: 'EmbedImages' },
      sheet: { filter: 'HTML (StarCalc)', options: 'EmbedImages' },
      slides: { filter: 'XHTML Impress File' },
    },
  },
  { id: 'svg', filters: { drawing: { filter: 'draw_svg_Export', firstPageOnly: true } } },
]

export function listReadableFormats(family: OfficeFamily): FormatId[] {
  return officeFormats.filter((format) => format.family === family).map(({ id }) => id)
}

export function listWritableFormats(family: OfficeFamily): FormatId[] {
  const familyFormats = officeFormats.filter(
    (format) => format.family === family && format.write !== undefined,
  )
  return [...familyFormats, ...exportTargets.filter((target) => target.filters[family] !== undefined)].map(
    ({ id }) => id,
  )
}

/** Returns the filters for a pair of formats. @throws Error when no capability declares the pair. */
export function selectFilters(
  from: FormatId,
  to: FormatId,
): Pick<OfficeRequest, 'family' | 'sources' | 'target'> {
  for (const { id, family, read } of officeFormats) {
    const target = id === from ? findExportFilter(family, to) : undefined
    if (target) return { family, sources: read, target }
  }
  throw new Error(`LibreOffice has no filters from ${from} to ${to}.`)
}

function findExportFilter(family: OfficeFamily, to: FormatId): OfficeFilter | undefined {
  const familyFormats = officeFormats.find((format) => format.id === to && format.family === family)
  return familyFormats?.write ?? exportTargets.find(({ id }) => id === to)?.filters[family]
}
