// AddPermission and RemovePermission write the queue's policy. It is stored and returned, but never evaluated: the
// server has one account, whose keys may do everything.
import * as z from 'zod'
import { invalidValue, missing, SqsError } from './errors.ts'
import { type Action, isAction } from './inputs.ts'
import type { Queue } from './queues.ts'

const maxActions = 7
const maxStatements = 20

/** Actions that AddPermission may not grant, as only the owner may call them. */
const ownerOnly: ReadonlySet<Action> = new Set<Action>([
  'AddPermission',
  'CancelMessageMoveTask',
  'CreateQueue',
  'DeleteQueue',
  'ListMessageMoveTasks',
  'ListQueues',
  'ListQueueTags',
  'RemovePermission',
  'SetQueueAttributes',
  'StartMessageMoveTask',
  'TagQueue',
  'UntagQueue',
])

const Policy = z.looseObject({
  Statement: z.array(z.looseObject({ Sid: z.string().optional() })).default([]),
})

interface Permission {
  readonly Label: string
  readonly AWSAccountIds: readonly string[]
  readonly Actions: readonly string[]
}

export function addPermission(queue: Queue, { Label, AWSAccountIds, Actions }: Permission): string {
  if (!/^[\w-]{1,80}$/.test(Label))
    throw invalidValue(
      'Label',
      Label,
      'Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length.',
    )
  if (Actions.length === 0) throw missing('Actions')
  if (AWSAccountIds.length === 0) throw missing('AWSAccountIds')
  for (const action of Actions) checkAction(action)
  if (Actions.length > maxActions)
    throw new SqsError('OverLimit', `${Actions.length} Actions were found, maximum allowed is ${maxActions}.`)
  const account = AWSAccountIds.find((id) => !/^\d{12}$/.test(id))
  if (account !== undefined)
    throw invalidValue('PrincipalId', account, 'Unable to verify: an account id has 12 digits.')
  const policy = readPolicy(queue)
  if (policy.Statement.some((one) => one.Sid === Label)) throw invalidValue('Label', Label, 'Already exists.')
  if (policy.Statement.length >= maxStatements)
    throw new SqsError('OverLimit', `A policy can have at most ${maxStatements} statements.`)
  const oneOrMore = (values: string[]) => (values.length === 1 ? values[0] : values)
  const statement = {
    Sid: Label,
    Effect: 'Allow',
    Principal: { AWS: oneOrMore(AWSAccountIds.map((id) => `arn:aws:iam::${id}:root`)) },
    Action: oneOrMore(Actions.map((action) => `SQS:${action}`)),
    Resource: queue.arn,
  }
  return JSON.stringify({ ...policy, Statement: [...policy.Statement, statement] })
}

/** Returns the policy without the statement; empty when it was the last one. */
export function removePermission(queue: Queue, label: string): string {
  const policy = readPolicy(queue)
  const rest = policy.Statement.filter((one) => one.Sid !== label)
  if (rest.length === policy.Statement.length) throw invalidValue('Label', label, "can't find label.")
  return rest.length === 0 ? '' : JSON.stringify({ ...policy, Statement: rest })
}

function checkAction(action: string) {
  if (action === '*' || (isAction(action) && !ownerOnly.has(action) && !action.endsWith('Batch'))) return
  throw invalidValue(
    'ActionName',
    action,
    'Please refer to the appropriate WSDL for a list of valid actions.',
  )
}

function readPolicy(queue: Queue): z.infer<typeof Policy> {
  const text = queue.attributes.Policy
  const parsed = Policy.safeParse(text === undefined ? {} : JSON.parse(text))
  const kept = parsed.success ? parsed.data : { Statement: [] }
  return { Version: '2008-10-17', Id: `${queue.arn}/SQSDefaultPolicy`, ...kept }
}
