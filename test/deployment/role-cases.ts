import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { imageIds } from '../../lib/component-ids.ts'
import { settings } from '../../lib/config.ts'
import { checkProjectRules, projectRules } from '../../lib/deployment/check/project-rules.ts'
import { checkSpecification } from '../../lib/deployment/check/specification.ts'
import { canReserveConcurrency } from '../../lib/deployment/concurrency.ts'
import { parseStage } from '../../lib/deployment/stage.ts'
import {
  type FunctionDeclaration,
  getSecretNames,
  outboundReasons,
  secretNames,
} from '../../lib/resources/function-declaration.ts'
import { type FunctionName, findDeclaration, functions } from '../../lib/resources/functions.ts'
import { queueIds } from '../../lib/resources/queues.ts'
import { findReferencedId } from '../support/deployment.ts'
import { lambda, listResourcesOfType, properties, queueOf, template } from '../support/packaged-deployment.ts'

test('the environment of each function contains only known settings and names the table, bucket, bus and queues', () => {
  for (const [id, { Properties }] of listResourcesOfType('AWS::Lambda::Function')) {
    const { Variables } = Properties.Environment
    // The SDK reads the variables with endpoints itself.
    const ownVariables = Object.keys(Variables).filter((name) => !name.startsWith('AWS_ENDPOINT_URL_'))
    for (const name of ownVariables) assert.ok(name in settings, `${id} gets ${name}`)
    assert.equal(findReferencedId(Variables.TABLE_NAME), 'Table')
    assert.equal(findReferencedId(Variables.BUCKET_NAME), 'Bucket')
    assert.equal(findReferencedId(Variables.BUS_NAME), 'Bus')
    const { 'Fn::Sub': prefix } = Variables.QUEUE_URL_PREFIX as { 'Fn::Sub': string }
    for (const queue of queueIds) {
      assert.equal(`${prefix.split('/').pop()}${queue}`, queueOf(queue).properties.QueueName)
    }
  }
})

test('every function has its own role, and no role allows all resources or an action with a wildcard', () => {
  const roles = listResourcesOfType('AWS::Lambda::Function').map(([, { Properties }]) =>
    findReferencedId(Properties.Role),
  )
  assert.equal(new Set(roles).size, roles.length)
  for (const [id, { Properties }] of listResourcesOfType('AWS::IAM::Role')) {
    assert.ok(roles.includes(id), `${id} belongs to a function`)
    for (const { PolicyDocument } of Properties.Policies) {
      for (const { Action, Resource, Effect } of PolicyDocument.Statement) {
        if (Effect === 'Deny') continue
        assert.ok(!Action.some((action) => action.includes('*')), `${id}: ${Action}`)
        assert.notEqual(Resource, '*', `${id}: ${Action}`)
      }
    }
  }
})

test('no function has a secret in its environment, and each function can read only its declared secrets', () => {
  for (const [id, { Properties }] of listResourcesOfType('AWS::Lambda::Function')) {
    const name = String(Properties.FunctionName).replace('mutabor-dev-', '')
    const declaredFunction: FunctionDeclaration | undefined = functions[name as FunctionName]
    // Functions with engines have no secrets at all.
    const secrets = declaredFunction ? getSecretNames(declaredFunction) : []
    const { Variables } = Properties.Environment
    for (const secret of secretNames) assert.ok(!(secret in Variables), `${id} has ${secret}`)
    const foundSecrets = Variables.SECRETS as { 'Fn::Sub': string } | undefined
    assert.equal(
      foundSecrets?.['Fn::Sub'],
      secrets.length > 0 ? `s3://\${SecretsBucket}/${secrets.join(',')}` : undefined,
    )
    const statements = properties(String(findReferencedId(Properties.Role))).Policies.flatMap(
      ({ PolicyDocument }) => PolicyDocument.Statement,
    )
    const readableSecrets = statements
      .filter(({ Action }) => Action.includes('s3:GetObject'))
      .flatMap(({ Resource }) => [...JSON.stringify(Resource).matchAll(/SecretsBucket\.Arn}\/(\w+)/g)])
    assert.deepEqual(
      readableSecrets.map(([, secret]) => secret),
      [...secrets],
      id,
    )
  }
})

