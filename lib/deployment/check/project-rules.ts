import { secretNames } from '../../resources/function-declaration.ts'
import { rowOf } from '../../resources/functions.ts'
import { reserves } from '../concurrency.ts'
import { networkPolicy } from '../roles.ts'
import type { Stage } from '../stage.ts'
import { type Finding, isRecord, type Resource, type Template } from './template.ts'

type Rule = (template: Template, stage: Stage) => Finding[]

const ofType = ({ Resources }: Template, type: string): [string, Resource][] =>
  Object.entries(Resources).filter(([, { Type }]) => Type === type)

const finding = (at: string, says: string): Finding => ({ at, says })

/** All records within a value, however deep. */
function* records(value: unknown): Generator<Readonly<Record<string, unknown>>> {
  if (Array.isArray(value)) for (const one of value) yield* records(one)
  if (!isRecord(value)) return
  yield value
  for (const one of Object.values(value)) yield* records(one)
}

const record = (value: unknown) => (isRecord(value) ? value : {})

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value])

/** A text, also one into which CloudFormation fills something. */
const textOf = (value: unknown) => String(record(value)['Fn::Sub'] ?? value)

/** As the ARN that names everything of a service, `arn:aws:s3:::*`. */
const isEverything = (resource: unknown) =>
  /^(?:arn:[^:]*:[^:]*:[^:]*:[^:]*:)?\*$/.test(textOf(resource).replaceAll(/\$\{[^}]*\}/g, 'filled-in'))

const allowances = (value: unknown) => [...records(value)].filter(({ Effect }) => Effect === 'Allow')

const noWildcards: Rule = ({ Resources }) =>
  Object.entries(Resources)
    .filter(([, { Type }]) => Type.startsWith('AWS::IAM::'))
    .flatMap(([id, { Properties }]) =>
      allowances(Properties)
        .flatMap(({ Action, Resource, NotAction, NotResource }) => [
          ...list(Action).filter((one) => String(one).includes('*')),
          ...list(Resource).filter(isEverything),
          ...[NotAction, NotResource].filter(Boolean).map((but) => `all but ${JSON.stringify(but)}`),
        ])
        .map((one) => finding(id, `allows ${textOf(one)}`)),
    )

/** Rights that AWS or others put together change without us. */
const ownRights: Rule = ({ Resources }) =>
  Object.entries(Resources)
    .filter(([, { Type }]) => Type.startsWith('AWS::IAM::'))
    .flatMap(([id, { Properties }]) =>
      list(Properties?.['ManagedPolicyArns'] ?? [])
        .filter((one) => textOf(one) !== networkPolicy)
        .map((one) => finding(id, `has the rights of ${textOf(one)}`)),
    )

/**
 * A role may be taken by a service, a bucket or queue reached by whom it names: never by everybody. The policy of an
 * endpoint gives no rights of its own, and only those in our network come to it.
 */
const notForAll: Rule = ({ Resources }) =>
  Object.entries(Resources)
    .filter(([, { Type }]) => Type !== 'AWS::EC2::VPCEndpoint')
    .flatMap(([id, { Properties }]) =>
      allowances(Properties)
        .filter(({ Principal }) => list(record(Principal)['AWS'] ?? Principal).includes('*'))
        .map(() => finding(id, 'allows everybody')),
    )

const logsEnd: Rule = (template) => {
  const kept = ofType(template, 'AWS::Logs::LogGroup')
  const names = kept.map(([, { Properties }]) => Properties?.['LogGroupName'])
  return [
    ...kept
      .filter(([, { Properties }]) => !Properties?.['RetentionInDays'])
      .map(([id]) => finding(id, 'keeps logs for ever')),
    ...ofType(template, 'AWS::Lambda::Function')
      .filter(([, { Properties }]) => !names.includes(`/aws/lambda/${Properties?.['FunctionName']}`))
      .map(([id]) => finding(id, 'has no log group, so that its log would be kept for ever')),
  ]
}

