import type { FunctionDeclaration } from '../resources/function-declaration.ts'
import { type FunctionName, findDeclaration, functionNames } from '../resources/functions.ts'
import { getFunctionForQueue } from '../resources/queue-functions.ts'
import { queueIds } from '../resources/queues.ts'
import { isDeployed, type Stage } from './stage.ts'
import { stageProfiles } from './stage-profiles.ts'

type ConcurrencyLimits = Pick<Stage, 'conversionsAtATime' | 'concurrency'>
type ConcurrencySettings = ConcurrencyLimits & Pick<Stage, 'facades'>
type StageQuotas = ConcurrencySettings & Pick<Stage, 'name' | 'functionsAtATime' | 'reservesConcurrency'>

/** The part of the quota that Lambda does not allow to be reserved. */
const unreservableConcurrency = 100

/**
 * Returns whether concurrency is reserved for a function, up to its limit. Functions with a queue need none: messages
 * can wait.
 */
export const hasReservedConcurrency = ({ trigger, maximumConcurrency }: FunctionDeclaration): boolean =>
  maximumConcurrency !== undefined && !('queue' in trigger)

/** Returns the concurrency limit of a function; functions of images have the limit of the stage. */
export const getMaxConcurrency = (
  name: string,
  { conversionsAtATime, concurrency }: ConcurrencyLimits,
): number =>
  // `concurrency` has no entries for functions of images.
  concurrency[name as FunctionName] ?? findDeclaration(name)?.maximumConcurrency ?? conversionsAtATime

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

/** Returns the sum of the limits that are reserved for functions. */
export const sumReservedConcurrency = (stage: ConcurrencySettings): number =>
  sum(
    functionNames
      .filter((name) => isDeployed(name, stage))
      .flatMap((name) => {
        const declaration = findDeclaration(name)
        return declaration && hasReservedConcurrency(declaration) ? [getMaxConcurrency(name, stage)] : []
      }),
  )

/**
 * Returns the sum of all limits. The 100 executions that Lambda keeps unreserved need not be added, because the
 * functions of queues, which reserve nothing, use more.
 */
const sumRequiredConcurrency = (stage: ConcurrencySettings): number =>
  sumReservedConcurrency(stage) +
  sum(queueIds.map((queue) => getMaxConcurrency(getFunctionForQueue(queue) ?? `convert-${queue}`, stage)))

/**
 * Returns whether concurrency is reserved. In new accounts the quota is too low; stage dev is then deployed without
 * reserved concurrency.
 * @throws Error for any other stage
 */
export function canReserveConcurrency(stage: StageQuotas): boolean {
  if (!stage.reservesConcurrency) return false
  const requiredTotal = sumRequiredConcurrency(stage)
  if (requiredTotal <= stage.functionsAtATime) return true
  if (stage.name === 'dev') return false
  throw new Error(
    `Stage "${stage.name}" cannot be packaged: its functions need a concurrency of ${requiredTotal}, but functionsAtATime is ${stage.functionsAtATime}. Raise the quota of the account and this setting, or lower conversionsAtATime (${stage.conversionsAtATime}, for each of ${queueIds.length - 2} queues).`,
  )
}

/** Describes the concurrency that a stage needs from its account, and which quotas to raise for it. */
export function describeQuotas(stage: StageQuotas & Pick<Stage, 'profile' | 'functionMb'>): string {
  const { name, profile, functionsAtATime, functionMb } = stage
  const requiredTotal = sumRequiredConcurrency(stage)
  const reservedTotal = canReserveConcurrency(stage) ? sumReservedConcurrency(stage) : 0
  const { small: smallProfile } = stageProfiles
  const settingsToRaise = [
    ...(functionsAtATime > smallProfile.functionsAtATime
      ? [`concurrent executions to ${functionsAtATime}`]
      : []),
    ...(functionMb > smallProfile.functionMb ? [`memory of a function to ${functionMb} MB`] : []),
  ]
  const reservationText =
    reservedTotal === 0
      ? `nothing is reserved, and all functions share ${functionsAtATime}`
      : `${reservedTotal} of ${functionsAtATime} are reserved; other stages in the account can reserve ${functionsAtATime - reservedTotal - unreservableConcurrency}`
  return [
    `Stage ${name} (${profile}): the concurrency limits add up to ${requiredTotal}; ${reservationText}.`,
    settingsToRaise.length > 0
      ? `Quotas that a new account has to raise: ${settingsToRaise.join(', ')}.`
      : 'It fits into a new account.',
  ].join('\n')
}
