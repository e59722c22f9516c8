import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import type { FormatId } from '../formats/index.ts'
import { describeNames } from '../model/warning-details.ts'
import { defined } from '../validation/defined.ts'
import type { Capability, Engine, EngineResult, EngineWork, Tools } from './engine.ts'
import { OfficeFacts } from './libreoffice/bridge.ts'
import {
  listReadableFormats,
  listWritableFormats,
  type OfficeFamily,
  selectFilters,
} from './libreoffice/formats.ts'
import { hasHiddenText } from './libreoffice/hidden-text.ts'
import { createOfficeHost, type HostedOfficeJob } from './libreoffice/host.ts'
import { prepareOfficeSource } from './libreoffice/office-source.ts'
import {
  hasPageChanges,
  PdfOptions,
  SheetPdfOptions,
  TextPdfOptions,
  toSheetPageSetup,
  toTextPageSetup,
} from './libreoffice/page-setup.ts'
import { OfficePool } from './libreoffice/pool.ts'
import type { OfficeFilter, OfficeRequest } from './libreoffice/process.ts'
import { unlock } from './libreoffice/unlock.ts'
import { unlockRows } from './libreoffice/unlock-options.ts'
import { TableOptions } from './shared/text/table-options.ts'
import { withTextOptions } from './shared/text/text-options.ts'
import { warnAboutDamagedParts } from './shared/text/word-text.ts'

const noOptions = z.object({})

/** Seconds for a typical file in a warm process, plus penalties for losses. */
const cost = {
  document: 0.3,
  /** Cost of web pages as a source: only a browser shows them correctly. */
  webPage: 1.5,
  /** Cost of plain text as a target: LibreOffice drops text boxes, notes and table rows from it. */
  plainText: 2,
}

const capabilities: readonly Capability[] = [
  ...unlockRows,
  ...createCapabilities('text', TextPdfOptions).flatMap(withTextOptions(['txt', 'html'])),
  ...createCapabilities('sheet', SheetPdfOptions).flatMap(withTextOptions(['csv', 'tsv', 'html'])),
  ...createCapabilities('slides', PdfOptions),
  ...createCapabilities('drawing', PdfOptions),
]

function createCapabilities(family: OfficeFamily, pdfOptions: z.ZodObject): Capability[] {
  const otherFormats = listWritableFormats(family).filter((to) => to !== 'pdf')
  const from = listReadableFormats(family).filter((id) => id !== 'html')
  const rows: Capability[] = [
    { operation: 'convert', from, to: ['pdf'], options: pdfOptions, cost: cost.document },
    {
      operation: 'convert',
      from,
      to: otherFormats.filter((to) => to !== 'txt'),
      options: noOptions,
      cost: cost.document,
    },
    ...(otherFormats.includes('txt')
      ? [
          {
            operation: 'convert' as const,
            from,
            to: ['txt' as const],
            options: noOptions,
            cost: cost.plainText,
          },
        ]
      : []),
  ]
  if (!listReadableFormats(family).includes('html')) return rows
  const lossWarning =
    'The layout of the page was simplified: it was converted by LibreOffice, not by a browser.'
  const page = { operation: 'convert', from: ['html'], cost: cost.webPage, lossWarning } as const
  const textRows: Capability[] = [
    { ...page, to: ['pdf'], options: pdfOptions },
    // WordprocessingML 2003 is the only target that LibreOffice cannot write from a web page.
    { ...page, to: otherFormats.filter((to) => to !== 'wordml'), options: noOptions },
  ]
  // A web page that is opened as a spreadsheet is reduced to its tables, so PDF and HTML are only offered for text.
  return [
    ...rows,
    ...(family === 'text'
      ? textRows
      : [{ ...page, to: otherFormats.filter((to) => to !== 'html'), options: noOptions }]),
  ]
}

const limits = { memoryMb: 3008, diskMb: 2048, timeoutS: 600 }

export interface LibreOfficeSettings {
  /** Number of LibreOffice processes; each takes a core and 150 to 700 MB. */
  readonly processes?: number
  /** Folder for the processes' files; best on the same disk as the work folders. */
  readonly baseDir?: string
  readonly bridgeDir?: string
  /** Number of documents that a process converts before it is replaced. */
  readonly documents?: number
  /** Seconds without CPU activity after which a document is retried in another process. */
  readonly stallS?: number
}

