import type { Capability, Engine } from '../../engines/engine.ts'
import { AppError } from '../../errors.ts'
import type { ConversionStep } from '../../model/job.ts'

/**
 * Finds the capability of a step.
 * @throws AppError UNSUPPORTED_CONVERSION for a step planned by a different version of the service.
 */
export function findCapability(
  step: ConversionStep,
  engines: readonly Engine[],
): { engine: Engine; capability: Capability } {
  const engine = engines.find(({ id }) => id === step.engine)
  const capability = engine?.capabilities.find(
    ({ operation, from, to }) =>
      operation === step.operation && from.some((id) => id === step.from) && to.some((id) => id === step.to),
  )
  if (engine && capability) return { engine, capability }
  throw new AppError(
    'UNSUPPORTED_CONVERSION',
    `The engine ${step.engine} no longer converts ${step.from} to ${step.to}. Send the file again.`,
  )
}
