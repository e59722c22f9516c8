import {
  type FunctionDeclaration,
  type FunctionName,
  functionNames,
  functions,
  imageIds,
  type QueueId,
  queueIds,
} from '../resources.ts'
import { arnOf, deadLetterQueueId, queueResourceId, roleId } from './references.ts'

interface Statement {
  readonly Effect: 'Allow'
  readonly Action: readonly string[]
  readonly Resource: unknown
}

const allow = (Action: readonly string[], Resource: unknown): Statement => ({
  Effect: 'Allow',
  Action,
  Resource,
})

/** Records of webhooks and of what goes to them. */
const moveDeliveries: readonly Statement[] = [
  allow(
    [
      'dynamodb:GetItem',
      'dynamodb:BatchGetItem',
      'dynamodb:Query',
      'dynamodb:PutItem',
      'dynamodb:UpdateItem',
      'dynamodb:ConditionCheckItem',
    ],
    [arnOf('Table'), { 'Fn::Sub': `\${Table.Arn}/index/*` }],
  ),
  allow(['sqs:SendMessage'], arnOf(queueResourceId('delivery'))),
]

const readObjects = allow(['s3:GetObject'], { 'Fn::Sub': `\${Bucket.Arn}/*` })
const writeObjects = allow(['s3:PutObject', 's3:AbortMultipartUpload'], { 'Fn::Sub': `\${Bucket.Arn}/*` })

const keepRecords = allow(
  [
    'dynamodb:GetItem',
    'dynamodb:BatchGetItem',
    'dynamodb:Query',
    'dynamodb:PutItem',
    'dynamodb:UpdateItem',
    'dynamodb:BatchWriteItem',
    'dynamodb:DeleteItem',
    'dynamodb:ConditionCheckItem',
  ],
  [arnOf('Table'), { 'Fn::Sub': `\${Table.Arn}/index/*` }],
)

/** What any change of a job may lead to: records, deleted files, tasks for the next engines, events. */
const moveJobs: readonly Statement[] = [
  keepRecords,
  allow(['s3:DeleteObject'], { 'Fn::Sub': `\${Bucket.Arn}/*` }),
  // The files of a job are found by their prefix when it is deleted.
  allow(['s3:ListBucket'], arnOf('Bucket')),
  allow(['sqs:SendMessage'], queueIds.map(queueResourceId).map(arnOf)),
  allow(['events:PutEvents'], arnOf('Bus')),
]

const receive = (queue: QueueId) =>
  allow(
    ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility', 'sqs:GetQueueAttributes'],
    arnOf(queueResourceId(queue)),
  )

/** What it takes to run the tasks of a queue. */
const runTasks = (queue: QueueId): readonly Statement[] => [
  ...moveJobs,
  readObjects,
  writeObjects,
  receive(queue),
]

/** To write to open WebSockets, and to close them. */
const reachSockets = allow(['execute-api:ManageConnections'], {
  'Fn::Sub': `arn:\${AWS::Partition}:execute-api:\${AWS::Region}:\${AWS::AccountId}:\${WebsocketsApi}/*`,
})

/** Beyond writing its log; a function that is not named needs nothing. */
const rightsOfFunctions: Partial<Readonly<Record<FunctionName, readonly Statement[]>>> = {
  api: [
    ...moveJobs,
    readObjects,
    writeObjects,
    allow(['s3:ListMultipartUploadParts'], { 'Fn::Sub': `\${Bucket.Arn}/*` }),
    // How many tasks wait, for the state of the service.
    allow(['sqs:GetQueueAttributes'], queueIds.map(queueResourceId).map(arnOf)),
  ],
  account: [keepRecords],
  sweep: [...moveJobs, readObjects, reachSockets],
  'receive-upload': [...moveJobs, readObjects],
  'record-metrics': [allow(['dynamodb:GetItem', 'dynamodb:BatchWriteItem'], arnOf('Table'))],
  'count-usage': [
    allow(['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:UpdateItem'], arnOf('Table')),
  ],
  sockets: [...moveJobs, reachSockets],
  broadcast: [...moveJobs, reachSockets],
  dispatch: moveDeliveries,
  deliver: [...moveDeliveries, receive('delivery')],
  transfer: runTasks('transfer'),
  capture: runTasks('capture'),
}

/** Lambda puts invocations aside in the name of the function. */
function deadLetterRights(name: string): readonly Statement[] {
  const declared: Readonly<Record<string, FunctionDeclaration>> = functions
  return declared[name]?.deadLetter ? [allow(['sqs:SendMessage'], arnOf(deadLetterQueueId(name)))] : []
}

function role(functionName: string, statements: readonly Statement[]) {
  const logGroup = `arn:\${AWS::Partition}:logs:\${AWS::Region}:\${AWS::AccountId}:log-group:/aws/lambda/\${self:service}-\${sls:stage}-${functionName}:*`
  const writeLogs = allow(['logs:CreateLogStream', 'logs:PutLogEvents'], { 'Fn::Sub': logGroup })
  return {
    Type: 'AWS::IAM::Role',
    Properties: {
      AssumeRolePolicyDocument: {
        Version: '2012-10-17',
        Statement: [
          { Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' },
        ],
      },
      Policies: [
        {
          PolicyName: 'work',
          PolicyDocument: { Version: '2012-10-17', Statement: [writeLogs, ...statements] },
        },
      ],
    },
  }
}

/** A role per function, each with what this function does and nothing more. */
export function roleResources() {
  const rights: [name: string, statements: readonly Statement[]][] = [
    ...functionNames.map((name): [string, readonly Statement[]] => [
      name,
      [...(rightsOfFunctions[name] ?? []), ...deadLetterRights(name)],
    ]),
    ...imageIds.map((image): [string, readonly Statement[]] => [`convert-${image}`, runTasks(image)]),
  ]
  return Object.fromEntries(rights.map(([name, statements]) => [roleId(name), role(name, statements)]))
}
