import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { contracts as access } from '../functions/account-api.ts'
import { contracts as admin } from '../functions/admin.ts'
import { contracts as conversion } from '../functions/conversion.ts'
import { contracts as api } from '../functions/core-api.ts'
import { contracts as drives } from '../functions/drives.ts'
import { contracts as jobs } from '../functions/jobs.ts'
import { routes } from '../functions/routes/index.ts'
import { contracts as uploads } from '../functions/uploads.ts'
import { contracts as automation } from '../functions/webhooks-workflows.ts'
import { imageIds } from '../lib/component-ids.ts'
import { readConfig, settings } from '../lib/config.ts'
import { checkProjectRules, projectRules } from '../lib/deployment/check/project-rules.ts'
import { checkSpecification } from '../lib/deployment/check/specification.ts'
import { canReserveConcurrency } from '../lib/deployment/concurrency.ts'
import { edgeCode } from '../lib/deployment/edge.ts'
import { asyncInvocationSettings, eventsOf } from '../lib/deployment/functions.ts'
import { lambdaLayerIds, layersOf } from '../lib/deployment/lambda-layers.ts'
import { layerBudgetsKb, maxZipKb, packageBudget } from '../lib/deployment/package-budgets.ts'
import { parseStage } from '../lib/deployment/stage.ts'
import { zipFunctionNames } from '../lib/deployment/zip-functions.ts'
import { engines } from '../lib/engines/index.ts'
import type { AnyContract } from '../lib/http/contract.ts'
import { socketTarget } from '../lib/live/paths.ts'
import { functionEnvironment } from '../lib/local/runtime/environment.ts'
import { createZipFunctions, httpRoutes, webSocketRoutes } from '../lib/local/runtime/functions.ts'
import { createRouteFinder } from '../lib/local/runtime/gateway/http-routes.ts'
import { openQueueWorkers } from '../lib/local/runtime/queue-workers.ts'
import { createLog } from '../lib/log.ts'
import {
  type FunctionDeclaration,
  outboundReasons,
  secretNames,
  secretNamesOf,
} from '../lib/resources/function-declaration.ts'
import { declarationOf, type FunctionName, functions } from '../lib/resources/functions.ts'
import { defaultQueueMapping, visibilityTimeoutOf } from '../lib/resources/queue-functions.ts'
import { maxReceiveCount, queueIds } from '../lib/resources/queues.ts'
import { bucket, table } from '../lib/resources/storage.ts'
import { packageDeployment, reference } from './support/deployment.ts'

const { lambda, layerBytes, ofType, onPackage, properties, queueOf, template, zipBytes } = packageDeployment()

test('exactly the declared functions are deployed', () => {
  const declared = [...Object.keys(functions), ...imageIds.map((image) => `convert-${image}`)]
  const deployed = ofType('AWS::Lambda::Function').map(([, { Properties }]) => Properties.FunctionName)
  assert.deepEqual(deployed.sort(), declared.map((name) => `mutabor-dev-${name}`).sort())
})

for (const [name, given] of Object.entries(functions)) {
  const declared: FunctionDeclaration = given
  test(`${name} is deployed with the declared handler, memory and timeout`, () => {
    const code = declared.image
      ? { PackageType: 'Image', ImageConfig: { Command: [declared.handler] } }
      : { Handler: declared.handler, Runtime: 'nodejs24.x' }
    assert.partialDeepStrictEqual(lambda(name).properties, {
      ...code,
      MemorySize: declared.memoryMb,
      Timeout: declared.timeoutS,
    })
  })
}

test('functions with a schedule are invoked on it', () => {
  const rules = ofType('AWS::Events::Rule').map(([, { Properties }]) => Properties)
  const scheduled = Object.entries(functions).flatMap(([name, { trigger }]) =>
    'schedule' in trigger ? [{ name, schedule: trigger.schedule }] : [],
  )
  assert.equal(rules.filter(({ ScheduleExpression }) => ScheduleExpression).length, scheduled.length)
  for (const { name, schedule } of scheduled) {
    const rule = rules.find(({ ScheduleExpression }) => ScheduleExpression === schedule)
    assert.partialDeepStrictEqual(rule, {
      State: 'ENABLED',
      Targets: [{ Arn: { 'Fn::GetAtt': [lambda(name).id, 'Arn'] } }],
    })
  }
})

