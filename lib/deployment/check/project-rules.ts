import { secretNames } from '../../resources/function-declaration.ts'
import { findDeclaration } from '../../resources/functions.ts'
import { liveAlias } from '../canary.ts'
import { canReserveConcurrency } from '../concurrency.ts'
import { managedPolicies } from '../managed-policies.ts'
import { tracingActions, vpcAccessPolicy } from '../roles.ts'
import type { Stage } from '../stage.ts'
import { isRecord, type Resource, type Template, type TemplateFinding } from './template.ts'

type Rule = (template: Template, stage: Stage) => TemplateFinding[]

const findByType = ({ Resources }: Template, type: string): [string, Resource][] =>
  Object.entries(Resources).filter(([, { Type }]) => Type === type)

const createFinding = (at: string, problem: string): TemplateFinding => ({ at, problem })

/** Yields all objects within a value at any depth. */
function* iterateRecords(value: unknown): Generator<Readonly<Record<string, unknown>>> {
  if (Array.isArray(value)) for (const item of value) yield* iterateRecords(item)
  if (!isRecord(value)) return
  yield value
  for (const item of Object.values(value)) yield* iterateRecords(item)
}

const toRecord = (value: unknown) => (isRecord(value) ? value : {})

const toList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value])

/** Returns a string, or the template of a `Fn::Sub`. */
const toTemplateString = (value: unknown) => String(toRecord(value)['Fn::Sub'] ?? value)

/** Returns whether an ARN matches everything of a service, such as `arn:aws:s3:::*`. */
const isWildcardArn = (resource: unknown) =>
  /^(?:arn:[^:]*:[^:]*:[^:]*:[^:]*:)?\*$/.test(
    toTemplateString(resource).replaceAll(/\$\{[^}]*\}/g, 'filled-in'),
  )

const findAllowStatements = (value: unknown) =>
  [...iterateRecords(value)].filter(({ Effect }) => Effect === 'Allow')

const areTracingActions = (actions: unknown) =>
  toList(actions).every((action) => tracingActions.includes(String(action)))

const noWildcards: Rule = ({ Resources }) =>
  Object.entries(Resources)
    .filter(([, { Type }]) => Type.startsWith('AWS::IAM::'))
    .flatMap(([id, { Properties }]) =>
      findAllowStatements(Properties)
        .flatMap(({ Action, Resource, NotAction, NotResource }) => [
          ...toList(Action).filter((action) => String(action).includes('*')),
          ...(areTracingActions(Action) ? [] : toList(Resource).filter(isWildcardArn)),
          ...[NotAction, NotResource]
            .filter(Boolean)
            .map((exception) => `all but ${JSON.stringify(exception)}`),
        ])
        .map((statement) => createFinding(id, `allows ${toTemplateString(statement)}`)),
    )

/** Managed policies, except `vpcAccessPolicy`, are not allowed, because AWS can change them without a deployment. */
const noManagedPolicies: Rule = ({ Resources }) =>
  Object.entries(Resources)
    .filter(([, { Type }]) => Type.startsWith('AWS::IAM::'))
    .flatMap(([id, { Properties }]) =>
      toList(Properties?.['ManagedPolicyArns'] ?? [])
        .filter((policy) => toTemplateString(policy) !== vpcAccessPolicy)
        .map((policy) => createFinding(id, `has the managed policy ${toTemplateString(policy)}`)),
    )

/**
 * No policy may allow every principal. VPC endpoints are exempt, because their policies grant no permissions, and only
 * functions in the closed network reach them.
 */
const noPublicAccess: Rule = ({ Resources }) =>
  Object.entries(Resources)
    .filter(([, { Type }]) => Type !== 'AWS::EC2::VPCEndpoint')
    .flatMap(([id, { Properties }]) =>
      findAllowStatements(Properties)
        .filter(({ Principal }) => toList(toRecord(Principal)['AWS'] ?? Principal).includes('*'))
        .map(() => createFinding(id, 'allows every principal')),
    )

const logRetention: Rule = (template) => {
  const keptLogGroups = findByType(template, 'AWS::Logs::LogGroup')
  const names = keptLogGroups.map(([, { Properties }]) => Properties?.['LogGroupName'])
  return [
    ...keptLogGroups
      .filter(([, { Properties }]) => !Properties?.['RetentionInDays'])
      .map(([id]) => createFinding(id, 'retains logs forever')),
    ...findByType(template, 'AWS::Lambda::Function')
      .filter(([, { Properties }]) => !names.includes(`/aws/lambda/${Properties?.['FunctionName']}`))
      .map(([id]) => createFinding(id, 'has no log group, so its logs would be retained forever')),
  ]
}