export function createLibreOffice(settings: LibreOfficeSettings = {}): Engine {
  const pool = new OfficePool({
    size: settings.processes ?? 2,
    // LibreOffice leaks a little with every document, and a new process costs a second.
    maxDocuments: settings.documents ?? 100,
    baseDir: settings.baseDir ?? tmpdir(),
    stallS: settings.stallS ?? 20,
    bridgeDir: settings.bridgeDir ?? fileURLToPath(new URL('../../layers/office', import.meta.url)),
  })
  return {
    id: 'libreoffice',
    image: 'office',
    capabilities,
    limits,
    version: ['soffice', '--version'],
    host: createOfficeHost(pool, limits),
    run: (work, tools) =>
      work.operation === 'unlock'
        ? unlock(work, tools, (password) => convert(work, tools, password))
        : convert(work, tools),
    warm: () => pool.warm(),
    close: () => pool.close(),
  }
}

export const libreoffice = createLibreOffice()

async function convert(work: EngineWork, tools: Tools, password?: string): Promise<EngineResult> {
  const [input] = work.inputs
  if (!input) throw new Error('LibreOffice was called without an input.')
  const { from, to } = work
  const path = join(tools.workDir, `office-result.${to}`)
  const { path: inputPath, ...source } = await prepareOfficeSource(work, input, tools)
  const request = { ...createOfficeRequest(work), name: input.filename, ...source, ...defined({ password }) }
  const job: HostedOfficeJob = { request, from, to, inputPath, outputPath: path }
  const facts = await tools.host(job, () => tools.progress(0.5, 'loaded'))
  const documentFacts = OfficeFacts.parse(facts)
  tools.progress(1, 'stored')
  warnAboutLosses(work, documentFacts, tools)
  if (to === 'html' && (await hasHiddenText(path))) {
    tools.warn(
      'HIDDEN_KEPT',
      'The result contains hidden text of the document. Delete anything that must stay private.',
    )
  }
  return {
    files: [{ path }],
    ...(documentFacts.pages !== undefined && { details: { pages: documentFacts.pages } }),
  }
}

function warnAboutLosses(
  { to, options }: EngineWork,
  {
    sheets = 1,
    shapes = 0,
    shapeWords = 0,
    hidden,
    pages = 1,
    fonts = [],
    missingGlyphs,
    damagedParts = [],
  }: OfficeFacts,
  tools: Tools,
): void {
  if (to === 'pdf' && !PdfOptions.parse(options).embedAllFonts) {
    // Since LibreOffice 5.3, the PDF export always embeds every font.
    tools.warn('OPTION_NOT_HELD', 'embedAllFonts=false has no effect: every font is embedded as a subset.')
  }
  warnAboutDamagedParts(damagedParts, tools)
  const substitutionsWithOtherWidths = fonts.filter((font) => !hasSameWidths(font))
  if (substitutionsWithOtherWidths.length > 0)
    tools.warn(
      'FONTS_SUBSTITUTED',
      describeSubstitutions(substitutionsWithOtherWidths),
      describeNames(substitutionsWithOtherWidths.map(({ name }) => name)),
    )
  if (missingGlyphs && missingGlyphs.total > 0)
    tools.warn('GLYPHS_MISSING', describeMissingGlyphs(missingGlyphs))
  if ((to === 'csv' || to === 'tsv') && TableOptions.parse(options).headers)
    tools.warn('OPTION_NOT_HELD', `headers=true has no effect: ${to} files have no bold text and no pages.`)
  if ((to === 'csv' || to === 'tsv') && sheets > 1) {
    tools.warn(
      'SHEETS_DROPPED',
      `The first of ${sheets} sheets was converted: ${to} stores a single table.`,
      {
        kept: 1,
        total: sheets,
      },
    )
  }
  if (hidden) warnAboutHiddenContent(hidden, to, tools)
  if (shapes > 0) {
    const [shapeCount, words] = [pluralize(shapes, 'drawn shape'), pluralize(shapeWords, 'word')]
    tools.warn(
      'SHAPES_DROPPED',
      `The text of drawn shapes was left out (${words} in ${shapeCount}): ${to} stores only cells.`,
    )
  }
  if (to === 'svg' && pages > 1) {
    tools.warn('PAGES_DROPPED', `The first of ${pages} pages was converted: svg stores a single drawing.`, {
      kept: 1,
      total: pages,
    })
  }
}

/**
 * Warns about hidden content. A PDF does not contain it, because it would not be printed. A text table contains it, as
 * an export from Excel would.
 */
