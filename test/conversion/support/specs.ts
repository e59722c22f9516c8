import type { StoredFile } from '../../../lib/model/job.ts'
import type { ConversionSpec } from '../../../lib/plan/plan-files.ts'
import { file } from '../../jobs/records.ts'

export const createStoredFile = (
  name: string,
  format: string,
  moreFields: Partial<StoredFile> = {},
): StoredFile => ({
  ...file(name),
  format,
  ...moreFields,
})

export const specWith = (
  operation: ConversionSpec['operation'],
  moreFields: Partial<ConversionSpec> = {},
): ConversionSpec => ({
  operation,
  options: {},
  additionalFilesField: 'additionalFile',
  ...moreFields,
})
