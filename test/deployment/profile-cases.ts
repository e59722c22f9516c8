import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitKinds } from '../../lib/access/wait-limit.ts'
import { exampleStages } from '../../lib/deployment/check/example-stages.ts'
import { describeQuotas, getMaxConcurrency } from '../../lib/deployment/concurrency.ts'
import { createFunctions } from '../../lib/deployment/functions.ts'
import { createNetworkResources } from '../../lib/deployment/network.ts'
import { parseStage, readStage, stageSettingNames } from '../../lib/deployment/stage.ts'
import { profileNames, stageProfiles } from '../../lib/deployment/stage-profiles.ts'

interface DeployedFunction {
  readonly memorySize: number
  readonly environment: Readonly<Record<string, unknown>>
  readonly architecture?: string
  readonly reservedConcurrency?: number
  readonly events: readonly { readonly sqs?: { readonly maximumConcurrency: number } }[]
}
const listFunctions = (name: string, settings: object = {}) =>
  Object.entries(createFunctions(parseStage(name, settings)) as Record<string, DeployedFunction>)

const sumReserved = (name: string) =>
  listFunctions(name).reduce((sum, [, { reservedConcurrency = 0 }]) => sum + reservedConcurrency, 0)

test('each deployment profile can be packaged without a stage file and stays within its quotas', () => {
  for (const name of profileNames) {
    const { functionsAtATime, functionMb } = stageProfiles[name]
    assert.deepEqual(readStage(name, '/nonexistent').profile, name)
    for (const [id, { memorySize, events }] of listFunctions(name)) {
      assert.ok(memorySize <= functionMb, `${id} of ${name} has ${memorySize} MB`)
      for (const { sqs } of events)
        if (sqs) assert.ok(sqs.maximumConcurrency >= 2 && sqs.maximumConcurrency <= 1000, `${id} of ${name}`)
    }
    assert.ok(sumReserved(name) <= Math.max(0, functionsAtATime - 100), name)
  }
})

test('the deployment profile small reserves no concurrency and gives each queue at most two executions', () => {
  for (const [id, { reservedConcurrency, memorySize, events }] of listFunctions('small')) {
    assert.equal(reservedConcurrency, undefined, id)
    assert.ok(memorySize <= 3008, id)
    for (const { sqs } of events) if (sqs) assert.equal(sqs.maximumConcurrency, 2, id)
  }
})

test('the deployment profile large has at least five times the concurrency of standard for functions that run jobs', () => {
  const standardStage = parseStage('standard', {})
  const large = parseStage('large', {})
  assert.deepEqual(
    ['jobs', 'broadcast', 'convert-av'].map((name) => getMaxConcurrency(name, standardStage)),
    [100, 20, 20],
  )
  for (const name of ['jobs', 'prepare', 'count-usage', 'record-metrics', 'broadcast', 'convert-av'])
    assert.ok(getMaxConcurrency(name, large) >= 5 * getMaxConcurrency(name, standardStage), name)
})

test('a setting of a deployment stage overrides the same setting of its profile', () => {
  const stage = parseStage('dev', { profile: 'large', conversionsAtATime: 7, concurrency: { jobs: 50 } })
  assert.deepEqual(
    [stage.requestsPerSecond, getMaxConcurrency('convert-av', stage), getMaxConcurrency('jobs', stage)],
    [stageProfiles.large.requestsPerSecond, 7, 50],
  )
  assert.throws(() => parseStage('dev', { concurrency: { nothing: 1 } }), /concurrency/)
})

test('packaging reports the reserved concurrency of a stage and the quotas that a new account has to raise', () => {
  const standardStage = parseStage('standard', {})
  assert.match(
    describeQuotas(standardStage),
    /^Stage standard \(standard\): the concurrency limits add up to \d+; \d+ of 1000 are reserved; other stages in the account can reserve \d+\.\nQuotas that a new account has to raise: concurrent executions to 1000, memory of a function to 10240 MB\.$/,
  )
  assert.match(
    describeQuotas(parseStage('small', {})),
    /nothing is reserved, and all functions share 10\.\nIt fits into a new account\.$/,
  )
})

test('requests that wait for a job leave concurrency for other requests, even if all functions share the concurrency', () => {
  const getMaxWaits = (name: string) =>
    listFunctions(name).flatMap(([id, { environment }]) => {
      const limit = environment['MAX_WAITS']
      return limit === undefined ? [] : [[id, Number(limit)] as const]
    })
  // MAX_WAITS applies per time window, and the requests of two windows can wait at the same time.
  for (const [, waits] of getMaxWaits('small'))
    assert.ok(2 * waits * waitKinds.length < stageProfiles.small.functionsAtATime)
  const standardStage = parseStage('standard', {})
  for (const [id, waits] of getMaxWaits('standard')) {
    // Some requests to `jobs` create a job, others watch one.
    const kinds = id === 'jobs' ? 2 : 1
    assert.ok(2 * waits * kinds <= getMaxConcurrency(id, standardStage) / 2, id)
  }
})

test('functions without engines can run on arm64, while container images keep the architecture of their build', () => {
  for (const [id, { architecture }] of listFunctions('dev', { architecture: 'arm64' })) {
    const isImage = id.startsWith('convert-') || id === 'capture' || id === 'probe'
    assert.equal(architecture, isImage ? undefined : 'arm64', id)
  }
})

test('the availability zones of the network can be configured', () => {
  const listZones = (settings: object) =>
    Object.values<unknown>(createNetworkResources(parseStage('dev', settings)))
      // Resources of CloudFormation.
      .map(
        (resource) => (resource as { Properties?: Record<string, unknown> }).Properties?.['AvailabilityZone'],
      )
      .filter((zone) => zone !== undefined)
  assert.deepEqual(listZones({ zones: ['us-east-1a', 'us-east-1d'] }), ['us-east-1a', 'us-east-1d'])
  assert.deepEqual(listZones({})[1], { 'Fn::Select': [1, { 'Fn::GetAZs': '' }] })
})

test('deploy:check -- --all packages a stage of each profile and a stage with every setting', () => {
  assert.deepEqual(Object.keys(exampleStages), ['dev', ...profileNames, 'prod'])
  for (const [name, settings] of Object.entries(exampleStages))
    assert.equal(parseStage(name, settings).name, name)
  assert.deepEqual(Object.keys(exampleStages['prod'] ?? {}).toSorted(), stageSettingNames.toSorted())
})
