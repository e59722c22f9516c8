import { imageIds } from '../component-ids.ts'
import { derivedKeyNames } from '../crypto/derived-keys.ts'
import { getSecretNames, type SecretName } from '../resources/function-declaration.ts'
import { type FunctionName, findDeclaration, functionNames, functions } from '../resources/functions.ts'
import type { Permission } from '../resources/permissions.ts'
import type { QueueId } from '../resources/queues.ts'
import { createConvertPermissions } from '../resources/role-permissions.ts'
import { defined } from '../validation/defined.ts'
import { isInVpc } from './network.ts'
import { createArnReference, getDeadLetterQueueId, getQueueResourceId, getRoleId } from './references.ts'
import { isDeployed, type Stage } from './stage.ts'

export interface Statement {
  readonly Effect: 'Allow'
  readonly Action: readonly string[]
  readonly Resource: unknown
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
}

const createAllowStatement = (
  Action: readonly string[],
  Resource: unknown,
  Condition?: Statement['Condition'],
): Statement => ({
  Effect: 'Allow',
  Action,
  Resource,
  ...defined({ Condition }),
})

const createSubstitution = (text: string) => ({ 'Fn::Sub': text })
const createQueueArn = (queue: string) => createArnReference(getQueueResourceId(queue as QueueId)) // named by a permission

/** Translates a permission to an IAM statement. */
function toStatement(permission: Permission): Statement {
  if ('table' in permission) {
    const partitions = permission.partitions.map((prefix) => `${prefix}*`)
    // Each of these actions has a partition key. The condition would always hold for an action without a partition key.
    return createAllowStatement(permission.table, createArnReference('Table'), {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions },
    })
  }
  if ('index' in permission)
    return createAllowStatement(
      ['dynamodb:Query'],
      createSubstitution(`\${Table.Arn}/index/${permission.index}`),
    )
  if ('files' in permission)
    return createAllowStatement(
      permission.files,
      permission.prefixes.map((prefix) => createSubstitution(`\${Bucket.Arn}/${prefix}*`)),
    )
  if ('list' in permission) return createAllowStatement(['s3:ListBucket'], createArnReference('Bucket'))
  if ('queues' in permission)
    return createAllowStatement(permission.actions, permission.queues.map(createQueueArn))
  if ('publish' in permission) return createAllowStatement(['events:PutEvents'], createArnReference('Bus'))
  const connections = `arn:\${AWS::Partition}:execute-api:\${AWS::Region}:\${AWS::AccountId}:\${WebsocketsApi}/\${sls:stage}`
  return createAllowStatement(
    ['execute-api:ManageConnections'],
    permission.sockets.map((method) => createSubstitution(`${connections}/${method}/@connections/*`)),
  )
}

/** Lambda polls the queue with the role of the function. */
const createReceiveStatement = (queue: string): Statement =>
  createAllowStatement(
    ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
    createQueueArn(queue),
  )

/** Returns the statements for actions that Lambda itself performs with the role of a function. */
function createLambdaStatements(name: string): Statement[] {
  const { trigger = { queue: name.replace('convert-', '') }, deadLetter } = findDeclaration(name) ?? {}
  return [
    ...('queue' in trigger ? [createReceiveStatement(trigger.queue)] : []),
    ...(deadLetter
      ? [createAllowStatement(['sqs:SendMessage'], createArnReference(getDeadLetterQueueId(name)))]
      : []),
  ]
}

/** Returns the statements of each role, except those for its log, by function name. */
export const createRoleStatements = (): Readonly<Record<string, readonly Statement[]>> => {
  const declaredPermissions: [string, readonly Permission[]][] = [
    ...functionNames.map((name): [string, readonly Permission[]] => [name, functions[name].rights]),
    ...imageIds.map((image): [string, readonly Permission[]] => [
      `convert-${image}`,
      createConvertPermissions(image),
    ]),
  ]
  return Object.fromEntries(
    declaredPermissions.map(([name, permissions]) => [
      name,
      [...createLambdaStatements(name), ...permissions.map(toStatement)],
    ]),
  )
}

