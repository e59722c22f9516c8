import { imageIds } from '../component-ids.ts'
import { derivedKeyNames } from '../crypto/derived-keys.ts'
import { type SecretName, secretNamesOf } from '../resources/function-declaration.ts'
import { declarationOf, type FunctionName, functionNames, functions } from '../resources/functions.ts'
import type { Permission } from '../resources/permissions.ts'
import type { QueueId } from '../resources/queues.ts'
import { convertPermissions } from '../resources/role-permissions.ts'
import { defined } from '../validation/defined.ts'
import { isInVpc } from './network.ts'
import { arnOf, deadLetterQueueId, queueResourceId, roleId } from './references.ts'
import { isDeployed, type Stage } from './stage.ts'

export interface Statement {
  readonly Effect: 'Allow'
  readonly Action: readonly string[]
  readonly Resource: unknown
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
}

const allow = (
  Action: readonly string[],
  Resource: unknown,
  Condition?: Statement['Condition'],
): Statement => ({
  Effect: 'Allow',
  Action,
  Resource,
  ...defined({ Condition }),
})

const sub = (text: string) => ({ 'Fn::Sub': text })
const queueArn = (queue: string) => arnOf(queueResourceId(queue as QueueId)) // named by a permission

/** Translates a permission to an IAM statement. */
function toStatement(right: Permission): Statement {
  if ('table' in right) {
    const partitions = right.partitions.map((prefix) => `${prefix}*`)
    // Each of these actions has a partition key; without one, the condition would be met.
    return allow(right.table, arnOf('Table'), {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions },
    })
  }
  if ('index' in right) return allow(['dynamodb:Query'], sub(`\${Table.Arn}/index/${right.index}`))
  if ('files' in right)
    return allow(
      right.files,
      right.prefixes.map((prefix) => sub(`\${Bucket.Arn}/${prefix}*`)),
    )
  if ('list' in right) return allow(['s3:ListBucket'], arnOf('Bucket'))
  if ('queues' in right) return allow(right.actions, right.queues.map(queueArn))
  if ('publish' in right) return allow(['events:PutEvents'], arnOf('Bus'))
  const connections = `arn:\${AWS::Partition}:execute-api:\${AWS::Region}:\${AWS::AccountId}:\${WebsocketsApi}/\${sls:stage}`
  return allow(
    ['execute-api:ManageConnections'],
    right.sockets.map((method) => sub(`${connections}/${method}/@connections/*`)),
  )
}

/** Lambda polls the queue with the role of the function. */
const receiveFrom = (queue: string): Statement =>
  allow(['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'], queueArn(queue))

/** Returns the statements for what Lambda does with the role of a function. */
function lambdaStatements(name: string): Statement[] {
  const { trigger = { queue: name.replace('convert-', '') }, deadLetter } = declarationOf(name) ?? {}
  return [
    ...('queue' in trigger ? [receiveFrom(trigger.queue)] : []),
    ...(deadLetter ? [allow(['sqs:SendMessage'], arnOf(deadLetterQueueId(name)))] : []),
  ]
}

/** Returns the statements of each role, except those for its log, by function name. */
export const roleStatements = (): Readonly<Record<string, readonly Statement[]>> => {
  const declaredPermissions: [string, readonly Permission[]][] = [
    ...functionNames.map((name): [string, readonly Permission[]] => [name, functions[name].rights]),
    ...imageIds.map((image): [string, readonly Permission[]] => [
      `convert-${image}`,
      convertPermissions(image),
    ]),
  ]
  return Object.fromEntries(
    declaredPermissions.map(([name, rights]) => [
      name,
      [...lambdaStatements(name), ...rights.map(toStatement)],
    ]),
  )
}

/** The function that creates the service secret: it runs every minute, so it is the first to run. */
export const secretsCreator: FunctionName = 'sweep'

const createdSecrets: readonly SecretName[] = ['SERVICE_SECRET', ...derivedKeyNames, 'ORIGIN_SECRET']

