import { AppError } from '../errors.ts'
import {
  createConversionSpec,
  createProcessFields,
  type ProcessOperation,
  parseTaskSpec,
} from './operation.ts'

/** Names of the target format in other endpoints and services. */
const misnamedFields = ['targetFormat', 'target_format', 'target', 'format']

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
    const misnamedField = misnamedFields.find((name) => spec.options[name] !== undefined)
    const fieldHint = misnamedField === undefined ? '' : ` Tasks name it output_format, not ${misnamedField}.`
    throw new AppError(
      'INVALID_REQUEST',
      `output_format: it is missing; expected the id of a format such as pdf.${fieldHint}`,
      { field: 'output_format' },
    )
  },
  toConversionSpec: (_files, spec) => createConversionSpec(spec, 'convert'),
}
