import type { Capability } from '../../engine.ts'
import { DocxOptions } from '../docx/options.ts'

export const SheetsOptions = DocxOptions.pick({ pages: true, language: true, mode: true })

export const sheetsCapability: Capability = {
  operation: 'convert',
  from: ['pdf'],
  to: ['xlsx', 'csv'],
  options: SheetsOptions,
  // The high cost keeps this step out of routes to other formats, because everything outside tables is lost.
  cost: 1.4,
}