test('functions that run engines cannot access S3, and can send messages only to the queue of ready tasks', () => {
  for (const name of ['capture', ...imageIds.map((image) => `convert-${image}`)]) {
    const [, role] =
      listResourcesOfType('AWS::IAM::Role').find(
        ([id]) => id === findReferencedId(lambda(name).properties.Role),
      ) ?? []
    const statements =
      role?.Properties.Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement) ?? []
    const allowedResources = statements.flatMap(({ Action, Resource }) =>
      Action.map((action) => ({ action, Resource })),
    )
    assert.deepEqual(
      allowedResources.filter(({ action }) => action.startsWith('s3:')),
      [],
      name,
    )
    const sendableQueues = allowedResources
      .filter(({ action }) => action === 'sqs:SendMessage')
      .flatMap(({ Resource }) => Resource)
    assert.deepEqual(sendableQueues.map(findReferencedId), [queueOf('ready').id], name)
  }
})

test('the deployment template is valid for CloudFormation, and invalid values in a template are detected', () => {
  const { findings, valueCount: values } = checkSpecification(template)
  assert.deepEqual(findings, [])
  assert.ok(values > 2000, String(values))
  const brokenResources = {
    Resources: {
      Queue: { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeout: 'soon', Color: 'red' } },
      Role: { Type: 'AWS::IAM::Role', Properties: {} },
    },
  }
  assert.deepEqual(
    checkSpecification(brokenResources).findings.map(({ at, problem }) => `${at}: ${problem}`),
    [
      'Queue.VisibilityTimeout: expected integer, got "soon"',
      'Queue: Color is not a property of this resource',
      'Role: AssumeRolePolicyDocument is missing',
    ],
  )
})

test('the deployment template follows the project rules, and each rule detects a violation', () => {
  const stage = parseStage('dev', { facades: 'v2' })
  assert.deepEqual(checkProjectRules(template, stage), [])
  const allowAllPolicy = { Statement: [{ Effect: 'Allow', Action: ['s3:*'], Resource: ['*'] }] }
  const brokenResources = {
    Role: { Type: 'AWS::IAM::Role', Properties: { Policies: [{ PolicyDocument: allowAllPolicy }] } },
    Keeper: {
      Type: 'AWS::IAM::Role',
      Properties: { ManagedPolicyArns: ['arn:aws:iam::aws:policy/AdministratorAccess'] },
    },
    Open: {
      Type: 'AWS::S3::BucketPolicy',
      Properties: { PolicyDocument: { Statement: [{ Effect: 'Allow', Principal: '*' }] } },
    },
    Front: {
      Type: 'AWS::CloudFront::Distribution',
      Properties: { DistributionConfig: { Origins: [{ Id: 'files', S3OriginConfig: {} }] } },
    },
    Log: { Type: 'AWS::Logs::LogGroup', Properties: {} },
    Queue: { Type: 'AWS::SQS::Queue', Properties: {} },
    Bucket: { Type: 'AWS::S3::Bucket', DeletionPolicy: 'Retain', Properties: {} },
    Network: { Type: 'AWS::EC2::VPC' },
    Jobs: {
      Type: 'AWS::Lambda::Function',
      Properties: { FunctionName: 'mutabor-dev-jobs', Environment: { Variables: { SMTP_URL: 'x' } } },
    },
    Gateway: { Type: 'AWS::EC2::InternetGateway' },
    Invoker: { Type: 'AWS::Lambda::Permission', Properties: { Principal: 'apigateway.amazonaws.com' } },
    Table: { Type: 'AWS::DynamoDB::Table' },
  }
  const canaryStage = parseStage('dev', { canary: 'Linear10PercentEvery1Minute' })
  const foundViolations = checkProjectRules({ Resources: brokenResources }, canaryStage).map(
    ({ problem }) => /\((\w+)\)$/.exec(problem)?.[1],
  )
  assert.deepEqual(new Set(foundViolations), new Set(Object.keys(projectRules)))
})

