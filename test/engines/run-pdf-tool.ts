import type { Operation } from '../../lib/engines/engine.ts'
import { pdf } from '../../lib/engines/pdf.ts'
import { convert, type Run, type RunSettings } from './run-engine.ts'

/** Runs PDF tools, on this file where no other is named. */
export const toolsOn =
  (usual: string) =>
  (
    operation: Operation,
    options: RunSettings['options'] = {},
    source = usual,
    settings: RunSettings = {},
  ): Promise<Run> =>
    convert(pdf, source, 'pdf', { operation, options, ...settings })