const deadLetters: Rule = (template) =>
  ofType(template, 'AWS::SQS::Queue')
    .filter(([id, { Properties }]) => !id.endsWith('DeadLetterQueue') && !Properties?.['RedrivePolicy'])
    .map(([id]) => finding(id, 'has nowhere to put what fails'))

const closedBuckets: Rule = (template) =>
  ofType(template, 'AWS::S3::Bucket')
    .filter(([, { Properties }]) => {
      const block = Properties?.['PublicAccessBlockConfiguration']
      const said = isRecord(block) ? Object.values(block).filter((one) => one === true) : []
      return said.length < 4
    })
    .map(([id]) => finding(id, 'can be opened to the public'))

const nameOf = ({ Properties }: Resource) =>
  String(Properties?.['FunctionName']).replace(/^mutabor-[^-]+-/, '')

/** Where the stage has a network at all. What is out there and has no way to it would hang until its time is up. */
const closedFunctions: Rule = (template, { isolation }) =>
  isolation === 'none'
    ? []
    : ofType(template, 'AWS::Lambda::Function').flatMap(([id, resource]) => {
        const { reaches = [] } = rowOf(nameOf(resource)) ?? {}
        const isInside = resource.Properties?.['VpcConfig'] !== undefined
        if (isInside === (reaches.length === 0)) return []
        return finding(id, isInside ? `cannot reach ${reaches}` : 'has a way out, and its row says no reason')
      })

/** Nothing grows without end, and all together fit into the account. */
const bounded: Rule = (template, stage) => {
  if (!reserves(stage)) return []
  const mapped = ofType(template, 'AWS::Lambda::EventSourceMapping').map(([, { Properties }]) => ({
    id: JSON.stringify(Properties?.['FunctionName']),
    most: Number(record(Properties?.['ScalingConfig'])['MaximumConcurrency']),
  }))
  const bounds = ofType(template, 'AWS::Lambda::Function').map(([id, { Properties }]) => ({
    id,
    most: Number(
      Properties?.['ReservedConcurrentExecutions'] ?? mapped.find((one) => one.id.includes(`"${id}"`))?.most,
    ),
  }))
  const all = bounds.reduce((sum, { most }) => sum + (most || 0), 0)
  return [
    ...bounds.filter(({ most }) => !(most > 0)).map(({ id }) => finding(id, 'may run any number of times')),
    ...(all > stage.functionsAtATime
      ? [finding('functions', `may run ${all} at a time, of ${stage.functionsAtATime}`)]
      : []),
  ]
}

const ways = [
  'Route',
  'InternetGateway',
  'NatGateway',
  'EgressOnlyInternetGateway',
  'VPCGatewayAttachment',
  'VPCPeeringConnection',
  'TransitGatewayAttachment',
]
const noWayOut: Rule = (template) =>
  ways
    .flatMap((way) => ofType(template, `AWS::EC2::${way}`))
    .map(([id]) => finding(id, 'is a way out of the closed network'))

const noSecrets: Rule = (template) =>
  ofType(template, 'AWS::Lambda::Function').flatMap(([id, { Properties }]) =>
    secretNames
      .filter((name) => [...records(Properties?.['Environment'])].some((one) => name in one))
      .map((name) => finding(id, `has ${name} in its environment`)),
  )

const dataStays: Rule = (template) =>
  ['AWS::DynamoDB::Table', 'AWS::S3::Bucket', 'AWS::KMS::Key']
    .flatMap((type) => ofType(template, type))
    .filter(([id, { DeletionPolicy }]) => id !== 'ServerlessDeploymentBucket' && DeletionPolicy !== 'Retain')
    .map(([id]) => finding(id, 'would go with the stack'))

/** What a deployment of this service must not be without. */
export const ownRules = {
  noWildcards,
  ownRights,
  notForAll,
  logsEnd,
  deadLetters,
  closedBuckets,
  closedFunctions,
  bounded,
  noWayOut,
  noSecrets,
  dataStays,
} as const satisfies Readonly<Record<string, Rule>>

export const againstOwnRules: Rule = (template, stage) =>
  Object.entries(ownRules).flatMap(([name, rule]) =>
    rule(template, stage).map(({ at, says }) => finding(at, `${says} (${name})`)),
  )
