import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Client, startService } from '../support/service.ts'

const start = fileURLToPath(new URL('../../lib/local/commands/start.ts', import.meta.url))

/** Starts a service that exits with an error, and returns its stderr. */
function readStartError(env: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [start],
      { env: { ...process.env, ...env }, timeout: 20_000 },
      (error, _stdout, stderr) => {
        if (error?.code === 1) resolve(stderr.trim())
        else reject(error ?? new Error('it started'))
      },
    )
  })
}

test('with too little free disk space, new files are rejected and the health endpoint reports the reason', async () => {
  const service = await startService({ MIN_FREE_DISK_GB: '100000' })
  try {
    const client = new Client(service)
    const convert = await client.convert({ name: 'a.png', bytes: Buffer.from('x') }, { targetFormat: 'jpg' })
    assert.equal(convert.status, 503)
    assert.equal(
      ((await convert.json()) as { error: { code: string } }).error.code,
      'INSUFFICIENT_DISK_SPACE',
    )
    const presignReply = await client.post('/v1/uploads/presign', { filename: 'a.png', size: 1 })
    assert.equal(presignReply.status, 503)
    const health = await client.fetch('/health')
    assert.equal(health.status, 503)
    const { parts } = (await health.json()) as { parts: { disk: { ok: boolean; message: string } } }
    assert.match(parts.disk.message, /GB free, 100000 GB needed/)
  } finally {
    await service.stop()
  }
})

test('the service exits with an error message if a setting is invalid, or if its port or data folder is in use', async () => {
  assert.match(
    await readStartError({ PORT: 'eighty' }),
    /^PORT: expected a whole number from 0 to 65535, got "eighty"\. Port of the service\.$/,
  )
  const service = await startService()
  try {
    const { port } = new URL(service.url)
    assert.match(
      await readStartError({ DATA_DIR: service.dataDir, PORT: '0' }),
      /^The data folder .* is in use by another service\./,
    )
    assert.match(
      await readStartError({ DATA_DIR: `${service.dataDir}/other`, PORT: port }),
      /^Port \d+ on \S+ is in use\./,
    )
  } finally {
    await service.stop()
  }
})

test('with ENGINES=vips, GET /v1/formats omits docx and mp4; with REQUEST_BODIES=whole, large bodies get a 413', async () => {
  const service = await startService({ ENGINES: 'vips', REQUEST_BODIES: 'whole' })
  try {
    const { data } = (await (await fetch(`${service.url}/v1/formats`)).json()) as {
      data: { formats: { id: string }[] }
    }
    const ids = data.formats.map(({ id }) => id)
    assert.deepEqual(
      ['png', 'docx', 'mp4'].filter((id) => ids.includes(id)),
      ['png'],
    )
    await assertBodyLimit(new Client(service))
  } finally {
    await service.stop()
  }
})

/** Sends bodies of various sizes to a service that buffers them in base64, as API Gateway does. */
async function assertBodyLimit(client: Client): Promise<void> {
  const png = Buffer.from(await readFile(new URL('../fixtures/alpha.png', import.meta.url)))
  const mib = 1024 ** 2
  const createForm = (bytes: number) => {
    const padded = Buffer.concat([png, Buffer.alloc(Math.max(0, bytes - png.length))])
    return client.convert({ name: 'a.png', bytes: padded }, { targetFormat: 'webp' })
  }
  assert.equal((await client.accepted(await createForm(0))).status, 'completed')
  assert.equal((await createForm(4.3 * mib)).status, 400, 'it is read, but the image is incomplete')
  const inlineImport = { operation: 'import/base64', filename: 'a.png', file: 'A'.repeat(4.5 * mib) }
  const tasks = { in: inlineImport, out: { operation: 'export/url', input: 'in' } }
  // Bodies above our limit, above the limit of a function, and above the limit of the gateway.
  const refusedReplies = [await createForm(4.5 * mib), await createForm(6 * mib), await createForm(11 * mib)]
  for (const response of [...refusedReplies, await client.post('/v1/jobs', { tasks })]) {
    const { error } = (await response.json()) as { error: { code: string; message: string } }
    assert.deepEqual([response.status, error.code], [413, 'FILE_TOO_LARGE'])
    assert.match(error.message, /Upload the file with POST \/v1\/uploads\/presign/)
  }
  const { info } = (await (await client.fetch('/v1/openapi.json')).json()) as {
    info: { description: string }
  }
  assert.match(info.description, /maximum request size is 4613734 bytes/)
}
