import { createValidationError } from './errors.ts'

const arnPatterns = {
  sqs: /^arn:aws[\w-]*:sqs:[\w-]+:\d{12}:[\w-]{1,80}(\.fifo)?$/,
  lambda: /^arn:aws[\w-]*:lambda:[\w-]+:\d{12}:function:[\w-]+(:[\w$-]+)?$/,
  events: /^arn:aws[\w-]*:events:[\w-]+:\d{12}:event-bus\/[\w./-]+$/,
} as const

type TargetService = keyof typeof arnPatterns

const services = Object.keys(arnPatterns) as TargetService[] // keys of a const table

/** Returns the service of an ARN that `checkTargetArn` accepted. */
export function getTargetService(arn: string): TargetService {
  return services.find((service) => arnPatterns[service].test(arn)) ?? 'events'
}

export const getBusName = (arn: string) => arn.slice(arn.indexOf('event-bus/') + 'event-bus/'.length)

export const isFifo = (arn: string) => arn.endsWith('.fifo')

/** Targets can be queues, functions and event buses; AWS supports more services, which do not exist here. */
export function checkTargetArn(
  arn: string,
  account: { readonly createBusArn: (name: string) => string },
): void {
  const service = services.find((one) => arnPatterns[one].test(arn))
  if (service === 'events' && arn !== account.createBusArn(getBusName(arn)))
    throw createValidationError(
      `Parameter ${arn} is not valid. Reason: Only event buses of this account and region can be targets.`,
    )
  if (service) return
  const otherService = /^arn:aws[\w-]*:([\w-]+):/.exec(arn)?.[1]
  if (otherService === undefined || services.some((one) => one === otherService))
    throw createValidationError(
      `Parameter ${arn} is not valid. Reason: Provided Arn is not in correct format.`,
    )
  throw createValidationError(
    `Parameter ${arn} is not valid. Reason: ${otherService} targets are not supported here; use an SQS queue, a Lambda function or an event bus.`,
  )
}

export function checkDeadLetterArn(arn: string | undefined): void {
  if (arn === undefined || (arnPatterns.sqs.test(arn) && !isFifo(arn))) return
  throw createValidationError(
    `Parameter ${arn} is not valid. Reason: A dead-letter queue is a standard SQS queue.`,
  )
}
