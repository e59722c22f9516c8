import * as z from 'zod'
import type { FormatId } from '../formats/index.ts'
import {
  createConversionSpec,
  createProcessFields,
  type ProcessOperation,
  parseTaskSpec,
} from './operation.ts'

export const mergeTypes = ['pdf', 'video', 'audio', 'image'] as const
export type MergeType = (typeof mergeTypes)[number]

/** What a merge writes when no target is named; sound and films become what the first one is. */
export const defaultMergeTargets: Partial<Record<MergeType, FormatId>> = { pdf: 'pdf', image: 'png' }

/** Its files as one, in the order of its inputs. */
export const mergeOperation: ProcessOperation = {
  kind: 'process',
  name: 'merge',
  summary: 'Join files into one, in the order of `input`',
  fields: createProcessFields(
    { merge_type: z.enum(mergeTypes).optional().describe('What the files are; by the first when left out') },
    true,
  ),
  inputs: { min: 1, max: 1000 },
  parseSpec: ({ merge_type: type, ...fields }) => {
    const spec = parseTaskSpec(fields)
    const usual = defaultMergeTargets[type as MergeType] // checked by its schema
    return { ...(usual && { to: usual }), ...spec }
  },
  toConversionSpec: (_files, spec) => createConversionSpec(spec, 'merge'),
}
