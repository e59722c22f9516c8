import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { startEmbedded } from '../embedded-aws/embedded-process.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { waitUntil } from '../support/wait-until.ts'
import { checkRestoredJobs, runBackupScript } from './backup-jobs.ts'
import { checkAcknowledged, startWriters } from './backup-writers.ts'

const run = promisify(execFile)
async function readErrorOutput(...args: Parameters<typeof runBackupScript>): Promise<string> {
  const error: unknown = await runBackupScript(...args).then(
    () => undefined,
    (error: unknown) => error,
  )
  assert.ok(error instanceof Error && 'stderr' in error && 'code' in error && error.code === 1)
  return String(error.stderr).trim()
}

const readMode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)

test('a backup taken while eight clients write contains each write that was acknowledged before it, in full', async (t) => {
  const dir = scratchFolder('backup')
  const data = join(dir, 'data')
  const { firstLine, end } = await startEmbedded(t, '--data', data, '--json')
  const writers = await startWriters(JSON.parse(firstLine))
  const filesBefore = []
  for (const name of ['first.tar', 'second.tar', 'third.tar']) {
    await waitUntil(
      () => writers.acknowledged().items.size >= (filesBefore.length + 1) * 40,
      'some items are acknowledged',
      60,
    )
    filesBefore.push({ name, acknowledged: writers.acknowledged() })
    await runBackupScript('backup', data, join(dir, name))
  }
  await writers.stop()
  assert.equal(await end(), 0)
  assert.deepEqual(
    (await readdir(data)).filter((name) => name.startsWith('.')),
    [],
    'the backups left no files behind',
  )
  for (const { name, acknowledged } of filesBefore) {
    const restoredFolder = join(dir, `restored-${name}`)
    assert.equal(await readMode(join(dir, name)), '600')
    await runBackupScript('restore', restoredFolder, join(dir, name))
    assert.equal(await readMode(join(restoredFolder, 'secrets.json')), '600')
    const restartedServers = await startEmbedded(t, '--data', restoredFolder, '--json')
    await checkAcknowledged(JSON.parse(restartedServers.firstLine), acknowledged)
    await restartedServers.end()
  }
})

test('a service on a restored folder serves all jobs and the results of completed jobs', async (t) => {
  await checkRestoredJobs(t, async (client, openJobs) => {
    for (const id of openJobs) assert.equal((await client.fetch(`/v1/status/${id}`)).status, 200)
  })
})

test('the restore command refuses a data folder that is in use or not empty', async (t) => {
  const dir = scratchFolder('backup')
  const data = join(dir, 'data')
  const archive = join(dir, 'saved.tar')
  const { end } = await startEmbedded(t, '--data', data)
  await runBackupScript('backup', data, archive)
  assert.equal(
    await readErrorOutput('restore', data, archive),
    `The data folder ${data} is in use by another service. Stop that service, or set another DATA_DIR.`,
  )
  await end()
  const secrets = await readFile(join(data, 'secrets.json'), 'utf8')
  assert.equal(
    await readErrorOutput('restore', data, archive),
    `The data folder ${data} already contains data. Move it away, or set another DATA_DIR.`,
  )
  assert.equal(await readFile(join(data, 'secrets.json'), 'utf8'), secrets)
})

test('the restore command rejects damaged archives and archives that are not from the backup command', async (t) => {
  const dir = scratchFolder('backup')
  const data = join(dir, 'data')
  const { end } = await startEmbedded(t, '--data', data)
  await runBackupScript('backup', data, join(dir, 'cut.tar'))
  await end()
  const { size } = await stat(join(dir, 'cut.tar'))
  await truncate(join(dir, 'cut.tar'), Math.floor(size / 2))

  const maliciousPath = join(dir, 'evil')
  await mkdir(join(maliciousPath, 's3'), { recursive: true })
  await writeFile(join(maliciousPath, 'backup.json'), '{"format":1,"createdAt":"2026-01-01T00:00:00.000Z"}')
  await symlink('/etc', join(maliciousPath, 's3', 'blobs'))
  await run('tar', ['-cf', join(dir, 'link.tar'), '-C', maliciousPath, '.'])
  await run('tar', ['-cPf', join(dir, 'outside.tar'), '-C', maliciousPath, 'backup.json', '../cut.tar'])
  await writeFile(join(maliciousPath, 'backup.json'), '{"format":2,"createdAt":"2026-01-01T00:00:00.000Z"}')
  await run('tar', ['-cf', join(dir, 'newer.tar'), '-C', maliciousPath, 'backup.json'])

  const target = join(dir, 'target')
  for (const [name, reason] of [
    ['cut.tar', /Unexpected EOF in archive/],
    ['link.tar', /The archive contains blobs, which is not a regular file/],
    ['outside.tar', /\.\./],
    ['newer.tar', /format/],
  ] as const) {
    const output = await readErrorOutput('restore', target, join(dir, name))
    assert.ok(
      output.startsWith(`${join(dir, name)} is not a backup of this service, or it is damaged: `),
      output,
    )
    assert.match(output, reason)
    assert.deepEqual(
      (await readdir(target)).filter((entry) => !entry.startsWith('lock.sqlite')),
      [],
    )
  }
  assert.equal(
    await readErrorOutput('restore', target, join(dir, 'none.tar')),
    `The file ${join(dir, 'none.tar')} does not exist.`,
  )
})

test('the backup command refuses to overwrite a file and to save a folder that is not a data folder', async () => {
  const dir = scratchFolder('backup')
  const archive = join(dir, 'saved.tar')
  assert.equal(
    await readErrorOutput('backup', dir, archive),
    `${dir} is not a data folder of this service. Set DATA_DIR to the folder to save.`,
  )
  await writeFile(archive, 'something else')
  assert.equal(
    await readErrorOutput('backup', dir, archive),
    `${archive} already exists. Choose another file.`,
  )
  assert.equal(await readErrorOutput('backup', dir), 'Usage: npm run backup -- FILE.tar')
  assert.equal(await readFile(archive, 'utf8'), 'something else')
})