const ruleFor = (name: string) =>
  ofType('AWS::Events::Rule')
    .map(([, { Properties }]) => Properties)
    .find(({ EventPattern, Targets }) => EventPattern && reference(Targets[0]?.Arn) === lambda(name).id)

function assertMayBeCalledByRules(name: string): void {
  const { id } = lambda(name)
  const permitted = ofType('AWS::Lambda::Permission').map(([, { Properties }]) => Properties)
  const invokePermissions = permitted.filter(({ Principal }) => Principal === 'events.amazonaws.com')
  assert.ok(
    invokePermissions.some(({ FunctionName }) => reference(FunctionName) === id),
    `EventBridge may call ${invokePermissions.map(({ FunctionName }) => reference(FunctionName))} and not ${id}`,
  )
}

test('the event bus invokes an event function for exactly its declared events', () => {
  const rule = ruleFor('record-metrics')
  // Compare the whole pattern: every additional event causes calls.
  assert.deepEqual(rule?.EventPattern, {
    source: ['mutabor'],
    'detail-type': functions['record-metrics'].trigger.events,
  })
  assert.deepEqual(rule.EventBusName, { Ref: 'Bus' })
  assertMayBeCalledByRules('record-metrics')
})

test('webhooks receive every kind of event, including future ones, if any webhook exists', () => {
  const groups = ['job.', 'file.', 'subscription.', 'quota.']
  assert.deepEqual(ruleFor('dispatch')?.EventPattern, {
    source: ['mutabor'],
    'detail-type': groups.map((prefix) => ({ prefix })),
    detail: { listeners: ['webhooks'] },
  })
  assertMayBeCalledByRules('dispatch')
})

test('the bucket invokes the upload function, for uploads only', () => {
  const rule = ruleFor('receive-upload')
  assert.deepEqual(rule?.EventPattern, {
    source: ['aws.s3'],
    'detail-type': ['Object Created'],
    detail: { bucket: { name: [{ Ref: 'Bucket' }] }, object: { key: [{ prefix: 'uploads/' }] } },
  })
  // S3 sends its events to the default bus, and only if that is enabled for the bucket.
  assert.equal(rule.EventBusName, undefined)
  assert.deepEqual(properties('Bucket').NotificationConfiguration, {
    EventBridgeConfiguration: { EventBridgeEnabled: true },
  })
  assertMayBeCalledByRules('receive-upload')
})

for (const image of imageIds) {
  test(`convert-${image} is deployed with the resources its engines need, as far as Lambda allows`, () => {
    const limits = engines.filter((engine) => engine.image === image).map((engine) => engine.limits)
    assert.ok(limits.length > 0, `no engine is in the image ${image}`)
    const { MemorySize, Timeout, EphemeralStorage, PackageType } = lambda(`convert-${image}`).properties
    const disk = (EphemeralStorage as { Size: number }).Size
    assert.equal(PackageType, 'Image')
    assert.equal(lambda(`convert-${image}`).properties.Environment.Variables.IMAGE_ID, image)
    for (const { memoryMb, timeoutS, diskMb } of limits) {
      assert.ok(Number(MemorySize) >= Math.min(memoryMb, 10_240))
      assert.ok(Number(Timeout) >= Math.min(timeoutS, 900))
      assert.ok(disk >= Math.min(diskMb, 10_240))
    }
  })

  test(`the queue of ${image} invokes its function and has a dead-letter queue`, () => {
    const queue = queueOf(image)
    const aside = queueOf(`${image}-dead`)
    assert.partialDeepStrictEqual(queue.properties, {
      VisibilityTimeout: visibilityTimeoutOf(image),
      RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': [aside.id, 'Arn'] }, maxReceiveCount },
    })
    const mappings = ofType('AWS::Lambda::EventSourceMapping').filter(
      ([, { Properties }]) => reference(Properties.EventSourceArn) === queue.id,
    )
    assert.equal(mappings.length, 1)
    const fn = lambda(`convert-${image}`)
    assert.partialDeepStrictEqual(mappings[0]?.[1].Properties, {
      FunctionName: { 'Fn::GetAtt': [fn.id, 'Arn'] },
      BatchSize: defaultQueueMapping.batchSize,
      FunctionResponseTypes: [defaultQueueMapping.functionResponseType],
    })
    assert.ok(
      Number(fn.properties.Timeout) <= visibilityTimeoutOf(image),
      "Lambda rejects a timeout above the queue's visibility timeout",
    )
  })
}

