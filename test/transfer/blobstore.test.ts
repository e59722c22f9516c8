import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import {
  type ContainerClient,
  ContainerSASPermissions,
  generateBlobSASQueryParameters,
} from '@azure/storage-blob'
import { AppError } from '../../lib/errors.ts'
import { findInBlobstore, openBlobstore } from '../../lib/transfer/blobstore.ts'
import { GuardedHttp } from '../../lib/transfer/guarded-http.ts'
import { RemoteError } from '../../lib/transfer/remote-error.ts'
import type { OutgoingFile } from '../../lib/transfer/transfer.ts'
import { credential, startAzurite } from './azurite.ts'

const guardedHttp = new GuardedHttp({ allowedNetworks: ['127.0.0.1/32'] })
const publicOnlyHttp = new GuardedHttp()
const { signal } = new AbortController()
let azurite: Awaited<ReturnType<typeof startAzurite>>
let container: ContainerClient
let access: Record<string, string>

before(async () => {
  azurite = await startAzurite()
  container = azurite.container
  access = azurite.access
})
after(() => Promise.all([azurite.stop(), guardedHttp.close(), publicOnlyHttp.close()]))

const put = (name: string, text: string) => container.getBlockBlobClient(name).upload(text, text.length)

test('Azure files with a prefix are found, and a file can be read from a given position', async () => {
  for (const name of ['in/a.txt', 'in/deep/b.txt', 'other.txt']) await put(name, `this is ${name}`)
  const foundFiles = await findInBlobstore({ ...access, blob_prefix: 'in/' }, { guardedHttp, signal })
  assert.deepEqual(
    foundFiles.map(({ filename, size }) => [filename, size]),
    [
      ['a.txt', 16],
      ['b.txt', 21],
    ],
  )
  const remainder = await foundFiles[0]?.open(8, signal)
  assert.equal((await buffer(remainder ?? assert.fail())).toString(), 'in/a.txt')
})

test('an Azure shared access signature with read permission works, and a write-only signature is forbidden', async () => {
  await put('shared.txt', 'shared')
  const { storage_access_key: _, ...withoutKey } = access
  const createToken = (permissions: string) =>
    generateBlobSASQueryParameters(
      {
        containerName: 'box',
        permissions: ContainerSASPermissions.parse(permissions),
        expiresOn: new Date(Date.now() + 60_000),
      },
      credential,
    ).toString()
  const find = (sas_token: string) =>
    findInBlobstore({ ...withoutKey, sas_token, blob: 'shared.txt' }, { guardedHttp, signal })
  const [file] = await find(createToken('r'))
  assert.equal(file?.size, 6)
  await assert.rejects(find(createToken('w')), (error) => {
    assert.ok(error instanceof RemoteError)
    assert.equal(error.reason, 'forbidden')
    assert.doesNotMatch(error.message, /sig=/)
    return true
  })
})

test('an Azure file that changed after it was found is rejected instead of mixing two versions', async () => {
  await put('turning.txt', 'one')
  const [file] = await findInBlobstore({ ...access, blob: 'turning.txt' }, { guardedHttp, signal })
  await put('turning.txt', 'two')
  await assert.rejects(file?.open(1, signal) ?? assert.fail(), /changed while it was being fetched/)
  const [listedFile] = await findInBlobstore({ ...access, blob_prefix: 'turning' }, { guardedHttp, signal })
  await put('turning.txt', 'three')
  await assert.rejects(listedFile?.open(0, signal) ?? assert.fail(), /changed while it was being fetched/)
})

test('an export to Azure stores the content, the content type, cache_control and metadata', async () => {
  const content = Buffer.alloc(20 * 1024 ** 2, 'result ')
  const fields = { ...access, cache_control: 'max-age=60', metadata: { from: 'test' } }
  const store = await openBlobstore(fields, { guardedHttp, signal })
  let sentBytes = 0
  const file = { path: 'out/result.bin', size: content.length, mimeType: 'application/x-test', sha256: '' }
  const openFile: OutgoingFile['open'] = async ({ start, end } = { start: 0, end: content.length }) =>
    Readable.from([content.subarray(start, end)])
  const url = await store.put({ ...file, open: openFile }, (bytes) => {
    sentBytes += bytes
  })
  assert.equal(url, `${access['endpoint']}/box/out/result.bin`)
  assert.equal(sentBytes, content.length)
  const blob = container.getBlobClient('out/result.bin')
  assert.deepEqual(await blob.downloadToBuffer(), content)
  const { contentType, cacheControl, metadata } = await blob.getProperties()
  assert.deepEqual([contentType, cacheControl, metadata], [file.mimeType, 'max-age=60', { from: 'test' }])
})

test('errors of Azure Blob Storage are mapped to reasons, and private addresses are never requested', async () => {
  const getFailureReason = async (fields: object) => {
    try {
      await findInBlobstore({ ...access, blob: 'none', ...fields }, { guardedHttp, signal })
    } catch (error) {
      return error instanceof RemoteError ? error.reason : String(error)
    }
    return 'nothing'
  }
  assert.equal(await getFailureReason({}), 'not-found')
  assert.equal(await getFailureReason({ container: 'nowhere' }), 'not-found')
  assert.equal(await getFailureReason({ storage_access_key: 'd3Jvbmc=' }), 'forbidden')
  await assert.rejects(
    findInBlobstore({ ...access, blob: 'a' }, { guardedHttp: publicOnlyHttp, signal }),
    (error) => error instanceof AppError && error.code === 'URL_NOT_ALLOWED',
  )
})
