import { type Category, type FormatId, formatById } from '../formats/index.ts'
import type { InputPlan } from '../jobs/job.ts'

/** Seconds that a task may take from its first claim, by category of source or target, whichever gives more. */
const timeLimitS = {
  video: 1800,
  audio: 1800,
  image: 120,
  document: 600,
  ebook: 600,
  archive: 900,
  font: 300,
} as const satisfies Record<Category, number>

const mergeTimeLimitS = 2700

/** Of a task that brings files in or out. */
export const transferLimitS = 3600

/** Of a website, all attempts together. */
export const captureLimitS = 300

export function timeLimitOf(inputPlans: readonly InputPlan[]): number {
  const steps = inputPlans.flatMap((inputPlan) => inputPlan.steps)
  if (steps.some(({ operation }) => operation === 'merge')) return mergeTimeLimitS
  // Formats of steps come from our own planner.
  const formats = steps.flatMap(({ from, to }) => [from, to] as FormatId[])
  return Math.max(...formats.map((format) => timeLimitS[formatById(format).category]))
}

/** Seconds after which it is worth asking for the state of a task with this limit. */
export const pollAfterS = (limitS: number) => (limitS <= 120 ? 2 : limitS <= 600 ? 5 : 10)
