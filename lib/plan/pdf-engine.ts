import { AppError } from '../errors.ts'
import { toCamelCase } from '../names/case-conversion.ts'
import type { PlanId } from '../plans.ts'

/**
 * `pdfEngine` selects an external document renderer. This service has no external renderers and only supports `auto`.
 */

const field = 'pdfEngine'
const values = ['auto']
const allowedPlans: readonly PlanId[] = ['business', 'self-hosted']

export const isPdfEngine = (option: string) => toCamelCase(option) === field

/**
 * Rejects all values of `pdfEngine` except `auto`.
 * @throws AppError INSUFFICIENT_PERMISSIONS on plans without external renderers, otherwise UNSUPPORTED_CONVERSION.
 */
export function requireAutoPdfEngine(options: Readonly<Record<string, unknown>>, plan: PlanId): void {
  const otherOption = Object.entries(options).find(
    ([name, value]) => isPdfEngine(name) && value !== '' && String(value).toLowerCase() !== 'auto',
  )
  if (!otherOption) return
  if (!allowedPlans.includes(plan))
    throw new AppError(
      'INSUFFICIENT_PERMISSIONS',
      `${field}: the plan ${plan} only allows auto; other renderers require the plan business. Leave it out or send auto.`,
      { field, expected: values, plan, reason: 'plan' },
    )
  throw new AppError(
    'UNSUPPORTED_CONVERSION',
    `${field}: this service only supports auto. Leave it out or send auto.`,
    { field, expected: values },
  )
}