/** What runs on one machine, read from the code that starts it. */
function oneMachine() {
  const log = createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined })
  const config = readConfig({})
  const images = openQueueWorkers({ config, environment: {}, logFd: 1, log }).functions
  const environment = functionEnvironment({
    env: {},
    config,
    credentialVariables: {},
    url: '',
    workDir: '',
    logFile: '',
    engines: [],
    secrets: { serviceSecret: '', accessKeyId: '', secretAccessKey: '' },
    endpoints: { urls: {}, hasExternal: false, isS3External: false },
    queueUrlPrefix: '',
    lambdaUrl: '',
    hasWebSockets: true,
  })
  return { zipped: createZipFunctions(functions, {}, {}), images, environment }
}

test('the local service runs the deployed functions with the same or higher limits', () => {
  const { zipped, images } = oneMachine()
  const deployed = ofType('AWS::Lambda::Function').map(([, { Properties }]) => Properties.FunctionName)
  assert.deepEqual(deployed.sort(), [...zipped, ...images].map(({ name }) => `mutabor-dev-${name}`).sort())
  for (const { name, timeoutMs, memoryMb } of zipped) {
    const { Timeout, MemorySize } = lambda(name).properties
    assert.deepEqual([Timeout, MemorySize], [timeoutMs / 1000, memoryMb], name)
  }
  for (const { name, timeoutMs } of images) {
    assert.ok(timeoutMs / 1000 >= Number(lambda(name).properties.Timeout), name)
  }
})

test('the local service sets every variable that a deployment sets', () => {
  // The worker process sets IMAGE_ID; secrets are created at the start of the service, in its folder.
  const local = [
    ...Object.keys(oneMachine().environment),
    ...['IMAGE_ID', 'SECRETS', 'TASK_LIMIT_S'],
    // Set by the operator of the machine, or not at all.
    ...['ANONYMOUS_PLAN', 'RETENTION_HOURS', 'ORIGIN_SECRET_ARN', 'FACADES'],
  ]
  for (const [id, { Properties }] of ofType('AWS::Lambda::Function')) {
    for (const name of Object.keys(Properties.Environment.Variables))
      assert.ok(local.includes(name), `${id} gets ${name}`)
  }
})

/** The function behind a route of either API. */
function findRoutedFunction(target: unknown): string | undefined {
  const { 'Fn::Join': join } = target as { 'Fn::Join': [string, [string, { Ref: string }]] }
  const uri = JSON.stringify(properties(join[1][1].Ref).IntegrationUri)
  return ofType('AWS::Lambda::Function')
    .find(([id]) => uri.includes(`"${id}"`))?.[1]
    .Properties.FunctionName?.toString()
    .replace('mutabor-dev-', '')
}

test('the local service serves the deployed routes with the same functions', () => {
  const routes = ofType('AWS::ApiGatewayV2::Route').map(([, { Properties }]) => ({
    key: Properties.RouteKey,
    functionName: findRoutedFunction(Properties.Target),
  }))
  const inOrder = (all: readonly object[]) =>
    all.map((one) => JSON.stringify(one, ['key', 'functionName'])).sort()
  assert.deepEqual(inOrder(routes), inOrder([...httpRoutes(functions), ...webSocketRoutes(functions)]))
  const versions = ofType('AWS::ApiGatewayV2::Integration').map(
    ([, { Properties }]) => Properties.PayloadFormatVersion,
  )
  assert.ok(versions.includes('2.0'), String(versions))
})

