import { toolOperations } from '../engines/engine.ts'
import {
  createConversionSpec,
  createProcessFields,
  type ProcessOperation,
  parseTaskSpec,
} from './operation.ts'

/** Every tool of `toolOperation` is also a task: `split-pdf`, `ocr-pdf` and so on. */
export const pdfToolOperations: readonly ProcessOperation[] = toolOperations
  .filter((tool) => tool !== 'compress')
  .map((tool) => ({
    kind: 'process',
    name: tool,
    summary: `The tool ${tool} on a PDF`,
    fields: createProcessFields({}, true),
    inputs: { min: 1, max: 1000 },
    parseSpec: parseTaskSpec,
    // The interface has clients ask for pdf with every tool.
    toConversionSpec: (_files, spec) => createConversionSpec({ to: 'pdf', ...spec }, tool),
  }))