const deadLetterQueues: Rule = (template) =>
  findByType(template, 'AWS::SQS::Queue')
    .filter(([id, { Properties }]) => !id.endsWith('DeadLetterQueue') && !Properties?.['RedrivePolicy'])
    .map(([id]) => createFinding(id, 'has no dead-letter queue'))

const privateBuckets: Rule = (template) =>
  findByType(template, 'AWS::S3::Bucket')
    .filter(([, { Properties }]) => {
      const block = Properties?.['PublicAccessBlockConfiguration']
      const enabledFields = isRecord(block) ? Object.values(block).filter((value) => value === true) : []
      return enabledFields.length < 4
    })
    .map(([id]) => createFinding(id, 'does not block public access'))

const getFunctionName = ({ Properties }: Resource) =>
  String(Properties?.['FunctionName']).replace(/^mutabor-[^-]+-/, '')

/** In a closed network, a call to an outbound target would hang until the function times out. */
const functionsInVpc: Rule = (template, { isolation }) =>
  isolation === 'none'
    ? []
    : findByType(template, 'AWS::Lambda::Function').flatMap(([id, resource]) => {
        const { reaches = [] } = findDeclaration(getFunctionName(resource)) ?? {}
        const isInVpc = resource.Properties?.['VpcConfig'] !== undefined
        if (isInVpc === (reaches.length === 0)) return []
        return createFinding(
          id,
          isInVpc ? `cannot reach ${reaches}` : 'has internet access, but its row gives no reason',
        )
      })

/** Every function must have a concurrency limit, and the sum of all limits must be within the quota of the account. */
const boundedConcurrency: Rule = (template, stage) => {
  if (!canReserveConcurrency(stage)) return []
  const eventSourceLimits = findByType(template, 'AWS::Lambda::EventSourceMapping').map(
    ([, { Properties }]) => ({
      id: JSON.stringify(Properties?.['FunctionName']),
      maxConcurrency: Number(toRecord(Properties?.['ScalingConfig'])['MaximumConcurrency']),
    }),
  )
  const bounds = findByType(template, 'AWS::Lambda::Function').map(([id, { Properties }]) => ({
    id,
    maxReserved: Number(
      Properties?.['ReservedConcurrentExecutions'] ??
        eventSourceLimits.find((eventSourceLimit) => eventSourceLimit.id.includes(`"${id}"`))?.maxConcurrency,
    ),
  }))
  const totalReserved = bounds.reduce((sum, { maxReserved }) => sum + (maxReserved || 0), 0)
  return [
    ...bounds
      .filter(({ maxReserved }) => !(maxReserved > 0))
      .map(({ id }) => createFinding(id, 'has no concurrency limit')),
    ...(totalReserved > stage.functionsAtATime
      ? [
          createFinding(
            'functions',
            `have a total concurrency of ${totalReserved}, above functionsAtATime (${stage.functionsAtATime})`,
          ),
        ]
      : []),
  ]
}

const outboundRouteTypes = [
  'Route',
  'InternetGateway',
  'NatGateway',
  'EgressOnlyInternetGateway',
  'VPCGatewayAttachment',
  'VPCPeeringConnection',
  'TransitGatewayAttachment',
]
const noOutboundRoutes: Rule = (template) =>
  outboundRouteTypes
    .flatMap((routeType) => findByType(template, `AWS::EC2::${routeType}`))
    .map(([id]) => createFinding(id, 'connects the closed network to the outside'))

const noSecretsInEnvironment: Rule = (template) =>
  findByType(template, 'AWS::Lambda::Function').flatMap(([id, { Properties }]) =>
    secretNames
      .filter((name) => [...iterateRecords(Properties?.['Environment'])].some((record) => name in record))
      .map((name) => createFinding(id, `has ${name} in its environment`)),
  )

/**
 * Permissions must name the invoking resource; otherwise, the resources of any AWS account could invoke the function.
 */
const permissionsNameTheirSource: Rule = (template) =>
  findByType(template, 'AWS::Lambda::Permission')
    .filter(([, { Properties }]) => !Properties?.['SourceArn'])
    .map(([id]) => createFinding(id, 'allows a service to invoke a function for any account'))

