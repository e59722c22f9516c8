import type { Tools } from '../engine.ts'

/** Returns tools that map progress from 0–1 to a range of the whole step. */
export function progressWithin(tools: Tools, from: number, to: number): Tools {
  return { ...tools, progress: (ratio, stage) => tools.progress(from + ratio * (to - from), stage) }
}
