import * as z from 'zod'
import type { FormatId } from '../formats/index.ts'
import { type ProcessOperation, processFields, specOf, wishOf } from './operation.ts'

export const mergeTypes = ['pdf', 'video', 'audio', 'image'] as const
export type MergeType = (typeof mergeTypes)[number]

/** What a merge writes when no target is named; sound and films become what the first one is. */
export const usualTarget: Partial<Record<MergeType, FormatId>> = { pdf: 'pdf', image: 'png' }

/** Its files as one, in the order of its inputs. */
export const merge: ProcessOperation = {
  kind: 'process',
  name: 'merge',
  summary: 'Join files into one, in the order of `input`',
  fields: processFields(
    { merge_type: z.enum(mergeTypes).optional().describe('What the files are; by the first when left out') },
    true,
  ),
  inputs: { min: 1, max: 1000 },
  specOf: ({ merge_type: type, ...fields }) => {
    const spec = specOf(fields)
    const usual = usualTarget[type as MergeType] // checked by its schema
    return { ...(usual && { to: usual }), ...spec }
  },
  wish: (_files, spec) => wishOf(spec, 'merge'),
}
