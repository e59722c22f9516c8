import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { AppError } from '../errors.ts'
import type { FormatId } from '../formats/index.ts'
import {
  documentLocked,
  documentLockUnknown,
  documentStaysLocked,
  isLockable,
} from '../formats/locked-office.ts'
import type { Capability, Engine, EngineResult, EngineWork, Tools } from './engine.ts'
import { OfficeCrash, type OfficeFacts, OfficeStartFailure } from './libreoffice/bridge.ts'
import { filtersOf, type OfficeFamily, readable, writable } from './libreoffice/formats.ts'
import { holdsHiddenText } from './libreoffice/hidden-text.ts'
import { officeSource } from './libreoffice/office-source.ts'
import {
  changesPages,
  PdfOptions,
  SheetPdfOptions,
  sheetPageSetup,
  TextPdfOptions,
  textPageSetup,
} from './libreoffice/page-setup.ts'
import { createOfficePool, type OfficePool } from './libreoffice/pool.ts'
import { type OfficeFilter, OfficeRefusal, type OfficeRequest } from './libreoffice/process.ts'
import { unlock } from './libreoffice/unlock.ts'
import { unlockRows } from './libreoffice/unlock-options.ts'
import { readingAny } from './text/text-options.ts'

const noOptions = z.object({})

/**
 * Seconds for a typical file in a warm process, plus penalties: for web pages, which only a browser shows correctly, and
 * for plain text, from which LibreOffice drops text boxes, notes and the rows of tables.
 */
const cost = { document: 0.3, webPage: 1.5, plainText: 2 }

const capabilities: readonly Capability[] = [
  ...unlockRows,
  ...capabilitiesOf('text', TextPdfOptions).flatMap(readingAny(['txt', 'html'])),
  ...capabilitiesOf('sheet', SheetPdfOptions).flatMap(readingAny(['csv', 'tsv', 'html'])),
  ...capabilitiesOf('slides', PdfOptions),
  ...capabilitiesOf('drawing', PdfOptions),
]

