import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contracts as access } from '../functions/account-api.ts'
import { contracts as admin } from '../functions/admin.ts'
import { contracts as conversion } from '../functions/conversion.ts'
import { contracts as api } from '../functions/core-api.ts'
import { contracts as drives } from '../functions/drives.ts'
import { contracts as jobEvents } from '../functions/job-events.ts'
import { contracts as jobs } from '../functions/jobs.ts'
import { routes } from '../functions/routes/index.ts'
import { contracts as uploads } from '../functions/uploads.ts'
import { contracts as automation } from '../functions/webhooks-workflows.ts'
import { imageIds } from '../lib/component-ids.ts'
import { readConfig } from '../lib/config.ts'
import { edgeCode } from '../lib/deployment/edge.ts'
import { createAsyncInvocationSettings, createEvents } from '../lib/deployment/functions.ts'
import { engines } from '../lib/engines/index.ts'
import type { AnyContract } from '../lib/http/contract.ts'
import { getSocketTarget } from '../lib/live/paths.ts'
import { createFunctionEnvironment } from '../lib/local/runtime/environment.ts'
import {
  createHttpRoutes,
  createWebSocketRoutes,
  createZipFunctions,
} from '../lib/local/runtime/functions.ts'
import { createRouteFinder } from '../lib/local/runtime/gateway/http-routes.ts'
import { openQueueWorkers } from '../lib/local/runtime/queue-workers.ts'
import { createLog } from '../lib/log.ts'
import type { FunctionDeclaration } from '../lib/resources/function-declaration.ts'
import { functions } from '../lib/resources/functions.ts'
import { defaultQueueMapping, getVisibilityTimeoutS } from '../lib/resources/queue-functions.ts'
import { maxReceiveCount } from '../lib/resources/queues.ts'
import { bucket, table } from '../lib/resources/storage.ts'
import './deployment/dashboard-cases.ts'
import './deployment/guard-cases.ts'
import './deployment/package-cases.ts'
import './deployment/profile-cases.ts'
import './deployment/recursion-cases.ts'
import './deployment/role-cases.ts'
import { findReferencedId } from './support/deployment.ts'
import { lambda, listResourcesOfType, properties, queueOf } from './support/packaged-deployment.ts'

test('exactly the declared functions are deployed', () => {
  const declaredNames = [...Object.keys(functions), ...imageIds.map((image) => `convert-${image}`)]
  const deployedNames = listResourcesOfType('AWS::Lambda::Function').map(
    ([, { Properties }]) => Properties.FunctionName,
  )
  assert.deepEqual(deployedNames.sort(), declaredNames.map((name) => `mutabor-dev-${name}`).sort())
})