function warnAboutHiddenContent(
  hiddenContent: NonNullable<OfficeFacts['hidden']>,
  to: FormatId,
  tools: Tools,
): void {
  const kinds = (['sheet', 'row', 'column'] as const).flatMap((kind) => {
    const count = hiddenContent[`${kind}s`]
    return count > 0 ? [pluralize(count, `hidden ${kind}`)] : []
  })
  if (kinds.length === 0) return
  const kindList = listFormat.format(kinds)
  if (to === 'csv' || to === 'tsv')
    tools.warn(
      'HIDDEN_KEPT',
      `The result contains ${kindList} of the sheet. Delete anything that must stay private.`,
    )
  else
    tools.warn(
      'HIDDEN_DROPPED',
      `Hidden parts of the workbook were left out: ${kindList}. To include them, unhide them and save the file again.`,
      { sheets: hiddenContent.sheets, rows: hiddenContent.rows, columns: hiddenContent.columns },
    )
}

const listFormat = new Intl.ListFormat('en-GB')

const pluralize = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

function describeMissingGlyphs({ total, characters }: NonNullable<OfficeFacts['missingGlyphs']>): string {
  const characterList = characters.map(
    ({ character, count }) =>
      `${character} (${formatCodePoint(character)}${count > 1 ? `, ${count} times` : ''})`,
  )
  const otherCount = total - characters.reduce((sum, { count }) => sum + count, 0)
  const otherCharactersPhrase = otherCount > 0 ? ` and ${pluralize(otherCount, 'other')}` : ''
  return `No installed font has ${pluralize(total, 'character')} of the document: ${characterList.join(', ')}${otherCharactersPhrase}. They were replaced by blanks or boxes.`
}

const formatCodePoint = (character: string) =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

type FontSubstitution = NonNullable<OfficeFacts['fonts']>[number]

/** Groups of fonts with the same character widths, as in fontconfig's 30-metric-aliases.conf. */
const metricAliases = [
  { names: /^(?:Arial|Helvetica)$/i, replacements: /^(?:Liberation Sans|Arimo|Nimbus Sans)$/ },
  { names: /^(?:Arial|Helvetica) Narrow$/i, replacements: /^(?:Liberation|Nimbus) Sans Narrow$/ },
  { names: /^Times(?: New Roman)?$/i, replacements: /^(?:Liberation Serif|Tinos|Nimbus Roman)$/ },
  { names: /^Courier(?: New)?$/i, replacements: /^(?:Liberation Mono|Cousine|Nimbus Mono PS)$/ },
  { names: /^Calibri$/i, replacements: /^Carlito$/ },
  { names: /^Cambria$/i, replacements: /^Caladea$/ },
  { names: /^Georgia$/i, replacements: /^Gelasio$/ },
] as const

/** Whether lines break in the same places as they would with the missing font. */
const hasSameWidths = ({ name, replacement }: FontSubstitution) =>
  metricAliases.some(({ names, replacements }) => names.test(name) && replacements.test(replacement))

function describeSubstitutions(fonts: readonly FontSubstitution[]): string {
  const pairs = fonts.map(({ name, replacement }) => `${name} was replaced by ${replacement}`)
  return `Fonts that are not installed: ${pairs.join(', ')}; lines may break in other places.`
}

function createOfficeRequest({ from, to, options }: EngineWork): Omit<OfficeRequest, 'name'> {
  const request = selectFilters(from, to)
  if (to !== 'pdf') return request
  switch (request.family) {
    case 'text': {
      const parsedOptions = TextPdfOptions.parse(options)
      const page = toTextPageSetup(parsedOptions)
      // Changing the page styles takes a tenth of the time of a typical conversion, so it is skipped if nothing
      // changes.
      return {
        ...request,
        target: addPdfOptions(request.target, parsedOptions),
        ...(hasPageChanges(page) && { page }),
      }
    }
    case 'sheet': {
      const parsedOptions = SheetPdfOptions.parse(options)
      return {
        ...request,
        target: addPdfOptions(request.target, parsedOptions),
        page: toSheetPageSetup(parsedOptions),
      }
    }
    case 'slides':
    case 'drawing':
      return { ...request, target: addPdfOptions(request.target, PdfOptions.parse(options)) }
  }
}

function addPdfOptions(target: OfficeFilter, { embedAllFonts }: z.infer<typeof PdfOptions>): OfficeFilter {
  return { ...target, data: { UseTaggedPDF: true, EmbedStandardFonts: embedAllFonts, ExportNotes: false } }
}
