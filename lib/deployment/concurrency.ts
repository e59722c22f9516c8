import type { FunctionDeclaration } from '../resources/function-declaration.ts'
import { declarationOf, functionNames } from '../resources/functions.ts'
import { queueMappingOf } from '../resources/queue-functions.ts'
import { queueIds } from '../resources/queues.ts'
import { isDeployed, type Stage } from './stage.ts'

type ConcurrencySettings = Pick<Stage, 'conversionsAtATime' | 'facades'>
type StageQuotas = ConcurrencySettings & Pick<Stage, 'name' | 'functionsAtATime'>

/** Returns whether the limit of a function is also reserved for it; functions with a queue can wait. */
export const hasReservedConcurrency = ({ trigger, maximumConcurrency }: FunctionDeclaration): boolean =>
  maximumConcurrency !== undefined && !('queue' in trigger)

/** Returns the concurrency limit of a function; for an image, that of the stage. */
export const maxConcurrencyOf = (
  name: string,
  { conversionsAtATime }: Pick<Stage, 'conversionsAtATime'>,
): number => declarationOf(name)?.maximumConcurrency ?? conversionsAtATime

const reservedDeclarations = (stage: ConcurrencySettings) =>
  functionNames
    .filter((name) => isDeployed(name, stage))
    .flatMap((name) => declarationOf(name) ?? [])
    .filter(hasReservedConcurrency)

/**
 * Returns the sum of all limits. Lambda always keeps 100 of the quota unreserved, which is less than the queues use.
 */
const requiredConcurrency = (stage: ConcurrencySettings): number => {
  const { conversionsAtATime } = stage
  const queueLimits = queueIds.map((queue) => {
    const { maximumConcurrency = conversionsAtATime } = queueMappingOf(queue)
    return maximumConcurrency
  })
  const reservedTotal = reservedDeclarations(stage).map(({ maximumConcurrency = 0 }) => maximumConcurrency)
  return [...queueLimits, ...reservedTotal].reduce((sum, one) => sum + one, 0)
}

/**
 * Returns whether the quota of the account is large enough to reserve concurrency. In new accounts it is not; stage dev
 * is then deployed without reserved concurrency.
 * @throws Error for any other stage
 */
export function canReserveConcurrency(stage: StageQuotas): boolean {
  const requiredTotal = requiredConcurrency(stage)
  if (requiredTotal <= stage.functionsAtATime) return true
  if (stage.name === 'dev') return false
  throw new Error(
    `Stage "${stage.name}" cannot be packaged: its functions need a concurrency of ${requiredTotal}, but functionsAtATime is ${stage.functionsAtATime}. Raise the quota of the account and this setting, or lower conversionsAtATime (${stage.conversionsAtATime}, for each of ${queueIds.length - 2} queues).`,
  )
}
