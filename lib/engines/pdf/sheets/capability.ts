import type { Capability } from '../../engine.ts'
import { DocxOptions } from '../docx/options.ts'

export const SheetsOptions = DocxOptions.pick({ pages: true, language: true, mode: true })

export const sheetsCapability: Capability = {
  operation: 'convert',
  from: ['pdf'],
  to: ['xlsx', 'csv'],
  options: SheetsOptions,
  // It leaves out all that is in no table: no way to anything but other sheets.
  cost: 1.4,
}