/** Returns the statements to read secrets, and for `secretsCreator` those to create them. */
function secretStatements(names: readonly SecretName[], canCreate: boolean): Statement[] {
  if (names.length === 0) return []
  const objects = names.map((name) => sub(`\${SecretsBucket.Arn}/${name}`))
  return [
    allow(['s3:GetObject'], objects),
    // Without it, S3 reports a missing object as forbidden.
    allow(['s3:ListBucket'], arnOf('SecretsBucket')),
    allow(['kms:Decrypt'], arnOf('SecretsKey')),
    ...(canCreate
      ? [
          allow(
            ['s3:PutObject'],
            createdSecrets.map((name) => sub(`\${SecretsBucket.Arn}/${name}`)),
          ),
          allow(['secretsmanager:GetSecretValue'], { Ref: 'OriginSecret' }),
          allow(['kms:GenerateDataKey'], arnOf('SecretsKey')),
        ]
      : []),
  ]
}

/** With a customer key, every access to a file or record needs permission to use the key. */
const customerKeyStatements = ({ customerKeyArn }: Stage): Statement[] =>
  customerKeyArn ? [allow(['kms:Decrypt', 'kms:GenerateDataKey'], customerKeyArn)] : []

/** X-Ray's actions that Lambda performs with the role of a traced function. They apply to no resource. */
export const tracingActions: readonly string[] = ['xray:PutTraceSegments', 'xray:PutTelemetryRecords']

const tracingStatements = ({ tracing }: Stage): Statement[] => (tracing ? [allow(tracingActions, '*')] : [])

/**
 * Denies the code of a function the network actions that Lambda itself performs with the function's role. Calls by
 * Lambda have no source function, so the condition does not match them.
 */
const denyNetworkActions = (functionArn: unknown) => ({
  Effect: 'Deny',
  Action: [
    'ec2:CreateNetworkInterface',
    'ec2:DeleteNetworkInterface',
    'ec2:DescribeNetworkInterfaces',
    'ec2:DescribeSubnets',
    'ec2:AssignPrivateIpAddresses',
    'ec2:UnassignPrivateIpAddresses',
  ],
  Resource: '*',
  Condition: { ArnEquals: { 'lambda:SourceFunctionArn': functionArn } },
})
/** The only managed policy in use: permissions to attach a function to a VPC. */
export const vpcAccessPolicy = `arn:\${AWS::Partition}:iam::aws:policy/service-role/AWSLambdaVPCAccessExecutionRole`

function roleResource(functionName: string, statements: readonly Statement[], stage: Stage) {
  const row = declarationOf(functionName)
  const names = row ? secretNamesOf(row) : []
  const isInNetwork = stage.isolation === 'vpc' && isInVpc(declarationOf(functionName))
  const functionArn = `arn:\${AWS::Partition}:lambda:\${AWS::Region}:\${AWS::AccountId}:function:\${self:service}-\${sls:stage}-${functionName}`
  const logGroup = `arn:\${AWS::Partition}:logs:\${AWS::Region}:\${AWS::AccountId}:log-group:/aws/lambda/\${self:service}-\${sls:stage}-${functionName}:*`
  const writeLogs = allow(['logs:CreateLogStream', 'logs:PutLogEvents'], sub(logGroup))
  return {
    Type: 'AWS::IAM::Role',
    Properties: {
      AssumeRolePolicyDocument: {
        Version: '2012-10-17',
        Statement: [
          { Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' },
        ],
      },
      ...(isInNetwork && { ManagedPolicyArns: [sub(vpcAccessPolicy)] }),
      Policies: [
        {
          PolicyName: 'work',
          PolicyDocument: {
            Version: '2012-10-17',
            Statement: [
              writeLogs,
              ...secretStatements(names, functionName === secretsCreator),
              ...customerKeyStatements(stage),
              ...tracingStatements(stage),
              ...statements,
              ...(isInNetwork ? [denyNetworkActions(sub(functionArn))] : []),
            ],
          },
        },
      ],
    },
  }
}

/** Returns one role per function, with only the permissions that this function needs. */
export const roleResources = (stage: Stage) =>
  Object.fromEntries(
    Object.entries(roleStatements())
      .filter(([name]) => isDeployed(name, stage))
      .map(([name, statements]) => [roleId(name), roleResource(name, statements, stage)]),
  )