for (const [name, givenFunction] of Object.entries(functions)) {
  const declared: FunctionDeclaration = givenFunction
  test(`the function ${name} is deployed with the declared handler, memory and timeout`, () => {
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

test('each function with a declared schedule is invoked by an EventBridge rule with that schedule', () => {
  const rules = listResourcesOfType('AWS::Events::Rule').map(([, { Properties }]) => Properties)
  const scheduledFunctions = Object.entries(functions).flatMap(([name, { trigger }]) =>
    'schedule' in trigger ? [{ name, schedule: trigger.schedule }] : [],
  )
  assert.equal(rules.filter(({ ScheduleExpression }) => ScheduleExpression).length, scheduledFunctions.length)
  for (const { name, schedule } of scheduledFunctions) {
    const rule = rules.find(({ ScheduleExpression }) => ScheduleExpression === schedule)
    assert.partialDeepStrictEqual(rule, {
      State: 'ENABLED',
      Targets: [{ Arn: { 'Fn::GetAtt': [lambda(name).id, 'Arn'] } }],
    })
  }
})

const findRule = (name: string) =>
  listResourcesOfType('AWS::Events::Rule')
    .map(([, { Properties }]) => Properties)
    .find(
      ({ EventPattern, Targets }) => EventPattern && findReferencedId(Targets[0]?.Arn) === lambda(name).id,
    )

function assertRulesCanInvoke(name: string): void {
  const { id } = lambda(name)
  const permissions = listResourcesOfType('AWS::Lambda::Permission').map(([, { Properties }]) => Properties)
  const invokePermissions = permissions.filter(({ Principal }) => Principal === 'events.amazonaws.com')
  assert.ok(
    invokePermissions.some(({ FunctionName }) => findReferencedId(FunctionName) === id),
    `EventBridge may call ${invokePermissions.map(({ FunctionName }) => findReferencedId(FunctionName))} and not ${id}`,
  )
}

test('the event bus invokes the function record-metrics for exactly its declared events', () => {
  const rule = findRule('record-metrics')
  // Compare the whole pattern: each event type that does not belong in it would invoke the function needlessly.
  assert.deepEqual(rule?.EventPattern, {
    source: ['mutabor'],
    'detail-type': functions['record-metrics'].trigger.events,
  })
  assert.deepEqual(rule.EventBusName, { Ref: 'Bus' })
  assertRulesCanInvoke('record-metrics')
})

test('the event bus invokes the function dispatch for job, file, subscription and quota events with webhook listeners', () => {
  const groups = ['job.', 'file.', 'subscription.', 'quota.']
  assert.deepEqual(findRule('dispatch')?.EventPattern, {
    source: ['mutabor'],
    'detail-type': groups.map((prefix) => ({ prefix })),
    detail: { listeners: ['webhooks'] },
  })
  assertRulesCanInvoke('dispatch')
})

test('S3 events invoke the function receive-upload only for objects created under uploads/', () => {
  const rule = findRule('receive-upload')
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
  assertRulesCanInvoke('receive-upload')
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

  test(`the queue of the image ${image} invokes convert-${image} and has a dead-letter queue`, () => {
    const queue = queueOf(image)
    const deadLetterQueue = queueOf(`${image}-dead`)
    assert.partialDeepStrictEqual(queue.properties, {
      VisibilityTimeout: getVisibilityTimeoutS(image),
      RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': [deadLetterQueue.id, 'Arn'] }, maxReceiveCount },
    })
    const mappings = listResourcesOfType('AWS::Lambda::EventSourceMapping').filter(
      ([, { Properties }]) => findReferencedId(Properties.EventSourceArn) === queue.id,
    )
    assert.equal(mappings.length, 1)
    const fn = lambda(`convert-${image}`)
    assert.partialDeepStrictEqual(mappings[0]?.[1].Properties, {
      FunctionName: { 'Fn::GetAtt': [fn.id, 'Arn'] },
      BatchSize: defaultQueueMapping.batchSize,
      FunctionResponseTypes: [defaultQueueMapping.functionResponseType],
    })
    assert.ok(
      Number(fn.properties.Timeout) <= getVisibilityTimeoutS(image),
      "Lambda rejects a timeout above the queue's visibility timeout",
    )
  })
}

/** Creates the functions of the local service and their environment with the code that starts that service. */
function createLocalFunctions() {
  const log = createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined })
  const config = readConfig({})
  const images = openQueueWorkers({ config, environment: {}, logFd: 1, log }).functions
  const environment = createFunctionEnvironment({
    env: {},
    config,
    credentialVariables: {},
    url: '',
    workDir: '',
    logFile: '',
    engines: [],
    secrets: { serviceSecret: '', accessKeyId: '', secretAccessKey: '' },
    endpoints: { urls: {}, hasExternalServers: false, isS3External: false },
    queueUrlPrefix: '',
    lambdaUrl: '',
    hasWebSockets: true,
  })
  return { zipped: createZipFunctions(functions, {}, {}), images, environment }
}

test('the local service runs the deployed functions with the same or higher limits', () => {
  const { zipped, images } = createLocalFunctions()
  const deployedNames = listResourcesOfType('AWS::Lambda::Function').map(
    ([, { Properties }]) => Properties.FunctionName,
  )
  assert.deepEqual(
    deployedNames.sort(),
    [...zipped, ...images].map(({ name }) => `mutabor-dev-${name}`).sort(),
  )
  for (const { name, timeoutMs, memoryMb } of zipped) {
    const { Timeout, MemorySize } = lambda(name).properties
    assert.deepEqual([Timeout, MemorySize], [timeoutMs / 1000, memoryMb], name)
  }
  for (const { name, timeoutMs } of images) {
    assert.ok(timeoutMs / 1000 >= Number(lambda(name).properties.Timeout), name)
  }
})

test('each environment variable of a deployed function is also set by the local service or by its operator', () => {
  // The worker process sets IMAGE_ID; secrets are created at the start of the service, in its folder.
  const localVariables = [
    ...Object.keys(createLocalFunctions().environment),
    ...['IMAGE_ID', 'SECRETS', 'TASK_LIMIT_S', 'MAX_WAITS'],
    // Set by the operator of the machine, or not at all.
    ...['ANONYMOUS_PLAN', 'RETENTION_HOURS', 'ORIGIN_SECRET_ARN', 'FACADES', 'CDN_KEYS'],
  ]
  for (const [id, { Properties }] of listResourcesOfType('AWS::Lambda::Function')) {
    for (const name of Object.keys(Properties.Environment.Variables))
      assert.ok(localVariables.includes(name), `${id} gets ${name}`)
  }
})

/** The function behind a route of either API. */
function findRoutedFunction(target: unknown): string | undefined {
  const { 'Fn::Join': join } = target as { 'Fn::Join': [string, [string, { Ref: string }]] }
  const uri = JSON.stringify(properties(join[1][1].Ref).IntegrationUri)
  return listResourcesOfType('AWS::Lambda::Function')
    .find(([id]) => uri.includes(`"${id}"`))?.[1]
    .Properties.FunctionName?.toString()
    .replace('mutabor-dev-', '')
}

test('the local service serves the deployed routes with the same functions', () => {
  const routes = listResourcesOfType('AWS::ApiGatewayV2::Route').map(([, { Properties }]) => ({
    key: Properties.RouteKey,
    functionName: findRoutedFunction(Properties.Target),
  }))
  const sortRoutes = (all: readonly object[]) =>
    all.map((mapping) => JSON.stringify(mapping, ['key', 'functionName'])).sort()
  assert.deepEqual(
    sortRoutes(routes),
    sortRoutes([...createHttpRoutes(functions), ...createWebSocketRoutes(functions)]),
  )
  const payloadVersions = listResourcesOfType('AWS::ApiGatewayV2::Integration').map(
    ([, { Properties }]) => Properties.PayloadFormatVersion,
  )
  assert.ok(payloadVersions.includes('2.0'), String(payloadVersions))
})

test('the local service retries asynchronous invocations as often as a deployment', () => {
  const retryConfigs = listResourcesOfType('AWS::Lambda::EventInvokeConfig').map(
    ([, { Properties }]) => Properties,
  )
  for (const { name, retryAttempts } of createLocalFunctions().zipped) {
    const { id } = lambda(name)
    const foundFunction = retryConfigs.find(({ FunctionName }) => findReferencedId(FunctionName) === id)
    // Lambda's default.
    assert.equal(foundFunction?.MaximumRetryAttempts ?? 2, retryAttempts, name)
  }
})

test('declared HTTP routes, WebSocket routes and retries become the configuration of the deployment', () => {
  assert.deepEqual(createEvents({ http: true }), [{ httpApi: '*' }])
  assert.deepEqual(createEvents({ http: ['$default', 'GET /items/{id}'] }), [
    { httpApi: '*' },
    { httpApi: 'GET /items/{id}' },
  ])
  assert.deepEqual(createEvents({ websocket: ['$connect', '$disconnect'] }), [
    { websocket: { route: '$connect', routeResponseSelectionExpression: '$default' } },
    { websocket: { route: '$disconnect' } },
  ])
  assert.deepEqual(createAsyncInvocationSettings('push-jobs', { retryAttempts: 1, deadLetter: true }), {
    maximumRetryAttempts: 1,
    onError: { 'Fn::GetAtt': ['PushJobsDeadLetterQueue', 'Arn'] },
  })
})

test('the table is deployed with the declared keys, indexes and TTL attribute', () => {
  const { TimeToLiveAttribute, ...declared } = table
  assert.partialDeepStrictEqual(properties('Table'), {
    ...declared,
    TimeToLiveSpecification: { AttributeName: TimeToLiveAttribute, Enabled: true },
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
  })
  assert.equal(listResourcesOfType('AWS::DynamoDB::Table').length, 1)
})

test('the bucket is deployed with the declared CORS and lifecycle rules, and is not public', () => {
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

test('the edge function rewrites WebSocket URLs like the local service, and overwrites x-viewer-address', () => {
  const edgeFunction = new Function(`${edgeCode}\nreturn handler`)() as (event: unknown) => {
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
    const request = edgeFunction({ viewer: { ip: '192.0.2.1' }, request: { uri, querystring: {}, headers } })
    const query = Object.entries(request.querystring).map(([name, { value }]) => `${name}=${value}`)
    const target = query.length > 0 ? `${request.uri}?${query.join('&')}` : request.uri
    assert.equal(target, getSocketTarget(uri) ?? uri)
    assert.equal(request.headers['x-viewer-address']?.value, '192.0.2.1')
  }
})

test('every endpoint is declared in the function that its route invokes', () => {
  const find = createRouteFinder(createHttpRoutes(functions))
  const of: Readonly<Record<string, readonly AnyContract[]>> = {
    access,
    admin,
    automation,
    conversion,
    drives,
    'job-events': jobEvents,
    jobs,
    uploads,
  }
  for (const route of routes) {
    const name = find(route.method, route.path.replace(/:(\w+)/g, 'x'))?.functionName ?? ''
    // Compares method and path, because the contract of the OpenAPI document is another object in each list.
    const has =
      name === 'api'
        ? api.some(({ path, method }) => path === route.path && method === route.method)
        : of[name]?.includes(route)
    assert.ok(has, `${route.method} ${route.path} is routed to ${name}`)
  }
})
