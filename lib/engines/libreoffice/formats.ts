import type { FormatId } from '../../formats/index.ts'
import type { OfficeFilter, OfficeRequest } from './process.ts'

export type OfficeFamily = OfficeRequest['family']

interface OfficeFormat {
  readonly id: FormatId
  readonly family: OfficeFamily
  /** Import filters, tried in this order. Named, because left to itself the office reads any rubbish as text. */
  readonly read: readonly OfficeFilter[]
  /** Export filter; left out where the format can only be read. */
  readonly write?: OfficeFilter
}

/** One filter that reads and writes. */
function both(filter: string): Pick<OfficeFormat, 'read' | 'write'> {
  return { read: [{ filter }], write: { filter } }
}

function readOnly(...filters: readonly string[]): Pick<OfficeFormat, 'read'> {
  return { read: filters.map((filter) => ({ filter })) }
}

const plainText = { filter: 'Text (encoded)', options: 'UTF8,LF,,,' }
const table = { filter: 'Text - txt - csv (StarCalc)' }
/** As `tableCopy` gives it: comma, quote, UTF-8, first line, columns, English, quoted is text: yes, dates: yes. */
const tableIn = { ...table, options: '44,34,76,1,,1033,true,true' }
/** Separator, quote, UTF-8, first line, columns, language, quote all: no, numbers: yes, as shown: no, which would round. */
const commaOut = '44,34,76,1,,0,false,true,false'
const tabOut = '9,34,76,1,,0,false,true,false'

/** Names of the filters as in LibreOffice's registry (org.openoffice.TypeDetection.Filter). */
const officeFormats: readonly OfficeFormat[] = [
  { id: 'docx', family: 'text', ...both('MS Word 2007 XML') },
  { id: 'docm', family: 'text', ...readOnly('MS Word 2007 XML VBA') },
  { id: 'dotx', family: 'text', ...both('MS Word 2007 XML Template') },
  { id: 'dotm', family: 'text', ...readOnly('MS Word 2007 XML Template') },
  {
    id: 'doc',
    family: 'text',
    ...readOnly('MS Word 97', 'MS Word 95', 'MS WinWord 6.0'),
    write: { filter: 'MS Word 97' },
  },
  { id: 'dot', family: 'text', ...readOnly('MS Word 97 Vorlage', 'MS Word 95 Vorlage') },
  { id: 'odt', family: 'text', ...both('writer8') },
  { id: 'ott', family: 'text', ...both('writer8_template') },
  { id: 'fodt', family: 'text', ...both('OpenDocument Text Flat XML') },
  { id: 'rtf', family: 'text', ...both('Rich Text Format') },
  {
    id: 'txt',
    family: 'text',
    read: [plainText],
    write: { filter: 'Text (encoded)', options: 'UTF8,LF,,,false' },
  },
  { id: 'html', family: 'text', ...readOnly('HTML (StarWriter)') },
  { id: 'sxw', family: 'text', ...readOnly('StarOffice XML (Writer)') },
  { id: 'wpd', family: 'text', ...readOnly('WordPerfect') },
  { id: 'wps', family: 'text', ...readOnly('MS_Works') },
  { id: 'wri', family: 'text', ...readOnly('MS_Write') },
  { id: 'uot', family: 'text', ...readOnly('UOF text') },
  { id: 'wordml', family: 'text', ...both('MS Word 2003 XML') },
  { id: 'hwp', family: 'text', ...readOnly('writer_MIZI_Hwp_97') },
  { id: 'pages', family: 'text', ...readOnly('Apple Pages') },

  { id: 'xlsx', family: 'sheet', ...both('Calc MS Excel 2007 XML') },
  { id: 'xlsm', family: 'sheet', ...readOnly('Calc MS Excel 2007 VBA XML') },
  { id: 'xlsb', family: 'sheet', ...readOnly('Calc MS Excel 2007 Binary') },
  { id: 'xltx', family: 'sheet', ...both('Calc MS Excel 2007 XML Template') },
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
  { id: 'ods', family: 'sheet', ...both('calc8') },
  { id: 'ots', family: 'sheet', ...both('calc8_template') },
  { id: 'fods', family: 'sheet', ...both('OpenDocument Spreadsheet Flat XML') },
  {
    id: 'csv',
    family: 'sheet',
    read: [tableIn],
    write: { filter: table.filter, options: commaOut },
  },
  {
    id: 'tsv',
    family: 'sheet',
    read: [tableIn],
    write: { filter: table.filter, options: tabOut },
  },
  // Its tables, one below the other.
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

  { id: 'pptx', family: 'slides', ...both('Impress MS PowerPoint 2007 XML') },
  { id: 'pptm', family: 'slides', ...readOnly('Impress MS PowerPoint 2007 XML VBA') },
  { id: 'ppsx', family: 'slides', ...both('Impress MS PowerPoint 2007 XML AutoPlay') },
  { id: 'potx', family: 'slides', ...both('Impress MS PowerPoint 2007 XML Template') },
  { id: 'potm', family: 'slides', ...readOnly('Impress MS PowerPoint 2007 XML Template') },
  { id: 'ppt', family: 'slides', ...both('MS PowerPoint 97') },
  { id: 'pps', family: 'slides', ...both('MS PowerPoint 97 AutoPlay') },
  { id: 'pot', family: 'slides', ...both('MS PowerPoint 97 Vorlage') },
  { id: 'odp', family: 'slides', ...both('impress8') },
  { id: 'otp', family: 'slides', ...both('impress8_template') },
  { id: 'fodp', family: 'slides', ...both('OpenDocument Presentation Flat XML') },
  { id: 'dps', family: 'slides', ...readOnly('MS PowerPoint 97') },
  { id: 'uop', family: 'slides', ...readOnly('UOF presentation') },
  { id: 'sxi', family: 'slides', ...readOnly('StarOffice XML (Impress)') },
  { id: 'key', family: 'slides', ...readOnly('Apple Keynote') },

  { id: 'odg', family: 'drawing', ...both('draw8') },
  { id: 'otg', family: 'drawing', ...both('draw8_template') },
  { id: 'fodg', family: 'drawing', ...both('OpenDocument Drawing Flat XML') },
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

/** Targets that are no office format of their own; each family has its filter. */
const exports: readonly { id: FormatId; filters: Partial<Record<OfficeFamily, OfficeFilter>> }[] = [
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

export function readable(family: OfficeFamily): FormatId[] {
  return officeFormats.filter((format) => format.family === family).map(({ id }) => id)
}

export function writable(family: OfficeFamily): FormatId[] {
  const own = officeFormats.filter((format) => format.family === family && format.write !== undefined)
  return [...own, ...exports.filter((target) => target.filters[family] !== undefined)].map(({ id }) => id)
}

/** The filters of one pair. @throws Error when no capability declares the pair. */
export function filtersOf(
  from: FormatId,
  to: FormatId,
): Pick<OfficeRequest, 'family' | 'sources' | 'target'> {
  for (const { id, family, read } of officeFormats) {
    const target = id === from ? targetFilter(family, to) : undefined
    if (target) return { family, sources: read, target }
  }
  throw new Error(`The office has no filters from ${from} to ${to}.`)
}

function targetFilter(family: OfficeFamily, to: FormatId): OfficeFilter | undefined {
  const own = officeFormats.find((format) => format.id === to && format.family === family)
  return own?.write ?? exports.find(({ id }) => id === to)?.filters[family]
}
