import * as z from 'zod'
import { AppError } from '../errors.ts'
import type { StoredFile } from '../jobs/job.ts'
import { type ProcessOperation, processFields, specOf, wishOf } from './operation.ts'

const documentProfiles = ['screen', 'ebook', 'printer', 'prepress'] as const
/** What a profile means where `quality` is asked for. */
const qualityOf = { web: 'medium', max: 'low' } as const

/** The same file in fewer bytes. */
export const compress: ProcessOperation = {
  kind: 'process',
  name: 'compress',
  summary: 'Make a file smaller without changing its format',
  fields: processFields(
    {
      profile: z
        .enum([...documentProfiles, 'web', 'max'])
        .optional()
        .describe('screen, ebook, printer and prepress for PDFs; web or max for anything'),
    },
    false,
  ),
  inputs: { min: 1, max: 1 },
  specOf,
  wish: (files, spec) => {
    const { profile, ...options } = spec.options
    if (profile === undefined) return wishOf(spec, 'compress')
    if (profile === 'web' || profile === 'max')
      return wishOf({ ...spec, options: { quality: qualityOf[profile], ...options } }, 'compress')
    requireDocument(files, profile)
    return wishOf({ ...spec, options: { ...options, pdfQuality: profile } }, 'compress-pdf')
  },
}

function requireDocument([first]: readonly StoredFile[], profile: unknown): void {
  if (!first || first.format === 'pdf') return
  throw new AppError(
    'INVALID_INPUT',
    `profile: ${String(profile)} is for PDFs, but ${first.filename} is ${first.format}. Use web or max, or leave it out.`,
    { field: 'profile', expected: ['web', 'max'] },
  )
}
