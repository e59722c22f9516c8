import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { after, before } from '../hooks.ts'
import { listDescendants } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { Client, startService, type TestService } from '../support/service.ts'

const isRoot = process.getuid?.() === 0
const operatorSecret = 'a token that only the operator has'
let service: TestService
before(async () => {
  // Only root can read the file of the operator.
  const PLANS_FILE = join(scratchFolder('plans'), 'plans.json')
  await writeFile(PLANS_FILE, JSON.stringify({ 'self-hosted': { concurrentJobs: 3 } }), { mode: 0o600 })
  const SMTP_URL = 'smtp://user:pass@127.0.0.1:9'
  service = await startService({ OPERATOR_TOKEN: operatorSecret, SMTP_URL, PLANS_FILE })
  const client = new Client(service)
  const png = await readFile(new URL('../fixtures/alpha.png', import.meta.url))
  for (const [name, targetFormat] of [
    ['a.png', 'webp'],
    ['a.png', 'pdf'],
  ] as const) {
    const response = await client.convert({ name, bytes: Buffer.from(png) }, { targetFormat })
    const { data } = (await response.json()) as { data: { jobId: string } }
    assert.equal((await client.finishedJob(data.jobId)).status, 'completed')
    const result = await client.fetch(`/v1/download/${data.jobId}`)
    assert.ok([200, 302, 307].includes(result.status), String(result.status))
  }
})
after(() => service.stop())

const workers = () =>
  listDescendants(service.pid).filter(({ command }) => /node.* \S*worker\.ts/.test(command))
const listSecrets = () =>
  JSON.parse(readFileSync(join(service.dataDir, 'secrets.json'), 'utf8')) as { serviceSecret: string }

test('workers get no service secret, no settings of other components and no variables of the operator', () => {
  assert.ok(workers().length > 0)
  for (const { pid } of workers()) {
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8')
    assert.doesNotMatch(environment, /OPERATOR_TOKEN|SERVICE_SECRET|SMTP_URL|WEBHOOK_KEY|DOWNLOAD_KEY/)
    assert.ok(!environment.includes(listSecrets().serviceSecret))
    assert.ok(!environment.includes(operatorSecret))
    assert.match(environment, /TASK_KEY=/)
  }
})

test('workers of a service that root started have no capabilities and a user of their own', {
  skip: !isRoot,
}, () => {
  for (const { pid } of workers()) {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const [, uid] = /^Uid:\s+(\d+)/m.exec(status) ?? []
    assert.equal(Number(uid), statSync(join(service.dataDir, 'work')).uid)
    assert.ok(Number(uid) >= 1_900_000_000)
    assert.match(status, /^CapEff:\s+0+$/m)
    assert.match(status, /^CapBnd:|^CapPrm:\s+0+$/m)
    assert.match(status, /^Groups:\s*$/m)
  }
})

test('the user of workers can read the files of S3 objects, but no other data of the service', {
  skip: !isRoot,
}, async () => {
  const { gid } = statSync(service.dataDir)
  const entries = await readdir(service.dataDir, { recursive: true, withFileTypes: true })
  const readableFiles = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(join(service.dataDir, 'work')))
    .filter((path) => {
      const stats = statSync(path)
      return (stats.mode & 0o004) !== 0 || ((stats.mode & 0o040) !== 0 && stats.gid === gid)
    })
  assert.ok(readableFiles.length > 0)
  for (const path of readableFiles) assert.ok(path.startsWith(join(service.dataDir, 's3/blobs')), path)
})
