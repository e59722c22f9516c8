import * as z from 'zod'
import type { FormatId } from '../formats/index.ts'
import { defined } from '../validation/defined.ts'
import {
  createConversionSpec,
  createProcessFields,
  type ProcessOperation,
  parseTaskSpec,
} from './operation.ts'

export const mergeTypes = ['pdf', 'video', 'audio', 'image'] as const
export type MergeType = (typeof mergeTypes)[number]

/** Default targets of merges. Merged audio and video keep the format of the first file. */
export const defaultMergeTargets: Partial<Record<MergeType, FormatId>> = { pdf: 'pdf', image: 'png' }

/** Merges files into one, in the order of the inputs. */
export const mergeOperation: ProcessOperation = {
  kind: 'process',
  name: 'merge',
  summary: 'Merge files into one, in the order of `input`',
  fields: createProcessFields(
    {
      merge_type: z
        .enum(mergeTypes)
        .optional()
        .describe('Type of the files; by default determined by the first file'),
    },
    true,
  ),
  inputs: { min: 1, max: 1000 },
  parseSpec: ({ merge_type: type, ...fields }) => {
    const spec = parseTaskSpec(fields)
    const defaultTarget = defaultMergeTargets[type as MergeType] // checked by the schema of the task
    return { ...defined({ to: defaultTarget }), ...spec }
  },
  toConversionSpec: (_files, spec) => createConversionSpec(spec, 'merge'),
}
