import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { SignatureRejectedError, SignedFiles } from '../../lib/aws/signed-files.ts'
import { TaskUrlSigner } from '../../lib/aws/task-url-signer.ts'
import { readConfig } from '../../lib/config.ts'
import { Vault } from '../../lib/crypto/sealed.ts'
import { closeServer, listen } from '../../lib/embedded-aws/listen.ts'
import { openS3Server } from '../../lib/embedded-aws/s3/server.ts'
import type { AppError } from '../../lib/errors.ts'
import { createTaskServices, PresignedVault } from '../../lib/jobs/run/presigned-services.ts'
import type { Services } from '../../lib/services/services.ts'
import { after, before } from '../hooks.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

const folder = scratchFolder('signed-files')
const keys = { accessKeyId: 'AKIASIGNER', secretAccessKey: 'signer' }
const { signal } = new AbortController()
const openedResources = new AsyncDisposableStack()
let s3: S3Client
let signer: TaskUrlSigner
before(async () => {
  const store = await openS3Server({ dir: join(folder, 's3'), credentials: [keys], region: 'eu-central-1' })
  const server = createServer(store.handle)
  const endpoint = `http://127.0.0.1:${await listen(server, 0)}`
  openedResources.defer(() => store.close())
  openedResources.defer(() => closeServer(server))
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'AKIASIGNER', AWS_SECRET_ACCESS_KEY: 'signer' })
  process.env['AWS_ENDPOINT_URL_S3'] = endpoint
  s3 = new S3Client({ region: 'eu-central-1', endpoint, forcePathStyle: true })
  await s3.send(new CreateBucketCommand({ Bucket: 'mutabor' }))
  signer = new TaskUrlSigner(readConfig())
})
after(() => openedResources.disposeAsync())

const put = (Key: string, Body: string) => s3.send(new PutObjectCommand({ Bucket: 'mutabor', Key, Body }))
const getPath = (name: string) => join(folder, name)
const source = { key: 'received/a', filename: 'a.txt' }

async function createSignedFiles(expiresS = 60): Promise<SignedFiles> {
  const inputs = { [source.key]: await signer.signInput(source.key, expiresS) }
  return new SignedFiles({ inputs, output: await signer.signOutput('jobs/j/1/', expiresS) })
}
const hasCode = (code: AppError['code']) => (error: AppError) => error.code === code

test('a worker without credentials can read the files of its task and store its results', async () => {
  const { ETag } = await put(source.key, 'input')
  const files = await createSignedFiles()
  await files.getFile({ ...source, etag: ETag }, getPath('in'), signal)
  assert.equal(readFileSync(getPath('in'), 'utf8'), 'input')
  writeFileSync(getPath('out'), 'output')
  const sha256 = createHash('sha256').update('output').digest('hex')
  await files.putFile('jobs/j/1/out.txt', getPath('out'), 'text/plain', Promise.resolve(sha256))
  const storedObject = await s3.send(new GetObjectCommand({ Bucket: 'mutabor', Key: 'jobs/j/1/out.txt' }))
  assert.equal(storedObject.ContentType, 'text/plain')
  assert.equal(await storedObject.Body?.transformToString(), 'output')
  // Written like a captured website, which is stored and then examined.
  const target = { path: getPath('page'), contentType: 'text/html', signal }
  await files.receive('jobs/j/1/page', Readable.from([Buffer.from('<html>')]), target)
  assert.equal(Buffer.from(await files.read('jobs/j/1/page', 1, 5)).toString(), 'html')
})

test('a worker without credentials can neither read other files nor store results elsewhere', async () => {
  const files = await createSignedFiles()
  const get = (key: string) => files.getFile({ key, filename: 'b' }, getPath('other'), signal)
  await assert.rejects(get('received/b'), SignatureRejectedError)
  writeFileSync(getPath('out'), 'x')
  const sha256 = createHash('sha256').update('x').digest('hex')
  const store = (from: SignedFiles, key: string, hash = sha256) =>
    from.putFile(key, getPath('out'), 'text/plain', Promise.resolve(hash))
  await assert.rejects(store(files, 'jobs/j/2/out.txt'), SignatureRejectedError)
  const output = await signer.signOutput('jobs/j/1/', 60)
  const tampered = new SignedFiles({ inputs: {}, output: { ...output, prefix: 'jobs/' } })
  await assert.rejects(store(tampered, 'jobs/j/2/out.txt'), SignatureRejectedError)
  await assert.rejects(
    store(files, 'jobs/j/1/out.txt', '0'.repeat(64)),
    SignatureRejectedError,
    'another hash',
  )
})

