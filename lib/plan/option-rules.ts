import * as z from 'zod'
import type { Engine } from '../engines/engine.ts'
import { timestampOption } from '../engines/ffmpeg/options.ts'
import { TextPdfOptions, toTextPageSetup } from '../engines/libreoffice/page-setup.ts'
import { isLenientOption } from '../engines/options.ts'
import { AppError } from '../errors.ts'
import type { Operation } from '../model/operations.ts'
import { toCamelCase } from '../names/case-conversion.ts'
import { parseBoolean } from '../validation/coerce.ts'
import { parseInput } from '../validation/parse-input.ts'
import { readsEmptyText } from './options.ts'
import type { ConversionSpec } from './plan-files.ts'

/**
 * Finds problems of a request that do not depend on its file: options that contradict each other or are not enough.
 * They are checked before anything is stored; engines check the same again, because they know the file.
 */

type Options = Readonly<Record<string, unknown>>

export interface OptionCheck {
  readonly operation: Operation
  /** Options as requested, in either spelling. */
  readonly options: Options
  /** Number of files in addition to the first; undefined if it is not known yet. */
  readonly additionalFiles?: number | undefined
}

interface Problem {
  readonly field: string
  /** End of the error message, which follows the name of the field. */
  readonly error: string
  /** Further details of the error. */
  readonly details?: Readonly<Record<string, unknown>>
}

interface OptionRule {
  /** Operations to which the rule applies; all if omitted. */
  readonly operations?: readonly Operation[]
  readonly find: (options: Options, additionalFiles: number | undefined) => Problem | undefined
}

const isSent = (value: unknown) => value !== undefined && value !== ''
const hasAny = (options: Options, names: readonly string[]) => names.some((name) => isSent(options[name]))

/** Whether any of the options is set. Empty text counts, because for metadata it removes an entry. */
const isAnySet = (options: Options, names: readonly string[]) =>
  names.some((name) => options[name] !== undefined)
const isTrue = (value: unknown) => value === true || parseBoolean(String(value)) === true

const marginOptions = ['marginTop', 'marginRight', 'marginBottom', 'marginLeft'] as const
const documentFields = ['title', 'author', 'subject', 'keywords', 'creator', 'producer']
const fileFields = ['title', 'author', 'subject', 'description', 'keywords', 'copyright', 'creationDate']
const gridPlaces: Readonly<Record<string, number>> = { grid2x2: 4, grid3x3: 9 }

const rules: readonly OptionRule[] = [
  {
    find: ({ start, end }) => {
      const [startS, endS] = [start, end].map((value) => timestampOption.safeParse(value).data)
      if (startS === undefined || endS === undefined || endS > startS) return undefined
      return {
        field: 'end',
        error: `expected a time after start, got ${endS} s with start at ${startS} s`,
        details: { reason: 'end-before-start' },
      }
    },
  },
  { operations: ['convert'], find: findTooLargeMargins },
  {
    operations: ['crop-pdf'],
    find: (options) => {
      const hasMargins = hasAny(options, marginOptions)
      if (!hasMargins && !isSent(options['cropBox']))
        return {
          field: 'cropBox',
          error: `expected a box, or at least one of ${marginOptions.join(', ')}`,
          details: { reason: 'nothing-to-do' },
        }
      if (hasMargins && isSent(options['cropBox']))
        return {
          field: 'cropBox',
          error: 'cannot be combined with margins; send one or the other',
          details: { reason: 'either-or' },
        }
      const negativeMargin = marginOptions.find((name) =>
        /^\s*-\d*\.?\d*[1-9]/.test(String(options[name] ?? '')),
      )
      return negativeMargin && { field: negativeMargin, error: 'expected 0 or more' }
    },
  },
  {
    operations: ['add-watermark-pdf', 'watermark'],
    find: ({ watermarkText }, additionalFiles) => {
      const [field, hasText] = ['watermarkText', isSent(watermarkText)]
      if (!hasText && additionalFiles === 0)
        return { field, error: 'expected the text of the watermark, or an image as an additional file' }
      if (!hasText || !additionalFiles) return undefined
      return { field, error: 'got a text and an image as an additional file; send only one of them' }
    },
  },
  {
    operations: ['edit-pdf-metadata'],
    find: (options) => {
      if (isAnySet(options, documentFields) || isTrue(options['removeMetadata'])) return undefined
      return {
        field: 'title',
        error: `expected at least one of ${documentFields.join(', ')}, or removeMetadata`,
        details: { reason: 'nothing-to-do' },
      }
    },
  },
  {
    operations: ['metadata/write'],
    find: (options) => {
      if (isAnySet(options, fileFields) || isTrue(options['strip'])) return undefined
      return {
        field: 'title',
        error: `expected at least one of ${fileFields.join(', ')}, or strip`,
        details: { reason: 'nothing-to-do' },
      }
    },
  },
  {
    operations: ['remove-pdf-pages'],
    find: ({ pages }) => {
      if (typeof pages !== 'string') return undefined
      const removesAllPages = pages
        .toLowerCase()
        .split(',')
        .some((range) => isWholeDocument(range))
      if (!removesAllPages) return undefined
      return { field: 'pages', error: 'expected fewer than all pages', details: { reason: 'all-pages' } }
    },
  },
  {
    operations: ['merge'],
    find: ({ layout }, additionalFiles) => {
      const placeCount = typeof layout === 'string' ? gridPlaces[layout] : undefined
      const fileCount = (additionalFiles ?? 0) + 1
      if (placeCount === undefined || fileCount <= placeCount) return undefined
      return {
        field: 'layout',
        error: `${String(layout)} has ${placeCount} places, got ${fileCount} images. Send fewer images, or set layout to grid`,
        details: { reason: 'too-many-images', max: placeCount },
      }
    },
  },
]

