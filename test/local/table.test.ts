import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import { test } from 'node:test'
import { Table } from '../../lib/aws/table.ts'
import { processEnvironment, readConfig } from '../../lib/config.ts'
import { close, listen } from '../../lib/local/listen.ts'

test('a database that hangs is asked again after three seconds, on a new connection', async (t) => {
  const silent: ServerResponse[] = []
  const server = createServer((_, response) => {
    if (silent.push(response) === 1) return
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end('{"Item":{"pk":{"S":"a"}}}')
  })
  const endpoint = `http://127.0.0.1:${await listen(server, 0)}`
  t.after(() => close(server))
  const given = {
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    AWS_ACCESS_KEY_ID: 'key',
    AWS_SECRET_ACCESS_KEY: 'secret',
  }
  const before = Object.keys(given).map((name) => [name, processEnvironment[name]] as const)
  Object.assign(processEnvironment, given)
  t.after(() => {
    for (const [name, value] of before)
      if (value === undefined) delete processEnvironment[name]
      else processEnvironment[name] = value
  })
  const table = new Table(readConfig({}))
  const asked = performance.now()
  assert.deepEqual(await table.get({ pk: 'a', sk: 'b' }), { pk: 'a' })
  const tookMs = performance.now() - asked
  assert.ok(tookMs > 2500 && tookMs < 9000, `took ${tookMs} ms`)
  assert.equal(silent.length, 2)
  assert.ok(silent[0]?.destroyed, 'the first connection was given up')
})
