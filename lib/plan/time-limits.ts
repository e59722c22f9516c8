import { type Category, type FormatId, formatById } from '../formats/index.ts'
import type { InputPlan } from '../model/job.ts'

/**
 * Time limit of a task over all its attempts, in seconds, by category. The longer limit of all formats on the route
 * applies.
 */
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

/** Number of members of a list that share a time limit; a longer list gets the limit several times. */
const membersPerLimit = 100
const maxListTimeLimitS = 2700

/** Time limit of an import or export task, in seconds. */
export const transferLimitS = 3600

/** Time limit of a website capture over all attempts, in seconds. */
export const captureLimitS = 300

export function getTimeLimitS(inputPlans: readonly InputPlan[]): number {
  const steps = inputPlans.flatMap((inputPlan) => inputPlan.steps)
  if (steps.some(({ operation }) => operation === 'merge')) return mergeTimeLimitS
  // The planner of this service wrote the formats of the steps.
  const formats = steps.flatMap(({ from, to }) => [from, to] as FormatId[])
  const limitS = Math.max(...formats.map((format) => timeLimitS[formatById(format).category]))
  const members = inputPlans.flatMap(({ files }) =>
    files.flatMap(({ each, members = [] }) => (each ? members : [])),
  )
  return Math.min(maxListTimeLimitS, limitS * Math.ceil(Math.max(1, members.length / membersPerLimit)))
}

/** Returns the recommended polling interval in seconds for a task with this time limit. */
export const getPollIntervalS = (limitS: number) => (limitS <= 120 ? 2 : limitS <= 600 ? 5 : 10)