test('the local service retries asynchronous invocations as often as a deployment', () => {
  const configured = ofType('AWS::Lambda::EventInvokeConfig').map(([, { Properties }]) => Properties)
  for (const { name, retryAttempts } of oneMachine().zipped) {
    const { id } = lambda(name)
    const found = configured.find(({ FunctionName }) => reference(FunctionName) === id)
    // Lambda's default.
    assert.equal(found?.MaximumRetryAttempts ?? 2, retryAttempts, name)
  }
})

test('every trigger and setting that can be declared is deployed', () => {
  assert.deepEqual(eventsOf({ http: true }), [{ httpApi: '*' }])
  assert.deepEqual(eventsOf({ http: ['$default', 'GET /items/{id}'] }), [
    { httpApi: '*' },
    { httpApi: 'GET /items/{id}' },
  ])
  assert.deepEqual(eventsOf({ websocket: ['$connect', '$disconnect'] }), [
    { websocket: { route: '$connect', routeResponseSelectionExpression: '$default' } },
    { websocket: { route: '$disconnect' } },
  ])
  assert.deepEqual(asyncInvocationSettings('push-jobs', { retryAttempts: 1, deadLetter: true }), {
    maximumRetryAttempts: 1,
    onError: { 'Fn::GetAtt': ['PushJobsDeadLetterQueue', 'Arn'] },
  })
})

test('the table is deployed with the declared keys, indexes and expiry', () => {
  const { TimeToLiveAttribute, ...declared } = table
  assert.partialDeepStrictEqual(properties('Table'), {
    ...declared,
    TimeToLiveSpecification: { AttributeName: TimeToLiveAttribute, Enabled: true },
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
  })
  assert.equal(ofType('AWS::DynamoDB::Table').length, 1)
})

test('the bucket is deployed with the declared rules and is not public', () => {
  const { CorsConfiguration, LifecycleConfiguration, ...rest } = properties('Bucket')
  assert.deepEqual(CorsConfiguration, {
    CorsRules: bucket.cors.map(({ ExposeHeaders, MaxAgeSeconds, ...rule }) => ({
      ...rule,
      ExposedHeaders: ExposeHeaders,
      MaxAge: MaxAgeSeconds,
    })),
  })
  assert.deepEqual(LifecycleConfiguration, {
    Rules: bucket.lifecycle.map(({ ID, AbortIncompleteMultipartDays, ...rule }) => ({
      ...rule,
      Id: ID,
      Status: 'Enabled',
      AbortIncompleteMultipartUpload: { DaysAfterInitiation: AbortIncompleteMultipartDays },
    })),
  })
  assert.partialDeepStrictEqual(rest, {
    PublicAccessBlockConfiguration: {
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    },
    OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
  })
})

test('functions are configured with existing settings and the names of all resources', () => {
  for (const [id, { Properties }] of ofType('AWS::Lambda::Function')) {
    const { Variables } = Properties.Environment
    // The SDK reads endpoints itself.
    const own = Object.keys(Variables).filter((name) => !name.startsWith('AWS_ENDPOINT_URL_'))
    for (const name of own) assert.ok(name in settings, `${id} gets ${name}`)
    assert.equal(reference(Variables.TABLE_NAME), 'Table')
    assert.equal(reference(Variables.BUCKET_NAME), 'Bucket')
    assert.equal(reference(Variables.BUS_NAME), 'Bus')
    const { 'Fn::Sub': prefix } = Variables.QUEUE_URL_PREFIX as { 'Fn::Sub': string }
    for (const queue of queueIds) {
      assert.equal(`${prefix.split('/').pop()}${queue}`, queueOf(queue).properties.QueueName)
    }
  }
})

