import type { Operation } from '../engines/engine.ts'
import type { FormatId } from '../formats/index.ts'
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
  /** The target when none is named; that of the source when left out. */
  readonly to?: FormatId
}

/** Operations of which nothing has to be said but what the engines say of them. */
const rows: readonly EngineOperation[] = [
  {
    name: 'thumbnail',
    summary: 'Small pictures of a picture, film or PDF',
    inputs: { min: 1, max: 1 },
    to: 'png',
  },
  {
    name: 'watermark',
    summary: 'Text, or the picture of the second input, over a picture, film or PDF',
    inputs: { min: 1, max: 2 },
  },
  {
    name: 'metadata',
    summary: 'What a file says of itself, as JSON',
    inputs: { min: 1, max: 1 },
    to: 'json',
  },
  { name: 'metadata/write', summary: 'Change what a file says of itself', inputs: { min: 1, max: 1 } },
  { name: 'archive', summary: 'Pack files into an archive', inputs: { min: 1, max: 1000 }, to: 'zip' },
  { name: 'extract', summary: 'Take the files out of an archive', inputs: { min: 1, max: 1 } },
]

export const engineOperations: readonly ProcessOperation[] = rows.map(({ name, summary, inputs, to }) => ({
  kind: 'process',
  ...{ name, summary, inputs, parseSpec: parseTaskSpec },
  fields: createProcessFields({}, true),
  toConversionSpec: (_files, spec) => createConversionSpec({ ...(to && { to }), ...spec }, name),
}))