const isWholeDocument = (range: string) => ['1-last', 'last-1'].includes(range.replaceAll(/\s/g, ''))

/** Finds margins that leave no room on paper of the requested size, in both orientations. */
function findTooLargeMargins(options: Options): Problem | undefined {
  if (!isSent(options['pageSize']) || !hasAny(options, marginOptions)) return undefined
  const page = TextPdfOptions.safeParse(options)
  if (!page.success) return undefined
  const {
    short = 0,
    long = 0,
    landscape,
    marginLeft = 0,
    marginRight = 0,
    ...setup
  } = toTextPageSetup(page.data)
  const { marginTop = 0, marginBottom = 0 } = setup
  const width = landscape === false ? short : long
  const height = landscape === true ? short : long
  const problem = {
    error: 'the margins leave no room on the page: choose smaller ones or a larger pageSize',
    details: { reason: 'no-room' },
  }
  if (marginLeft + marginRight >= width) return { field: 'marginLeft', ...problem }
  return marginTop + marginBottom >= height ? { field: 'marginTop', ...problem } : undefined
}

/**
 * Checks the options of a request.
 * @throws AppError INVALID_INPUT for options that contradict each other or are not enough.
 */
export function requireConsistentOptions({ operation, options, additionalFiles }: OptionCheck): void {
  const namedOptions = normalizeOptionNames(options)
  for (const { operations, find } of rules) {
    if (operations && !operations.includes(operation)) continue
    const problem = find(namedOptions, additionalFiles)
    if (problem)
      throw new AppError('INVALID_INPUT', `${problem.field}: ${problem.error}.`, {
        field: problem.field,
        ...problem.details,
      })
  }
}

const normalizeOptionNames = (options: Options): Options =>
  Object.fromEntries(Object.entries(options).map(([name, value]) => [toCamelCase(name), value]))

/**
 * Checks the options of a task whose file has not arrived and whose route is therefore unknown. Finds a value that no
 * conversion to the target accepts, and a missing option that all of them require.
 * @throws AppError UNSUPPORTED_CONVERSION for a target that the operation never has; INVALID_INPUT.
 */
export function requirePossibleOptions(
  { operation, to, options }: Pick<ConversionSpec, 'operation' | 'to' | 'options'>,
  engines: readonly Engine[],
): void {
  const rows = engines.flatMap(({ capabilities }) =>
    capabilities.filter((row) => row.operation === operation && (!to || row.to.includes(to))),
  )
  const shapes = [...new Set(rows.map((row) => row.options))].map(
    ({ shape }) => shape as Readonly<Record<string, z.ZodType>>, // shapes hold types
  )
  const namedOptions = normalizeOptionNames(options)
  for (const name of new Set(shapes.flatMap((shape) => Object.keys(shape)))) {
    const schemas = [...new Set(shapes.flatMap((shape) => shape[name] ?? []))]
    const isEmpty = namedOptions[name] === '' && !schemas.some(readsEmptyText)
    const value = isEmpty ? undefined : namedOptions[name]
    const [schema] = schemas
    const belongsToOtherStep =
      value === undefined && schemas.length > 0 && shapes.some((shape) => !shape[name])
    if (!schema || belongsToOtherStep || schemas.some((schema) => accepts(schema, value))) continue
    parseInput(z.object({ [name]: schema }), { [name]: value }, 'options')
  }
}

const accepts = (schema: z.ZodType, value: unknown) =>
  isLenientOption(schema) || schema.safeParse(value).success