test('wildcard permissions are detected in IAM policies, managed policies and roles', () => {
  const wide = [
    { Action: ['s3:GetObject'], Resource: 'arn:aws:s3:::*' },
    { Action: 's3:GetObject', Resource: [{ 'Fn::Sub': `arn:\${AWS::Partition}:s3:::*` }] },
    { NotAction: 'iam:*', Resource: 'arn:aws:s3:::files/a' },
    { Action: 's3:GetObject', NotResource: 'arn:aws:s3:::files/a' },
  ]
  const narrowStatement = { Action: 's3:GetObject', Resource: { 'Fn::Sub': `\${Bucket.Arn}/inputs/*` } }
  const countFindings = (statement: object, Type: string) => {
    const Properties = { PolicyDocument: { Statement: [{ Effect: 'Allow', ...statement }] } }
    return checkProjectRules({ Resources: { Rights: { Type, Properties } } }, parseStage('dev', {})).length
  }
  for (const type of ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy', 'AWS::IAM::Role']) {
    assert.deepEqual(
      wide.map((statement) => countFindings(statement, type)),
      [1, 1, 1, 1],
      type,
    )
    assert.equal(countFindings(narrowStatement, type), 0)
  }
})

test('a production stage cannot be packaged without a domain and all container images', () => {
  assert.throws(
    () => parseStage('prod', { region: 'eu-central-1', color: 'red' }),
    /stages\/prod\.json[\s\S]*domain[\s\S]*images/,
  )
  assert.equal(parseStage('dev', undefined).isolation, 'vpc')
  const uri = (image: string) =>
    `123456789012.dkr.ecr.eu-central-1.amazonaws.com/mutabor-${image}@sha256:${'a'.repeat(64)}`
  const certificateArn = 'arn:aws:acm:us-east-1:123456789012:certificate/x'
  const images = Object.fromEntries(imageIds.map((image) => [image, uri(image)]))
  const stage = { region: 'eu-central-1', domain: { name: 'files.example.com', certificateArn }, images }
  assert.equal(parseStage('prod', stage).domain?.name, 'files.example.com')
  const { av: _, ...remainingImages } = images
  assert.throws(() => parseStage('prod', { ...stage, images: remainingImages }), /images/)
})

test('lib/deployment/README.md gives a reason for every function outside of the closed network', () => {
  const readme = readFileSync(new URL('../../lib/deployment/README.md', import.meta.url), 'utf8')
  const names = listResourcesOfType('AWS::Lambda::Function').map(([, { Properties }]) => ({
    name: String(Properties.FunctionName).replace('mutabor-dev-', ''),
    isInside: Properties['VpcConfig'] !== undefined,
  }))
  for (const { name, isInside } of names) {
    const reaches = findDeclaration(name)?.reaches ?? []
    assert.equal(isInside, reaches.length === 0, name)
    for (const destination of reaches)
      assert.ok(readme.includes(`| ${name} | ${destination} | ${outboundReasons[destination]} |`), name)
  }
  // Functions that run engines, that serve the requests of clients, or that sign the URLs of tasks.
  for (const name of [...imageIds.map((image) => `convert-${image}`), 'api', 'conversion', 'jobs', 'prepare'])
    assert.ok(names.find((one) => one.name === name)?.isInside, name)
})

test('functions without a concurrency limit are reported, and so is a concurrency quota that is too low', () => {
  const createTemplateWithout = (id: string, property: string) => {
    const { [property]: _, ...Properties } = properties(id)
    return { Resources: { ...template.Resources, [id]: { Type: 'AWS::Lambda::Function', Properties } } }
  }
  const stage = parseStage('dev', { facades: 'v2' })
  const { id } = lambda('jobs')
  assert.deepEqual(checkProjectRules(createTemplateWithout(id, 'ReservedConcurrentExecutions'), stage), [
    { at: id, problem: 'has no concurrency limit (boundedConcurrency)' },
  ])
  assert.deepEqual(checkProjectRules(createTemplateWithout(id, 'VpcConfig'), stage), [
    { at: id, problem: 'has internet access, but its row gives no reason (functionsInVpc)' },
  ])
  assert.equal(
    canReserveConcurrency({ ...stage, functionsAtATime: 10 }),
    false,
    'a new account has no reserved concurrency',
  )
  const largeStage = { ...stage, name: 'prod', conversionsAtATime: 200 }
  assert.throws(
    () => canReserveConcurrency(largeStage),
    /"prod" cannot be packaged.*functionsAtATime is 1000.*conversionsAtATime \(200/,
  )
})
