import { toolOperations } from '../model/operations.ts'
import {
  createConversionSpec,
  createProcessFields,
  type ProcessOperation,
  parseTaskSpec,
} from './operation.ts'

/** Every value of `toolOperation` is also a task operation, such as `split-pdf` and `ocr-pdf`. */
export const pdfToolOperations: readonly ProcessOperation[] = toolOperations
  .filter((tool) => tool !== 'compress')
  .map((tool) => ({
    kind: 'process',
    name: tool,
    summary: `Apply the tool ${tool} to a PDF`,
    fields: createProcessFields({}, true),
    inputs: { min: 1, max: 1000 },
    parseSpec: parseTaskSpec,
    // Clients send pdf as the target with every tool, although some tools produce another format.
    toConversionSpec: (_files, spec) => createConversionSpec({ to: 'pdf', ...spec }, tool),
  }))
