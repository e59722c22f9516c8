import type { FunctionDeclaration } from '../resources/function-declaration.ts'
import { declarationOf, functionNames } from '../resources/functions.ts'
import { queueMappingOf } from '../resources/queue-functions.ts'
import { queueIds } from '../resources/queues.ts'
import { isDeployed, type Stage } from './stage.ts'

type ConcurrencySettings = Pick<Stage, 'conversionsAtATime' | 'facades'>
type StageQuotas = ConcurrencySettings & Pick<Stage, 'name' | 'functionsAtATime'>

/** As many as it may have are kept for it; what a queue feeds shares with others, and waits. */
export const hasReservedConcurrency = ({ trigger, maximumConcurrency }: FunctionDeclaration): boolean =>
  maximumConcurrency !== undefined && !('queue' in trigger)

/** Invocations of a function at a time; of an image, what the stage says. */
export const maxConcurrencyOf = (
  name: string,
  { conversionsAtATime }: Pick<Stage, 'conversionsAtATime'>,
): number => declarationOf(name)?.maximumConcurrency ?? conversionsAtATime

const reservedDeclarations = (stage: ConcurrencySettings) =>
  functionNames
    .filter((name) => isDeployed(name, stage))
    .flatMap((name) => declarationOf(name) ?? [])
    .filter(hasReservedConcurrency)

/** Of all functions together. Lambda refuses to keep the last hundred of an account, which is fewer than the queues feed. */
export const requiredConcurrency = (stage: ConcurrencySettings): number => {
  const { conversionsAtATime } = stage
  const queueLimits = queueIds.map((queue) => {
    const { maximumConcurrency = conversionsAtATime } = queueMappingOf(queue)
    return maximumConcurrency
  })
  const reserved = reservedDeclarations(stage).map(({ maximumConcurrency = 0 }) => maximumConcurrency)
  return [...queueLimits, ...reserved].reduce((sum, one) => sum + one, 0)
}

/**
 * Whether the account has room for what is kept. New accounts do not: there, stage dev goes without.
 * @throws Error for a stage that serves people
 */
export function canReserveConcurrency(stage: StageQuotas): boolean {
  const required = requiredConcurrency(stage)
  if (required <= stage.functionsAtATime) return true
  if (stage.name === 'dev') return false
  throw new Error(
    `Stage "${stage.name}" cannot be packaged: its functions want ${required} at a time, and functionsAtATime is ${stage.functionsAtATime}. Raise the quota of the account and this setting, or lower conversionsAtATime (${stage.conversionsAtATime}, for each of ${queueIds.length - 2} queues).`,
  )
}
