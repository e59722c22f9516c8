import * as z from 'zod'
import { AppError } from '../errors.ts'
import type { StoredFile } from '../model/job.ts'
import {
  createConversionSpec,
  createProcessFields,
  type ProcessOperation,
  parseTaskSpec,
} from './operation.ts'

const documentProfiles = ['screen', 'ebook', 'printer', 'prepress'] as const
/** The `quality` that each of the general profiles means. */
const qualityByProfile = { web: 'medium', max: 'low' } as const

/** Makes a file smaller. */
export const compressOperation: ProcessOperation = {
  kind: 'process',
  name: 'compress',
  summary: 'Make a file smaller without changing its format',
  fields: createProcessFields(
    {
      profile: z
        .enum([...documentProfiles, 'web', 'max'])
        .optional()
        .describe('screen, ebook, printer and prepress for PDFs; web or max for any format'),
    },
    false,
  ),
  inputs: { min: 1, max: 1 },
  parseSpec: parseTaskSpec,
  toConversionSpec: (files, spec) => {
    const { profile, ...options } = spec.options
    if (profile === undefined) return createConversionSpec(spec, 'compress')
    if (profile === 'web' || profile === 'max')
      return createConversionSpec(
        { ...spec, options: { quality: qualityByProfile[profile], ...options } },
        'compress',
      )
    requirePdf(files, profile)
    return createConversionSpec({ ...spec, options: { ...options, pdfQuality: profile } }, 'compress-pdf')
  },
}

function requirePdf([first]: readonly StoredFile[], profile: unknown): void {
  if (!first || first.format === 'pdf') return
  throw new AppError(
    'INVALID_INPUT',
    `profile: ${String(profile)} only applies to PDFs, but ${first.filename} is ${first.format}. Use web or max, or leave it out.`,
    { field: 'profile', expected: ['web', 'max'] },
  )
}
