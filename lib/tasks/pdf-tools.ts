import { toolOperations } from '../engines/engine.ts'
import { type ProcessOperation, processFields, specOf, wishOf } from './operation.ts'

/** Every tool of `toolOperation` is also a task: `split-pdf`, `ocr-pdf` and so on. */
export const pdfTools: readonly ProcessOperation[] = toolOperations
  .filter((tool) => tool !== 'compress')
  .map((tool) => ({
    kind: 'process',
    name: tool,
    summary: `The tool ${tool} on a PDF`,
    fields: processFields({}, true),
    inputs: { min: 1, max: 1000 },
    specOf,
    // The interface has clients ask for pdf with every tool.
    wish: (_files, spec) => wishOf({ to: 'pdf', ...spec }, tool),
  }))
