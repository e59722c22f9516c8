import { AppError } from '../errors.ts'
import { type ProcessOperation, processFields, specOf, wishOf } from './operation.ts'

/** Each of its files into another format. */
export const convert: ProcessOperation = {
  kind: 'process',
  name: 'convert',
  summary: 'Convert each file to another format',
  fields: processFields({}, true),
  inputs: { min: 1, max: 1000 },
  specOf: (fields) => {
    const spec = specOf(fields)
    if (spec.to) return spec
    throw new AppError(
      'INVALID_INPUT',
      'output_format is missing: name the format to convert to, such as pdf.',
      {
        field: 'output_format',
      },
    )
  },
  wish: (_files, spec) => wishOf(spec, 'convert'),
}
