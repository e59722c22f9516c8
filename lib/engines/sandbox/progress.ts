import type { Tools } from '../engine.ts'

/** Tools whose progress is a part of that of the whole step. */
export function progressWithin(tools: Tools, from: number, to: number): Tools {
  return { ...tools, progress: (ratio, stage) => tools.progress(from + ratio * (to - from), stage) }
}
