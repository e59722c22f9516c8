import type { StoredFile } from '../../../lib/model/job.ts'
import type { ConversionSpec } from '../../../lib/plan/plan-files.ts'
import { file } from '../../jobs/records.ts'

export const of = (name: string, format: string, more: Partial<StoredFile> = {}): StoredFile => ({
  ...file(name),
  format,
  ...more,
})

export const specWith = (
  operation: ConversionSpec['operation'],
  more: Partial<ConversionSpec> = {},
): ConversionSpec => ({
  operation,
  options: {},
  additionalFilesField: 'additionalFile',
  ...more,
})
