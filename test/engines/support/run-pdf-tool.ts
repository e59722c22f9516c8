import { pdf } from '../../../lib/engines/pdf.ts'
import type { Operation } from '../../../lib/model/operations.ts'
import { convert, type Run, type RunSettings } from './run-engine.ts'

/** Returns a function that runs PDF tools, by default on this file. */
export const createToolRunner =
  (defaultSource: string) =>
  (
    operation: Operation,
    options: RunSettings['options'] = {},
    source = defaultSource,
    settings: RunSettings = {},
  ): Promise<Run> =>
    convert(pdf, source, 'pdf', { operation, options, ...settings })