/**
 * The function that creates the secrets of the service. It runs every minute, so it is the first function to run after
 * a deployment.
 */
export const secretsCreator: FunctionName = 'sweep'

const createdSecrets: readonly SecretName[] = ['SERVICE_SECRET', ...derivedKeyNames, 'ORIGIN_SECRET']

/** Returns the statements for reading secrets and, for `secretsCreator`, those for creating them. */
function createSecretStatements(names: readonly SecretName[], canCreate: boolean): Statement[] {
  if (names.length === 0) return []
  const objects = names.map((name) => createSubstitution(`\${SecretsBucket.Arn}/${name}`))
  return [
    createAllowStatement(['s3:GetObject'], objects),
    // Without this permission, S3 reports a missing object as forbidden.
    createAllowStatement(['s3:ListBucket'], createArnReference('SecretsBucket')),
    createAllowStatement(['kms:Decrypt'], createArnReference('SecretsKey')),
    ...(canCreate
      ? [
          createAllowStatement(
            ['s3:PutObject'],
            createdSecrets.map((name) => createSubstitution(`\${SecretsBucket.Arn}/${name}`)),
          ),
          createAllowStatement(['secretsmanager:GetSecretValue'], { Ref: 'OriginSecret' }),
          createAllowStatement(['kms:GenerateDataKey'], createArnReference('SecretsKey')),
        ]
      : []),
  ]
}

/** With a customer key, every access to a file or record needs permission to use the key. */
const createCustomerKeyStatements = ({ customerKeyArn }: Stage): Statement[] =>
  customerKeyArn ? [createAllowStatement(['kms:Decrypt', 'kms:GenerateDataKey'], customerKeyArn)] : []

/** X-Ray's actions that Lambda performs with the role of a traced function. They cannot be limited to a resource. */
export const tracingActions: readonly string[] = ['xray:PutTraceSegments', 'xray:PutTelemetryRecords']

const createTracingStatements = ({ tracing }: Stage): Statement[] =>
  tracing ? [createAllowStatement(tracingActions, '*')] : []

/**
 * Denies the network actions that Lambda itself performs with a function's role to the code of the function. Calls by
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

function createRoleResource(functionName: string, statements: readonly Statement[], stage: Stage) {
  const row = findDeclaration(functionName)
  const names = row ? getSecretNames(row) : []
  const isInNetwork = stage.isolation === 'vpc' && isInVpc(findDeclaration(functionName))
  const functionArn = `arn:\${AWS::Partition}:lambda:\${AWS::Region}:\${AWS::AccountId}:function:\${self:service}-\${sls:stage}-${functionName}`
  const logGroup = `arn:\${AWS::Partition}:logs:\${AWS::Region}:\${AWS::AccountId}:log-group:/aws/lambda/\${self:service}-\${sls:stage}-${functionName}:*`
  const logsStatement = createAllowStatement(
    ['logs:CreateLogStream', 'logs:PutLogEvents'],
    createSubstitution(logGroup),
  )
  return {
    Type: 'AWS::IAM::Role',
    Properties: {
      AssumeRolePolicyDocument: {
        Version: '2012-10-17',
        Statement: [
          { Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' },
        ],
      },
      ...(isInNetwork && { ManagedPolicyArns: [createSubstitution(vpcAccessPolicy)] }),
      Policies: [
        {
          PolicyName: 'work',
          PolicyDocument: {
            Version: '2012-10-17',
            Statement: [
              logsStatement,
              ...createSecretStatements(names, functionName === secretsCreator),
              ...createCustomerKeyStatements(stage),
              ...createTracingStatements(stage),
              ...statements,
              ...(isInNetwork ? [denyNetworkActions(createSubstitution(functionArn))] : []),
            ],
          },
        },
      ],
    },
  }
}

/** Returns one role per function, with only the permissions that this function needs. */
export const createRoleResources = (stage: Stage) =>
  Object.fromEntries(
    Object.entries(createRoleStatements())
      .filter(([name]) => isDeployed(name, stage))
      .map(([name, statements]) => [getRoleId(name), createRoleResource(name, statements, stage)]),
  )
