import type { FunctionDeclaration } from '../resources/function-declaration.ts'
import { functionNames, rowOf } from '../resources/functions.ts'
import { mappingOf } from '../resources/queue-functions.ts'
import { queueIds } from '../resources/queues.ts'
import { isDeployed, type Stage } from './stage.ts'

type Wanted = Pick<Stage, 'conversionsAtATime' | 'facades'>
type Quotas = Wanted & Pick<Stage, 'name' | 'functionsAtATime'>

/** As many as it may have are kept for it; what a queue feeds shares with others, and waits. */
export const isKept = ({ trigger, maximumConcurrency }: FunctionDeclaration): boolean =>
  maximumConcurrency !== undefined && !('queue' in trigger)

/** Invocations of a function at a time; of an image, what the stage says. */
export const mostOf = (name: string, { conversionsAtATime }: Pick<Stage, 'conversionsAtATime'>): number =>
  rowOf(name)?.maximumConcurrency ?? conversionsAtATime

const kept = (stage: Wanted) =>
  functionNames
    .filter((name) => isDeployed(name, stage))
    .flatMap((name) => rowOf(name) ?? [])
    .filter(isKept)

/** Of all functions together. Lambda refuses to keep the last hundred of an account, which is fewer than the queues feed. */
export const wantedAtATime = (stage: Wanted): number => {
  const { conversionsAtATime } = stage
  const ofQueues = queueIds.map((queue) => {
    const { maximumConcurrency = conversionsAtATime } = mappingOf(queue)
    return maximumConcurrency
  })
  const others = kept(stage).map(({ maximumConcurrency = 0 }) => maximumConcurrency)
  return [...ofQueues, ...others].reduce((sum, one) => sum + one, 0)
}

/**
 * Whether the account has room for what is kept. New accounts do not: there, stage dev goes without.
 * @throws Error for a stage that serves people
 */
export function reserves(stage: Quotas): boolean {
  const wanted = wantedAtATime(stage)
  if (wanted <= stage.functionsAtATime) return true
  if (stage.name === 'dev') return false
  throw new Error(
    `Stage "${stage.name}" cannot be packaged: its functions want ${wanted} at a time, and functionsAtATime is ${stage.functionsAtATime}. Raise the quota of the account and this setting, or lower conversionsAtATime (${stage.conversionsAtATime}, for each of ${queueIds.length - 2} queues).`,
  )
}