function capabilitiesOf(family: OfficeFamily, pdfOptions: z.ZodObject): Capability[] {
  const rest = writable(family).filter((to) => to !== 'pdf')
  const from = readable(family).filter((id) => id !== 'html')
  const rows: Capability[] = [
    { operation: 'convert', from, to: ['pdf'], options: pdfOptions, cost: cost.document },
    {
      operation: 'convert',
      from,
      to: rest.filter((to) => to !== 'txt'),
      options: noOptions,
      cost: cost.document,
    },
    ...(rest.includes('txt')
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
  if (!readable(family).includes('html')) return rows
  const drops = 'The look of the page was simplified: it was read by an office, not by a browser.'
  const page = { operation: 'convert', from: ['html'], cost: cost.webPage, drops } as const
  const texts: Capability[] = [
    { ...page, to: ['pdf'], options: pdfOptions },
    // WordprocessingML 2003 is the only target that LibreOffice cannot write from a web page.
    { ...page, to: rest.filter((to) => to !== 'wordml'), options: noOptions },
  ]
  // In a spreadsheet, a web page is reduced to its tables, so PDF and HTML are not offered that way.
  return [
    ...rows,
    ...(family === 'text'
      ? texts
      : [{ ...page, to: rest.filter((to) => to !== 'html'), options: noOptions }]),
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
  const pool = createOfficePool({
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
    run: (work, tools) =>
      work.operation === 'unlock'
        ? unlock(work, tools, (password) => convert(pool, work, tools, password))
        : convert(pool, work, tools),
    warm: () => pool.warm(),
    close: () => pool.close(),
  }
}

export const libreoffice = createLibreOffice()

async function convert(
  pool: OfficePool,
  work: EngineWork,
  tools: Tools,
  password?: string,
): Promise<EngineResult> {
  const [input] = work.inputs
  if (!input) throw new Error('The office was given no document.')
  const path = join(work.outDir, `result.${work.to}`)
  const limit = AbortSignal.timeout(limits.timeoutS * 1000)
  try {
    const { path: inputPath, ...seen } = await officeSource(work, input, tools)
    const facts = await pool.convert(
      {
        request: {
          ...requestOf(work),
          name: input.filename,
          ...seen,
          ...(password !== undefined && { password }),
        },
        inputPath,
        inputExtension: work.from,
        outputPath: path,
        outputExtension: work.to,
        onLoaded: () => tools.progress(0.5, 'loaded'),
      },
      AbortSignal.any([tools.signal, limit]),
    )
    tools.progress(1, 'stored')
    tellWhatIsDropped(work, facts, tools)
    if (work.to === 'html' && (await holdsHiddenText(path))) {
      tools.warn('HIDDEN_KEPT', 'The html holds hidden text of the document: delete what nobody is to see.')
    }
    return { files: [{ path }], ...(facts.pages !== undefined && { details: { pages: facts.pages } }) }
  } catch (error) {
    throw limit.aborted && !tools.signal.aborted
      ? timedOut(error)
      : explained(error, work, password !== undefined)
  }
}

function tellWhatIsDropped(
  { to, options }: EngineWork,
  { sheets = 1, shapes = 0, shapeWords = 0, hidden, pages = 1, fonts = [], undrawn }: OfficeFacts,
  tools: Tools,
): void {
  if (to === 'pdf' && !PdfOptions.parse(options).embedAllFonts) {
    // Since LibreOffice 5.3, the PDF export always embeds every font.
    tools.warn(
      'OPTION_NOT_HELD',
      'embedAllFonts=false has no effect: every font is embedded, as the parts that are used.',
    )
  }
  if (fonts.length > 0) tools.warn('FONTS_SUBSTITUTED', substitutions(fonts))
  if (undrawn && undrawn.total > 0) tools.warn('GLYPHS_MISSING', undrawnSigns(undrawn))
  if ((to === 'csv' || to === 'tsv') && sheets > 1) {
    tools.warn('SHEETS_DROPPED', `The first of ${sheets} sheets was converted: ${to} holds one table.`)
  }
  if (hidden) tellHidden(hidden, to, tools)
  if (shapes > 0) {
    const [boxes, words] = [plural(shapes, 'drawn shape'), plural(shapeWords, 'word')]
    tools.warn('SHAPES_DROPPED', `The ${words} of ${boxes} on the sheet were left out: ${to} holds cells.`)
  }
  if (to === 'svg' && pages > 1) {
    tools.warn('PAGES_DROPPED', `The first of ${pages} pages was converted: svg holds one drawing.`)
  }
}

/** Pages contain only what would be printed; tables contain everything, as when exported from Excel. */
function tellHidden(hidden: NonNullable<OfficeFacts['hidden']>, to: FormatId, tools: Tools): void {
  const kinds = (['sheet', 'row', 'column'] as const).flatMap((kind) => {
    const count = hidden[`${kind}s`]
    return count > 0 ? [plural(count, `hidden ${kind}`)] : []
  })
  if (kinds.length === 0) return
  const what = inWords.format(kinds)
  if (to === 'csv' || to === 'tsv')
    tools.warn('HIDDEN_KEPT', `The ${to} holds ${what} of the sheet: delete what nobody is to see.`)
  else
    tools.warn(
      'HIDDEN_DROPPED',
      `What the workbook does not show was left out: ${what}. To have it in the ${to}, show it and save the file again.`,
    )
}

const inWords = new Intl.ListFormat('en-GB')

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

function undrawnSigns({ total, signs }: NonNullable<OfficeFacts['undrawn']>): string {
  const named = signs.map(
    ({ sign, count }) => `${sign} (${codeOf(sign)}${count > 1 ? `, ${count} times` : ''})`,
  )
  const rest = total - signs.reduce((sum, { count }) => sum + count, 0)
  const others = rest > 0 ? ` and ${plural(rest, 'other')}` : ''
  return `No font here has ${plural(total, 'sign')} of the document: ${named.join(', ')}${others}. Blanks or boxes stand in their place.`
}

const codeOf = (sign: string) => `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/** Fonts that are metric-compatible with Calibri, Cambria, Arial, Times New Roman and Courier New. */
const sameWidths = /^(?:Carlito|Caladea|Liberation )/

function substitutions(fonts: NonNullable<OfficeFacts['fonts']>): string {
  const [exact, other] = [true, false].map((wanted) =>
    fonts
      .filter(({ drawnWith }) => sameWidths.test(drawnWith) === wanted)
      .map(({ name, drawnWith }) => `${name} was set in ${drawnWith}`)
      .join(', '),
  )
  return [
    exact && `Not installed here: ${exact}, of the same widths, so that lines break where they did.`,
    other && `Not installed here: ${other}; lines may break elsewhere.`,
  ]
    .filter(Boolean)
    .join(' ')
}

function requestOf({ from, to, options }: EngineWork): Omit<OfficeRequest, 'name'> {
  const request = filtersOf(from, to)
  if (to !== 'pdf') return request
  switch (request.family) {
    case 'text': {
      const parsed = TextPdfOptions.parse(options)
      const page = textPageSetup(parsed)
      // Changing the page styles takes a tenth of a typical conversion, so it is skipped if nothing changes.
      return { ...request, target: pdfTarget(request.target, parsed), ...(changesPages(page) && { page }) }
    }
    case 'sheet': {
      const parsed = SheetPdfOptions.parse(options)
      return { ...request, target: pdfTarget(request.target, parsed), page: sheetPageSetup(parsed) }
    }
    case 'slides':
    case 'drawing':
      return { ...request, target: pdfTarget(request.target, PdfOptions.parse(options)) }
  }
}

function pdfTarget(target: OfficeFilter, { embedAllFonts }: z.infer<typeof PdfOptions>): OfficeFilter {
  return { ...target, data: { UseTaggedPDF: true, EmbedStandardFonts: embedAllFonts, ExportNotes: false } }
}

function timedOut(cause: unknown): AppError {
  const sentence = `The document took longer than the limit of ${limits.timeoutS} seconds. Send a smaller one, or ask for fewer pages.`
  return new AppError('TIMEOUT', sentence, { timeoutS: limits.timeoutS }, { cause })
}

function explained(error: unknown, work: EngineWork, hadPassword: boolean): unknown {
  if (error instanceof OfficeRefusal) return refused(error, work, hadPassword)
  if (error instanceof OfficeCrash && !(error instanceof OfficeStartFailure)) {
    const sentence = `The document could not be converted to ${work.to}: it crashes the office program. Save it again in the program that made it and retry.`
    return new AppError('CONVERSION_FAILED', sentence, { from: work.from, to: work.to }, { cause: error })
  }
  return error
}

function refused(error: OfficeRefusal, { from, to }: EngineWork, hadPassword: boolean): AppError {
  switch (error.reason) {
    case 'password':
      if (hadPassword) return documentStaysLocked(error)
      return isLockable(from) ? documentLocked(error) : documentLockUnknown(error)
    case 'corrupt':
      return new AppError(
        'CORRUPT_FILE',
        `The file is damaged or is no ${from} file: it could not be opened.`,
        { field: 'file', format: from },
        { cause: error },
      )
    case 'margins':
      return new AppError(
        'INVALID_INPUT',
        'The margins leave no room on the page: choose smaller ones or a larger pageSize.',
        { field: 'marginTop' },
        { cause: error },
      )
    case 'wide':
      return new AppError(
        'FILE_TOO_LARGE',
        `A sheet has ${error.message} up to its last cell, too many to be written as ${to} with all that are empty. Delete what stands far away from the rest, or choose another target.`,
        { field: 'file', format: from },
        { cause: error },
      )
    case 'export':
      return new AppError(
        'CONVERSION_FAILED',
        `The ${from} file could be opened, but not saved as ${to}.`,
        { from, to },
        { cause: error },
      )
  }
}
