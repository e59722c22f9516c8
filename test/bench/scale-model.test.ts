import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jobInvocations, usagePerJob } from '../../lib/deployment/common-job.ts'
import { parseStage } from '../../lib/deployment/stage.ts'
import { profileNames, stageProfiles } from '../../lib/deployment/stage-profiles.ts'
import { calculateMaxJobsPerS, calculateUse, listResources, simulateBurst } from './scale-model.ts'

const createStage = (name: string, settings: object = {}) => parseStage(name, settings)

test('at the highest load of a deployment profile, one resource is fully used and no other exceeds its limit', () => {
  for (const name of profileNames) {
    const resources = listResources(createStage(name))
    const [first, second] = calculateUse(resources, calculateMaxJobsPerS(resources))
    assert.equal(Math.round(first?.percent ?? 0), 100, name)
    assert.ok(second && second.percent <= 100, name)
  }
})

test('the scale model uses the limits of the deployment profile and the measured requests and write units per job', () => {
  const resources = listResources(createStage('standard'))
  const find = (name: string) => resources.find((resource) => resource.name === name)
  assert.deepEqual(find('requests per second of the API'), {
    name: 'requests per second of the API',
    limit: stageProfiles.standard.requestsPerSecond,
    perJob: usagePerJob.requests,
  })
  assert.equal(find('table, write units')?.perJob, usagePerJob.writeUnits)
  assert.equal(find('concurrency of prepare')?.limit, 20)
})

test('in the scale model, the large profile handles three million jobs a day, and the small profile under one million', () => {
  const [small, , large] = profileNames.map((name) => calculateMaxJobsPerS(listResources(createStage(name))))
  const perDay = (jobsPerS = 0) => jobsPerS * 86_400
  assert.ok(perDay(small) < 1_000_000)
  assert.ok(perDay(large) > 3 * 1_000_000)
})

test('without reserved concurrency, all functions share the concurrency of the AWS account', () => {
  const pool = listResources(createStage('small')).find(({ name }) => name === 'concurrency of the account')
  assert.equal(pool?.limit, 10)
  const use = Object.values(jobInvocations).reduce((sum, { count, seconds }) => sum + count * seconds, 0)
  // Ten messages for `prepare` share one execution.
  assert.ok(pool && pool.perJob > use - 0.3 && pool.perJob < use + 0.3, String(pool?.perJob))
})

test('a simulated burst of jobs takes as long as its slowest step needs for all jobs', () => {
  const stage = createStage('standard')
  const { seconds, bottleneck } = simulateBurst(stage, 10_000)
  assert.equal(bottleneck, 'POST /v1/convert')
  const requestS = (10_000 * usagePerJob.requests) / stage.requestsPerSecond
  assert.ok(seconds >= requestS && seconds < 1.1 * requestS, `${seconds} s for ${requestS} s of requests`)
  assert.ok(simulateBurst(stage, 20_000).seconds > 1.9 * seconds)
})

test('a simulated burst of slow conversions waits in the queue of their container image', () => {
  const stage = createStage('large', { conversionsAtATime: 10, requestsPerSecond: 10_000 })
  const { seconds, bottleneck } = simulateBurst(stage, 1000, 'font')
  assert.equal(bottleneck, 'queue font')
  assert.ok(seconds >= 240, `${seconds} s for 1,000 jobs of 2.4 s, ten at a time`)
})
