// The policies of the roles, evaluated as IAM does: nothing is allowed but what a statement allows. They hold no Deny.
import { deadLetterQueueId, queueResourceId } from '../../lib/deployment/references.ts'
import { roleStatements, type Statement } from '../../lib/deployment/roles.ts'
import type { AccessRequest } from '../../lib/local/authorize.ts'
import { functionNames } from '../../lib/resources/functions.ts'
import { queueIds } from '../../lib/resources/queues.ts'

/** One thing that a role may do, as its policy names it. */
export interface Grant {
  readonly role: string
  readonly action: string
  /** ARN with wildcards. */
  readonly resource: string
  /** Partitions of the table, with wildcards, that it is bound to. */
  readonly partitions: readonly string[] | undefined
}

/** As the one-machine service names what the deployment's template calls otherwise. */
const region = 'eu-central-1'
const account = '000000000000'
const arns: Readonly<Record<string, string>> = {
  Table: `arn:aws:dynamodb:${region}:${account}:table/mutabor`,
  Bucket: 'arn:aws:s3:::mutabor',
  Bus: `arn:aws:events:${region}:${account}:event-bus/mutabor`,
  ...Object.fromEntries(
    queueIds.map((id) => [queueResourceId(id), `arn:aws:sqs:${region}:${account}:mutabor-${id}`]),
  ),
  ...Object.fromEntries(
    functionNames.map((name) => [
      deadLetterQueueId(name),
      `arn:aws:sqs:${region}:${account}:mutabor-${name}-dead`,
    ]),
  ),
}
const pseudoParameters: Readonly<Record<string, string>> = {
  'AWS::Partition': 'aws',
  'AWS::Region': region,
  'AWS::AccountId': account,
  WebsocketsApi: 'local',
  'sls:stage': 'local',
}

/** What CloudFormation makes of it. */
function resolveIntrinsics(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(resolveIntrinsics)
  const { 'Fn::GetAtt': getAtt, 'Fn::Sub': text } = value as { 'Fn::GetAtt'?: string[]; 'Fn::Sub'?: string }
  const lookup = (name: string) => {
    const found = name.endsWith('.Arn') ? arns[name.slice(0, -'.Arn'.length)] : pseudoParameters[name]
    if (found === undefined) throw new Error(`a policy names ${name}, which is nowhere`)
    return found
  }
  if (getAtt) return [lookup(getAtt.join('.'))]
  if (text) return [text.replace(/\$\{([^}]+)\}/g, (_, name: string) => lookup(name))]
  throw new Error(`a policy names the resource ${JSON.stringify(value)}`)
}

function grantsOf(role: string, { Action, Resource, Condition = {} }: Statement): Grant[] {
  const { 'ForAllValues:StringLike': like, ...unknown } = Condition
  const { 'dynamodb:LeadingKeys': partitions, ...unknownKeys } = like ?? {}
  const unsupported = [...Object.keys(unknown), ...Object.keys(unknownKeys)]
  if (unsupported.length > 0)
    throw new Error(`a policy has the condition ${unsupported}, which nobody evaluates here`)
  return Action.flatMap((action) =>
    resolveIntrinsics(Resource).map((resource) => ({ role, action, resource, partitions })),
  )
}

/** Everything that the roles of the deployment allow. */
export const allGrants = (): Grant[] =>
  Object.entries(roleStatements()).flatMap(([role, statements]) =>
    statements.flatMap((statement) => grantsOf(role, statement)),
  )

/** `*` stands for any characters. */
function isLike(text: string, pattern: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[\\^$+?.()|[\]{}]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(text)
}

/** The grants by which a role may do what is asked for; of its partitions those that were asked for. */
export function findMatchingGrants(
  grants: readonly Grant[],
  role: string,
  { action, resource, conditionKeys = {} }: AccessRequest,
): Grant[] {
  return grants.flatMap((grant) => {
    if (grant.role !== role || grant.action !== action || !isLike(resource, grant.resource)) return []
    if (!grant.partitions) return [grant]
    const keys = conditionKeys['dynamodb:LeadingKeys']
    // ForAllValues holds where there is no value at all: a call that names no partition would pass on AWS.
    if (!keys?.every((key) => grant.partitions?.some((pattern) => isLike(key, pattern)))) return []
    const met = grant.partitions.filter((pattern) => keys.some((key) => isLike(key, pattern)))
    return [{ ...grant, partitions: met }]
  })
}

/** A grant taken apart into what has to be used of it: itself, and each of its partitions. */
export const claimsOf = ({ role, action, resource, partitions = [] }: Grant): string[] => [
  `${role}: ${action} on ${resource}`,
  ...partitions.map((partition) => `${role}: partition ${partition}`),
]
