import { AppError } from '../errors.ts'
import {
  createConversionSpec,
  createProcessFields,
  type ProcessOperation,
  parseTaskSpec,
} from './operation.ts'

/** Converts each file to another format. */
export const convertOperation: ProcessOperation = {
  kind: 'process',
  name: 'convert',
  summary: 'Convert each file to another format',
  fields: createProcessFields({}, true),
  inputs: { min: 1, max: 1000 },
  parseSpec: (fields) => {
    const spec = parseTaskSpec(fields)
    if (spec.to) return spec
    throw new AppError('INVALID_REQUEST', 'output_format is missing: send the target format, such as pdf.', {
      field: 'output_format',
    })
  },
  toConversionSpec: (_files, spec) => createConversionSpec(spec, 'convert'),
}