test('every function has its own role, without wildcards for all resources or actions', () => {
  const roles = ofType('AWS::Lambda::Function').map(([, { Properties }]) => reference(Properties.Role))
  assert.equal(new Set(roles).size, roles.length)
  for (const [id, { Properties }] of ofType('AWS::IAM::Role')) {
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

test('no function has a secret in its environment; each can read only its declared secrets', () => {
  for (const [id, { Properties }] of ofType('AWS::Lambda::Function')) {
    const name = String(Properties.FunctionName).replace('mutabor-dev-', '')
    const declared: FunctionDeclaration | undefined = functions[name as FunctionName]
    // Engines have none at all.
    const secrets = declared ? secretNamesOf(declared) : []
    const { Variables } = Properties.Environment
    for (const secret of secretNames) assert.ok(!(secret in Variables), `${id} has ${secret}`)
    const found = Variables.SECRETS as { 'Fn::Sub': string } | undefined
    assert.equal(
      found?.['Fn::Sub'],
      secrets.length > 0 ? `s3://\${SecretsBucket}/${secrets.join(',')}` : undefined,
    )
    const statements = properties(String(reference(Properties.Role))).Policies.flatMap(
      ({ PolicyDocument }) => PolicyDocument.Statement,
    )
    const readable = statements
      .filter(({ Action }) => Action.includes('s3:GetObject'))
      .flatMap(({ Resource }) => [...JSON.stringify(Resource).matchAll(/SecretsBucket\.Arn}\/(\w+)/g)])
    assert.deepEqual(
      readable.map(([, secret]) => secret),
      [...secrets],
      id,
    )
  }
})

test('no engine can access files or the queue of another engine', () => {
  for (const name of ['capture', ...imageIds.map((image) => `convert-${image}`)]) {
    const [, role] =
      ofType('AWS::IAM::Role').find(([id]) => id === reference(lambda(name).properties.Role)) ?? []
    const statements =
      role?.Properties.Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement) ?? []
    const allowed = statements.flatMap(({ Action, Resource }) =>
      Action.map((action) => ({ action, Resource })),
    )
    assert.deepEqual(
      allowed.filter(({ action }) => action.startsWith('s3:')),
      [],
      name,
    )
    const sending = allowed
      .filter(({ action }) => action === 'sqs:SendMessage')
      .flatMap(({ Resource }) => Resource)
    assert.deepEqual(sending.map(reference), [queueOf('ready').id], name)
  }
})

for (const name of zipFunctionNames) {
  test(`the package of ${name} can be loaded on its own`, async () => {
    const [file, exported] = functions[name].handler.split('.')
    const code = `console.log(typeof (await import('./${file}.mjs')).${exported})`
    assert.equal(await onPackage(name, code), 'function\n')
  })
}

test('the package of api contains the files that it serves', async () => {
  const paths = ['/', '/docs', '/web/icon.svg', '/v1/openapi.json']
  const code = `
    const { handler } = await import('./functions/core-api.mjs')
    for (const path of ${JSON.stringify(paths)}) {
      const http = { method: 'GET', path, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'test' }
      const requestContext = { http, requestId: 'r', domainName: 'localhost', stage: '$default', timeEpoch: 0 }
      const event = { version: '2.0', routeKey: '$default', rawPath: path, rawQueryString: '', headers: { host: 'localhost' }, requestContext, isBase64Encoded: false }
      const { statusCode, body } = await handler(event, { getRemainingTimeInMillis: () => 1000 })
      console.log(statusCode, path, body.length > 100)
    }`
  assert.equal(await onPackage('api', code), paths.map((path) => `200 ${path} true\n`).join(''))
})

test('the template is valid for CloudFormation, and an invalid value is detected', () => {
  const { findings, values } = checkSpecification(template)
  assert.deepEqual(findings, [])
  assert.ok(values > 2000, String(values))
  const broken = {
    Resources: {
      Queue: { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeout: 'soon', Color: 'red' } },
      Role: { Type: 'AWS::IAM::Role', Properties: {} },
    },
  }
  assert.deepEqual(
    checkSpecification(broken).findings.map(({ at, problem }) => `${at}: ${problem}`),
    [
      'Queue.VisibilityTimeout: expected integer, got "soon"',
      'Queue: Color is not a property of this resource',
      'Role: AssumeRolePolicyDocument is missing',
    ],
  )
})

