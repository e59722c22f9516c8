import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../lib/config.ts'
import nodeEnvironment from '../../lib/local/node-environment.json' with { type: 'json' }
import { createFunctionEnvironment, type PartialEnvironment } from '../../lib/local/runtime/environment.ts'

const createEnvironment = (env: PartialEnvironment) =>
  createFunctionEnvironment({
    env,
    config: readConfig({}),
    secrets: { accessKeyId: 'id', secretAccessKey: 'key', serviceSecret: 'secret' },
    endpoints: { urls: {}, hasExternalServers: false, isS3External: false },
    credentialVariables: {},
    url: 'http://localhost:8080',
    queueUrlPrefix: 'http://localhost/queues/',
    lambdaUrl: 'http://localhost',
    hasWebSockets: false,
    engines: [],
    workDir: '/work',
    logFile: '/log',
  })

test('workers do not inherit variables that are set for the gateway process only', () => {
  const environment = createEnvironment({ ...nodeEnvironment, PATH: '/bin' })
  assert.equal(environment['PATH'], '/bin')
  for (const name of Object.keys(nodeEnvironment)) assert.equal(environment[name], undefined, name)
})

test('workers inherit a variable of the gateway process if the user has set another value', () => {
  assert.equal(createEnvironment({ UV_THREADPOOL_SIZE: '3' })['UV_THREADPOOL_SIZE'], '3')
})