test('a worker gets different errors for a deleted input, an overwritten input and an invalid signature', async () => {
  const { ETag } = await put(source.key, 'first')
  await put(source.key, 'second')
  const files = await createSignedFiles()
  const get = (from = files, etag?: string) => from.getFile({ ...source, etag }, getPath('late'), signal)
  await assert.rejects(get(files, ETag), hasCode('CONFLICT'))
  const otherInput = { key: 'received/gone', filename: 'gone.txt' }
  const inputs = { [otherInput.key]: await signer.signInput(otherInput.key, 60) }
  const filesWithoutInput = new SignedFiles({ inputs, output: await signer.signOutput('jobs/j/1/', 60) })
  await assert.rejects(filesWithoutInput.getFile(otherInput, getPath('late'), signal), hasCode('FILE_GONE'))
  const url = await signer.signInput(source.key, 60)
  const tampered = { [source.key]: url.replace(/X-Amz-Signature=\w{8}/, 'X-Amz-Signature=00000000') }
  const output = await signer.signOutput('jobs/j/1/', 60)
  await assert.rejects(get(new SignedFiles({ inputs: tampered, output })), SignatureRejectedError)
})

test('a worker can decrypt the secrets in its task message but no others, and stores them encrypted', () => {
  const vault = new Vault('s'.repeat(40))
  const sealedSecret = vault.seal('secret', 'job_1')
  const taskVault = new PresignedVault({ [sealedSecret.sealed]: 'secret' })
  assert.deepEqual(taskVault.unsealAll({ options: { password: sealedSecret } }), {
    options: { password: 'secret' },
  })
  assert.deepEqual(taskVault.sealSecrets({ password: 'secret', pages: '1' }, new Set(['password'])), {
    password: sealedSecret,
    pages: '1',
  })
  // Values that are not secret, undefined or already sealed stay unchanged.
  const storedFields = { password: sealedSecret, key: undefined, pages: '1' }
  assert.deepEqual(taskVault.sealSecrets(storedFields, new Set(['password', 'key'])), storedFields)
  assert.throws(
    () => taskVault.unsealAll({ password: vault.seal('of another job', 'job_2') }),
    /does not contain this secret/,
  )
  assert.throws(
    () => taskVault.sealSecrets({ password: 'new' }, new Set(['password'])),
    /has no sealed value/,
  )
})

test("a task message is rejected if its signatures are missing or expire before the task's time limit", async () => {
  const services = { config: { TASK_FILES: 'signed' } } as Services
  const message = { jobId: 'job_1', task: 1 }
  const presignedWork = {
    until: Date.now() + 60_000,
    inputs: {},
    output: await signer.signOutput('jobs/job_1/1/', 60),
    opened: {},
  }
  const createServices = (from: object, remainingMs = 30_000) =>
    createTaskServices({ ...message, ...from }, { services, queue: 'image', remainingMs })
  assert.ok((await createServices({ work: presignedWork }))?.files instanceof SignedFiles)
  assert.equal(await createServices({ work: presignedWork }, 90_000), undefined)
  assert.equal(await createServices({}), undefined)
  await put('work/large.json', JSON.stringify(presignedWork))
  assert.ok(await createServices({ work: { url: await signer.signInput('work/large.json', 60) } }))
  // If the signed work was deleted or its signature is invalid, there are no services, and the task is sent back to be
  // signed again. If the storage is unavailable, the call fails, because the storage may recover soon.
  const goneUrl = await signer.signInput('work/gone.json', 60)
  assert.equal(await createServices({ work: { url: goneUrl } }), undefined)
  const expiredUrl = goneUrl.replace(/X-Amz-Signature=\w{8}/, 'X-Amz-Signature=00000000')
  assert.equal(await createServices({ work: { url: expiredUrl } }), undefined)
  const unavailableServer = createServer((_, reply) => reply.writeHead(503).end())
  const url = `http://127.0.0.1:${await listen(unavailableServer, 0)}`
  await assert.rejects(createServices({ work: { url } }), /the storage responded with status 503/)
  await closeServer(unavailableServer)
})
