import { camelCase } from '../case-conversion.ts'
import { AppError } from '../errors.ts'
import type { PlanId } from '../plans.ts'

/** `pdfEngine` asks for a renderer of documents that somebody else hosts. This service has none: `auto` is what it does. */

const field = 'pdfEngine'
const values = ['auto']
const allowedPlans: readonly PlanId[] = ['business', 'self-hosted']

export const isPdfEngine = (option: string) => camelCase(option) === field

/** @throws AppError INSUFFICIENT_PERMISSIONS below the plan that may ask for one, else UNSUPPORTED_CONVERSION. */
export function requireAutoPdfEngine(options: Readonly<Record<string, unknown>>, plan: PlanId): void {
  const other = Object.entries(options).find(
    ([name, value]) => isPdfEngine(name) && value !== '' && String(value).toLowerCase() !== 'auto',
  )
  if (!other) return
  if (!allowedPlans.includes(plan))
    throw new AppError(
      'INSUFFICIENT_PERMISSIONS',
      `${field}: the plan ${plan} allows auto; another renderer needs the plan business. Leave it out, or send auto.`,
      { field, expected: values, plan, reason: 'plan' },
    )
  throw new AppError(
    'UNSUPPORTED_CONVERSION',
    `${field}: no renderer but auto is configured on this service. Leave it out, or send auto.`,
    { field, expected: values },
  )
}