/** Bucket policies may only give access to AWS services, and each only on behalf of one resource. */
const bucketsNameSources: Rule = (template) =>
  findByType(template, 'AWS::S3::BucketPolicy').flatMap(([id, { Properties }]) =>
    findAllowStatements(Properties)
      .filter(({ Principal, Condition }) => {
        const source = Object.values(toRecord(Condition)).find(
          (operator) => toRecord(operator)['AWS:SourceArn'],
        )
        return toRecord(Principal)['Service'] === undefined || source === undefined
      })
      .map(() => createFinding(id, 'allows access that is not limited to one resource of a service')),
  )

/**
 * Files behind CloudFront must have signed URLs, must not be cached, and must not run scripts at the domain of the
 * page.
 */
const filesAreSigned: Rule = (template) =>
  findByType(template, 'AWS::CloudFront::Distribution').flatMap(([id, { Properties }]) => {
    const { Origins, CacheBehaviors, DefaultCacheBehavior } = toRecord(Properties?.['DistributionConfig'])
    const fileOrigins = toList(Origins)
      .map(toRecord)
      .filter((origin) => origin['S3OriginConfig'])
    const behaviors = [DefaultCacheBehavior, ...toList(CacheBehaviors)]
      .map(toRecord)
      .filter(({ TargetOriginId }) => fileOrigins.some(({ Id }) => Id === TargetOriginId))
    return [
      ...fileOrigins
        .filter((fileOrigin) => !fileOrigin['OriginAccessControlId'])
        .map(({ Id }) => createFinding(id, `reads ${Id} without origin access control`)),
      ...behaviors
        .filter(
          (behavior) =>
            !behavior['TrustedKeyGroups'] ||
            !behavior['ResponseHeadersPolicyId'] ||
            behavior['CachePolicyId'] !== managedPolicies.cachingDisabled,
        )
        .map(({ PathPattern }) =>
          createFinding(
            id,
            `must serve ${PathPattern ?? 'all paths'} with signed URLs, a response headers policy (CSP sandbox) and caching disabled`,
          ),
        ),
    ]
  })

/** For each resource type, a getter of the function that the resource invokes. */
const targetGettersByType: Readonly<
  Record<string, (properties: Readonly<Record<string, unknown>>) => unknown>
> = {
  'AWS::Lambda::EventSourceMapping': ({ FunctionName }) => FunctionName,
  'AWS::Lambda::Permission': ({ FunctionName }) => FunctionName,
  'AWS::ApiGatewayV2::Integration': ({ IntegrationUri }) => IntegrationUri,
  'AWS::Events::Rule': ({ Targets }) => Targets,
}

/**
 * With `canary`, everything must invoke the alias: a resource that invokes the function itself would get the new
 * version immediately.
 */
const releasesAreGradual: Rule = (template, { canary }) =>
  canary === undefined
    ? []
    : Object.entries(targetGettersByType).flatMap(([type, getTarget]) =>
        findByType(template, type)
          .filter(
            ([, { Properties = {} }]) =>
              !new RegExp(`[":/]${liveAlias}"`).test(JSON.stringify(getTarget(Properties))),
          )
          .map(([id]) => createFinding(id, `invokes the newest version instead of the alias ${liveAlias}`)),
      )

const dataIsRetained: Rule = (template) =>
  ['AWS::DynamoDB::Table', 'AWS::S3::Bucket', 'AWS::KMS::Key']
    .flatMap((type) => findByType(template, type))
    .filter(([id, { DeletionPolicy }]) => id !== 'ServerlessDeploymentBucket' && DeletionPolicy !== 'Retain')
    .map(([id]) => createFinding(id, 'would be deleted with the stack'))

/** Rules that every deployment of this service must follow. */
export const projectRules = {
  noWildcards,
  noManagedPolicies,
  noPublicAccess,
  logRetention,
  deadLetterQueues,
  privateBuckets,
  functionsInVpc,
  boundedConcurrency,
  noRoutesOut: noOutboundRoutes,
  noSecretsInEnvironment,
  permissionsNameTheirSource,
  bucketsNameSources,
  filesAreSigned,
  releasesAreGradual,
  dataIsRetained,
} as const satisfies Readonly<Record<string, Rule>>

export const checkProjectRules: Rule = (template, stage) =>
  Object.entries(projectRules).flatMap(([name, rule]) =>
    rule(template, stage).map(({ at, problem }) => createFinding(at, `${problem} (${name})`)),
  )
