import type { Permission } from '../permissions.ts'
import { type SecretName, secretNamesOf } from '../resources/function-declaration.ts'
import { declarationOf, type FunctionName, functionNames, functions } from '../resources/functions.ts'
import { imageIds, type QueueId } from '../resources/queues.ts'
import { convertPermissions } from '../resources/role-permissions.ts'
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
  ...(Condition && { Condition }),
})

const sub = (text: string) => ({ 'Fn::Sub': text })
const queueArn = (queue: string) => arnOf(queueResourceId(queue as QueueId))

/** A right as IAM has it. */
function toStatement(right: Permission): Statement {
  if ('table' in right) {
    const partitions = right.partitions?.map((prefix) => `${prefix}*`)
    const condition = partitions && { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions } }
    return allow(right.table, arnOf('Table'), condition)
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

/** Lambda reads the queue in the name of its function, which also keeps messages hidden that it works on. */
const receiveFrom = (queue: string): Statement =>
  allow(['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'], queueArn(queue))

/** What Lambda does in the name of a function. */
function lambdaStatements(name: string): Statement[] {
  const { trigger = { queue: name.replace('convert-', '') }, deadLetter } = declarationOf(name) ?? {}
  return [
    ...('queue' in trigger ? [receiveFrom(trigger.queue)] : []),
    ...(deadLetter ? [allow(['sqs:SendMessage'], arnOf(deadLetterQueueId(name)))] : []),
  ]
}

/** By function, all that its role allows beyond writing its log. */
export const roleStatements = (): Readonly<Record<string, readonly Statement[]>> => {
  const declared: [string, readonly Permission[]][] = [
    ...functionNames.map((name): [string, readonly Permission[]] => [name, functions[name].rights]),
    ...imageIds.map((image): [string, readonly Permission[]] => [
      `convert-${image}`,
      convertPermissions(image),
    ]),
  ]
  return Object.fromEntries(
    declared.map(([name, rights]) => [name, [...lambdaStatements(name), ...rights.map(toStatement)]]),
  )
}

/** It comes first, and each minute. */
export const secretsCreator: FunctionName = 'sweep'

/** What is secret, by name; whoever makes the first secret may not replace one. */
function secretStatements(names: readonly SecretName[], canCreate: boolean): Statement[] {
  if (names.length === 0) return []
  const objects = names.map((name) => sub(`\${SecretsBucket.Arn}/${name}`))
  return [
    allow(['s3:GetObject'], objects),
    // Without it S3 says of what nobody has put there that it is forbidden.
    allow(['s3:ListBucket'], arnOf('SecretsBucket')),
    allow(['kms:Decrypt'], arnOf('SecretsKey')),
    ...(canCreate
      ? [
          allow(
            ['s3:PutObject'],
            ['SERVICE_SECRET', 'ORIGIN_SECRET'].map((name) => sub(`\${SecretsBucket.Arn}/${name}`)),
          ),
          allow(['secretsmanager:GetSecretValue'], { Ref: 'OriginSecret' }),
          allow(['kms:GenerateDataKey'], arnOf('SecretsKey')),
        ]
      : []),
  ]
}

/** A key of the customer's own opens every file and record, so whoever reads one has to use it. */
const customerKeyStatements = ({ customerKeyArn }: Stage): Statement[] =>
  customerKeyArn ? [allow(['kms:Decrypt', 'kms:GenerateDataKey'], customerKeyArn)] : []

/**
 * Lambda puts a function into a network in the name of its role. Code of the function may not: what Lambda itself does
 * has no function as its source.
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
/** The only rights that AWS puts together: those to stand in a network. */
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
              ...statements,
              ...(isInNetwork ? [denyNetworkActions(sub(functionArn))] : []),
            ],
          },
        },
      ],
    },
  }
}

/** A role per function, each with what this function does and nothing more. */
export const roleResources = (stage: Stage) =>
  Object.fromEntries(
    Object.entries(roleStatements())
      .filter(([name]) => isDeployed(name, stage))
      .map(([name, statements]) => [roleId(name), roleResource(name, statements, stage)]),
  )
