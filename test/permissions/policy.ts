// Evaluates the policies of the roles like IAM: only what a statement allows is allowed. The policies contain no Deny.
import { getDeadLetterQueueId, getQueueResourceId } from '../../lib/deployment/references.ts'
import { createRoleStatements, type Statement } from '../../lib/deployment/roles.ts'
import type { AccessRequest } from '../../lib/embedded-aws/authorize.ts'
import { functionNames } from '../../lib/resources/functions.ts'
import { queueIds } from '../../lib/resources/queues.ts'

/** One permission in the policy of a role. */
export interface Grant {
  readonly role: string
  readonly action: string
  /** ARN with wildcards. */
  readonly resource: string
  /** Partition keys, with wildcards, to which the permission is limited. */
  readonly partitions: readonly string[] | undefined
}

const region = 'eu-central-1'
const account = '000000000000'
/** The ARN that each resource of the deployment's template has when the service runs on one machine, by resource id. */
const arns: Readonly<Record<string, string>> = {
  Table: `arn:aws:dynamodb:${region}:${account}:table/mutabor`,
  Bucket: 'arn:aws:s3:::mutabor',
  Bus: `arn:aws:events:${region}:${account}:event-bus/mutabor`,
  ...Object.fromEntries(
    queueIds.map((id) => [getQueueResourceId(id), `arn:aws:sqs:${region}:${account}:mutabor-${id}`]),
  ),
  ...Object.fromEntries(
    functionNames.map((name) => [
      getDeadLetterQueueId(name),
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

/** Resolves intrinsic functions like CloudFormation. */
function resolveIntrinsics(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(resolveIntrinsics)
  const { 'Fn::GetAtt': getAtt, 'Fn::Sub': text } = value as { 'Fn::GetAtt'?: string[]; 'Fn::Sub'?: string }
  const lookup = (name: string) => {
    const foundValue = name.endsWith('.Arn') ? arns[name.slice(0, -'.Arn'.length)] : pseudoParameters[name]
    if (foundValue === undefined) throw new Error(`A policy refers to ${name}, which is not defined here.`)
    return foundValue
  }
  if (getAtt) return [lookup(getAtt.join('.'))]
  if (text) return [text.replace(/\$\{([^}]+)\}/g, (_, name: string) => lookup(name))]
  throw new Error(`Expected Fn::GetAtt or Fn::Sub as the resource of a policy, got ${JSON.stringify(value)}.`)
}

function listGrantsOfStatement(role: string, { Action, Resource, Condition = {} }: Statement): Grant[] {
  const { 'ForAllValues:StringLike': like, ...unknown } = Condition
  const { 'dynamodb:LeadingKeys': partitions, ...unknownKeys } = like ?? {}
  const unsupportedKeys = [...Object.keys(unknown), ...Object.keys(unknownKeys)]
  if (unsupportedKeys.length > 0)
    throw new Error(`a policy has the condition ${unsupportedKeys}, which is not evaluated here`)
  return Action.flatMap((action) =>
    resolveIntrinsics(Resource).map((resource) => ({ role, action, resource, partitions })),
  )
}

/** Returns all permissions of the deployed roles. */
export const listGrants = (): Grant[] =>
  Object.entries(createRoleStatements()).flatMap(([role, statements]) =>
    statements.flatMap((statement) => listGrantsOfStatement(role, statement)),
  )

/** Matches a pattern in which `*` means any characters. */
function isLike(text: string, pattern: string): boolean {
  const literals = pattern.split('*').map((literal) => literal.replace(/[\\^$+?.()|[\]{}]/g, '\\$&'))
  return new RegExp(`^${literals.join('.*')}$`, 's').test(text)
}

/** Returns the grants that allow a request, with only those of their partitions that the request uses. */
export function findMatchingGrants(
  grants: readonly Grant[],
  role: string,
  { action, resource, conditionKeys = {} }: AccessRequest,
): Grant[] {
  return grants.flatMap((grant) => {
    if (grant.role !== role || grant.action !== action || !isLike(resource, grant.resource)) return []
    if (!grant.partitions) return [grant]
    const keys = conditionKeys['dynamodb:LeadingKeys']
    // On AWS, ForAllValues would also allow a request without any partition key; here such a request is denied.
    if (!keys?.every((key) => grant.partitions?.some((pattern) => isLike(key, pattern)))) return []
    const matchedPartitions = grant.partitions.filter((pattern) => keys.some((key) => isLike(key, pattern)))
    return [{ ...grant, partitions: matchedPartitions }]
  })
}

/** Returns everything of a grant that must be used: the grant itself and each of its partitions. */
export const listClaims = ({ role, action, resource, partitions = [] }: Grant): string[] => [
  `${role}: ${action} on ${resource}`,
  ...partitions.map((partition) => `${role}: partition ${partition}`),
]
