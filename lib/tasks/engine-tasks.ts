import type { FormatId } from '../formats/index.ts'
import type { Operation } from '../model/operations.ts'
import { defined } from '../validation/defined.ts'
import {
  createConversionSpec,
  createProcessFields,
  type ProcessOperation,
  parseTaskSpec,
} from './operation.ts'

interface EngineOperation {
  readonly name: Operation
  readonly summary: string
  readonly inputs: ProcessOperation['inputs']
  /** Default target; if omitted, the source format. */
  readonly to?: FormatId
}

/** Operations without additional task fields. */
const rows: readonly EngineOperation[] = [
  {
    name: 'thumbnail',
    summary: 'Create thumbnails of an image, video or PDF',
    inputs: { min: 1, max: 1 },
    to: 'png',
  },
  {
    name: 'watermark',
    summary: 'Add a watermark to an image, video or PDF: a text, or the image of the second input',
    inputs: { min: 1, max: 2 },
  },
  {
    name: 'metadata',
    summary: 'Read the metadata of a file as JSON',
    inputs: { min: 1, max: 1 },
    to: 'json',
  },
  { name: 'metadata/write', summary: 'Change the metadata of a file', inputs: { min: 1, max: 1 } },
  { name: 'archive', summary: 'Pack files into an archive', inputs: { min: 1, max: 1000 }, to: 'zip' },
  { name: 'extract', summary: 'Extract the files of an archive', inputs: { min: 1, max: 1 } },
]

export const engineOperations: readonly ProcessOperation[] = rows.map(({ name, summary, inputs, to }) => ({
  kind: 'process',
  name,
  summary,
  inputs,
  parseSpec: parseTaskSpec,
  fields: createProcessFields({}, true),
  toConversionSpec: (_files, spec) => createConversionSpec({ ...defined({ to }), ...spec }, name),
}))