test('the deployment follows its rules, and each rule detects a violation', () => {
  const stage = parseStage('dev', { facades: 'v2' })
  assert.deepEqual(checkProjectRules(template, stage), [])
  const allowsAll = { Statement: [{ Effect: 'Allow', Action: ['s3:*'], Resource: ['*'] }] }
  const broken = {
    Role: { Type: 'AWS::IAM::Role', Properties: { Policies: [{ PolicyDocument: allowsAll }] } },
    Keeper: {
      Type: 'AWS::IAM::Role',
      Properties: { ManagedPolicyArns: ['arn:aws:iam::aws:policy/AdministratorAccess'] },
    },
    Open: {
      Type: 'AWS::S3::BucketPolicy',
      Properties: { PolicyDocument: { Statement: [{ Effect: 'Allow', Principal: '*' }] } },
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
  const found = checkProjectRules({ Resources: broken }, stage).map(
    ({ problem }) => /\((\w+)\)$/.exec(problem)?.[1],
  )
  assert.deepEqual(new Set(found), new Set(Object.keys(projectRules)))
})

test('wildcard permissions are detected in any policy', () => {
  const wide = [
    { Action: ['s3:GetObject'], Resource: 'arn:aws:s3:::*' },
    { Action: 's3:GetObject', Resource: [{ 'Fn::Sub': `arn:\${AWS::Partition}:s3:::*` }] },
    { NotAction: 'iam:*', Resource: 'arn:aws:s3:::files/a' },
    { Action: 's3:GetObject', NotResource: 'arn:aws:s3:::files/a' },
  ]
  const narrow = { Action: 's3:GetObject', Resource: { 'Fn::Sub': `\${Bucket.Arn}/inputs/*` } }
  const found = (statement: object, Type: string) => {
    const Properties = { PolicyDocument: { Statement: [{ Effect: 'Allow', ...statement }] } }
    return checkProjectRules({ Resources: { Rights: { Type, Properties } } }, parseStage('dev', {})).length
  }
  for (const type of ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy', 'AWS::IAM::Role']) {
    assert.deepEqual(
      wide.map((statement) => found(statement, type)),
      [1, 1, 1, 1],
      type,
    )
    assert.equal(found(narrow, type), 0)
  }
})

test('a production stage cannot be packaged without region, domain and images', () => {
  assert.throws(
    () => parseStage('prod', { region: 'eu-central-1', color: 'red' }),
    /stages\/prod\.json[\s\S]*domain[\s\S]*images/,
  )
  assert.equal(parseStage('dev', undefined).isolation, 'vpc')
  const uri = (image: string) =>
    `123456789012.dkr.ecr.eu-central-1.amazonaws.com/mutabor-${image}@sha256:${'a'.repeat(64)}`
  const certificateArn = 'arn:aws:acm:us-east-1:123456789012:certificate/x'
  const images = Object.fromEntries(imageIds.map((image) => [image, uri(image)]))
  const given = { region: 'eu-central-1', domain: { name: 'files.example.com', certificateArn }, images }
  assert.equal(parseStage('prod', given).domain?.name, 'files.example.com')
  const { av: _, ...fewer } = images
  assert.throws(() => parseStage('prod', { ...given, images: fewer }), /images/)
})

test('the README gives a reason for every function outside of the closed network', () => {
  const readme = readFileSync(new URL('../lib/deployment/README.md', import.meta.url), 'utf8')
  const names = ofType('AWS::Lambda::Function').map(([, { Properties }]) => ({
    name: String(Properties.FunctionName).replace('mutabor-dev-', ''),
    isInside: Properties['VpcConfig'] !== undefined,
  }))
  for (const { name, isInside } of names) {
    const reaches = declarationOf(name)?.reaches ?? []
    assert.equal(isInside, reaches.length === 0, name)
    for (const what of reaches)
      assert.ok(readme.includes(`| ${name} | ${what} | ${outboundReasons[what]} |`), name)
  }
  // Functions that open files with engines, serve their requests and sign for them.
  for (const name of [...imageIds.map((image) => `convert-${image}`), 'api', 'conversion', 'jobs', 'prepare'])
    assert.ok(names.find((one) => one.name === name)?.isInside, name)
})

test('every function has a concurrency limit, and a quota that is too low is reported', () => {
  const templateWithout = (id: string, property: string) => {
    const { [property]: _, ...Properties } = properties(id)
    return { Resources: { ...template.Resources, [id]: { Type: 'AWS::Lambda::Function', Properties } } }
  }
  const stage = parseStage('dev', { facades: 'v2' })
  const { id } = lambda('jobs')
  assert.deepEqual(checkProjectRules(templateWithout(id, 'ReservedConcurrentExecutions'), stage), [
    { at: id, problem: 'has no concurrency limit (boundedConcurrency)' },
  ])
  assert.deepEqual(checkProjectRules(templateWithout(id, 'VpcConfig'), stage), [
    { at: id, problem: 'has internet access, but its row gives no reason (functionsInVpc)' },
  ])
  assert.equal(
    canReserveConcurrency({ ...stage, functionsAtATime: 10 }),
    false,
    'a new account has no reserved concurrency',
  )
  const large = { ...stage, name: 'prod', conversionsAtATime: 200 }
  assert.throws(
    () => canReserveConcurrency(large),
    /"prod" cannot be packaged.*functionsAtATime is 1000.*conversionsAtATime \(200/,
  )
})

test('the edge function rewrites socket URLs like the local service', () => {
  const atEdge = new Function(`${edgeCode}\nreturn handler`)() as (event: unknown) => {
    uri: string
    querystring: Record<string, { value: string }>
    headers: Record<string, { value: string }>
  }
  const paths = [
    '/ws/user/jobs',
    '/v1/ws/user/jobs/',
    '/v1/ws/jobs/job_1',
    '/v1/ws/tickets',
    '/v1/jobs/job_1',
    '/',
  ]
  for (const uri of paths) {
    const headers = { 'x-viewer-address': { value: 'forged' } }
    const request = atEdge({ viewer: { ip: '192.0.2.1' }, request: { uri, querystring: {}, headers } })
    const query = Object.entries(request.querystring).map(([name, { value }]) => `${name}=${value}`)
    const target = query.length > 0 ? `${request.uri}?${query.join('&')}` : request.uri
    assert.equal(target, socketTarget(uri) ?? uri)
    assert.equal(request.headers['x-viewer-address']?.value, '192.0.2.1')
  }
})

test('every endpoint belongs to the function of its route', () => {
  const find = createRouteFinder(httpRoutes(functions))
  const of: Readonly<Record<string, readonly AnyContract[]>> = {
    access,
    admin,
    automation,
    conversion,
    drives,
    jobs,
    uploads,
  }
  for (const route of routes) {
    const name = find(route.method, route.path.replace(/:(\w+)/g, 'x'))?.functionName ?? ''
    // Each list that contains the OpenAPI document creates its own.
    const has =
      name === 'api'
        ? api.some(({ path, method }) => path === route.path && method === route.method)
        : of[name]?.includes(route)
    assert.ok(has, `${route.method} ${route.path} is routed to ${name}`)
  }
})

test('a function without credentials reports that at its first call and does not look for them elsewhere', async () => {
  const event = {
    event: 'job.completed',
    timestamp: '2026-01-01T00:00:00.000Z',
    id: 'event_1',
    sequence: 1,
    owner: 'user_1',
    stream: 'stream_1',
    listeners: ['webhooks'],
  }
  const output = await onPackage(
    'dispatch',
    `process.env.AWS_EC2_METADATA_DISABLED = 'true'
    const { handler } = await import('./functions/dispatch.mjs')
    await handler({ detail: ${JSON.stringify(event)} }).catch(({ message }) => process.stdout.write(message))
    process.exit()`,
  )
  assert.match(output, /without credentials: AWS_ACCESS_KEY_ID or AWS_SECRET_ACCESS_KEY was not set/)
})

/** The heap after an import varies by at most a tenth, however busy the machine is. */
const heapMeasuringScript = (handler: string) => `
  import { setFlagsFromString } from 'node:v8'
  import { runInNewContext } from 'node:vm'
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  const heapUsed = () => (collect(), process.memoryUsage().heapUsed)
  const before = heapUsed()
  await import('./${handler.replace(/\.\w+$/, '.mjs')}')
  process.stdout.write(String(heapUsed() - before))
  process.exit()`

test('packages stay within their budgets for heap after import and zip size', async () => {
  for (const name of zipFunctionNames) {
    const { heapKb, zipKb } = packageBudget(name, functions[name])
    const heap = Math.round(
      Number(await onPackage(name, heapMeasuringScript(functions[name].handler))) / 1000,
    )
    assert.ok(heap > 0 && heap <= heapKb, `the import of ${name} leaves ${heap} kB, of ${heapKb}`)
    const zip = Math.round(zipBytes(name) / 1000)
    assert.ok(zip <= zipKb && zipKb <= maxZipKb, `the package of ${name} has ${zip} kB, of ${zipKb}`)
  }
  for (const id of lambdaLayerIds) {
    const layer = Math.round(layerBytes(id) / 1000)
    assert.ok(layer <= layerBudgetsKb[id], `the layer ${id} has ${layer} kB, of ${layerBudgetsKb[id]}`)
  }
})

test('modules that functions load from outside their packages are in their layers', async () => {
  for (const [name, modules] of [
    ['conversion', ['lib/decoders/program-file.mjs']],
    ['api', ['lib/page/build.mjs', 'lib/page/build-drawing.mjs']],
  ] as const) {
    const code = `
      import { readdirSync, readFileSync } from 'node:fs'
      const codes = readdirSync('functions').filter((file) => file.endsWith('.mjs')).map((file) => readFileSync('functions/' + file, 'utf8'))
      const named = new Set(codes.flatMap((code) => code.match(/(?<=import\\(["'])\\.\\.\\/\\.\\.\\/\\.\\.\\/opt[^"']+/g) ?? []))
      for (const path of ${JSON.stringify(modules)}) {
        await import(process.cwd() + '/../../opt/' + path)
        console.log(named.has('../../../opt/' + path))
      }`
    assert.equal(await onPackage(name, code), modules.map(() => 'true\n').join(''), name)
  }
})

test('the program of decoder processes runs from the layer of its function', async () => {
  for (const [filename, text, format] of [
    ['a.csv', 'a,b', 'csv'],
    // For libmagic.
    ['a.txt', 'a\\x1b[1mb', 'txt'],
  ] as const) {
    const code = `
      import { spawn } from 'node:child_process'
      const { findProgram } = await import(process.cwd() + '/../../opt/lib/decoders/program-file.mjs')
      const { file } = await findProgram()
      const child = spawn(process.execPath, [file], { stdio: ['pipe', 'inherit', 'inherit', 'pipe'], env: {} })
      const bytes = Buffer.from('${text}')
      const call = JSON.stringify({ type: 'call', method: 'detectFormat', params: { hint: {} },
        filename: '${filename}', size: bytes.length, headBytes: bytes.length })
      const header = Buffer.alloc(8)
      header.writeUInt32LE(call.length, 0)
      header.writeUInt32LE(bytes.length, 4)
      child.stdin.end(Buffer.concat([header, Buffer.from(call), bytes]))
      for await (const chunk of child.stdio[3]) process.stdout.write(chunk)`
    assert.match(await onPackage('conversion', code), new RegExp(`"format":"${format}"`))
  }
})

test('functions use the layers that they read, in the format of Lambda', () => {
  const layers = ofType('AWS::Lambda::LayerVersion').map(([id, { Properties }]) => [id, Properties] as const)
  assert.deepEqual(
    layers.map(([, { LayerName }]) => LayerName).sort(),
    lambdaLayerIds.map((id) => `mutabor-dev-${id}`).sort(),
  )
  for (const [, given] of layers)
    assert.partialDeepStrictEqual(given, {
      CompatibleRuntimes: ['nodejs24.x'],
      CompatibleArchitectures: ['x86_64'],
    })
  const nameOf = (value: unknown) => properties(reference(value) ?? '')['LayerName']
  for (const name of zipFunctionNames) {
    const { Layers = [] } = lambda(name).properties
    assert.deepEqual(
      (Layers as unknown[]).map(nameOf),
      layersOf(name).map((id) => `mutabor-dev-${id}`),
      name,
    )
  }
})
