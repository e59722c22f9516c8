import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { after, before } from '../hooks.ts'
import { python3 } from '../support/python.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { Client, type JobData, startService, type TestService } from '../support/service.ts'

const run = promisify(execFile)

let service: TestService
let client: Client
const scratch = scratchFolder('pdf-tools')
before(async () => {
  service = await startService()
  client = new Client(service)
})
after(() => service.stop())

const readFixture = (name: string) => readFile(new URL(`../fixtures/${name}`, import.meta.url))

interface Sent {
  readonly file?: Buffer
  readonly additional?: string
  readonly fields: Readonly<Record<string, string>>
}

/** Sends the tool's name with pdf as the target format, as the API specifies. */
async function post({ file, additional, fields }: Sent): Promise<Response> {
  const form = new FormData()
  form.set('file', new Blob([file ?? (await readFixture('three-pages.pdf'))]), 'report.pdf')
  if (additional) form.append('additionalFile', new Blob([await readFixture(additional)]), additional)
  for (const [name, value] of Object.entries({ targetFormat: 'pdf', ...fields })) form.set(name, value)
  return client.fetch('/v1/convert', { method: 'POST', body: form })
}

const runTool = async (sent: Sent) => client.accepted(await post(sent))

const saveResult = (job: JobData) => client.saved(job, scratch)

const readText = async (path: string, ...args: string[]) =>
  (await run('pdftotext', [...args, path, '-'])).stdout

test('pages are extracted from a PDF', async () => {
  const path = await saveResult(
    await runTool({ fields: { toolOperation: 'extract-pdf-pages', pages: '3,1' } }),
  )
  assert.deepEqual((await readText(path)).match(/\w+marker/g), ['gammamarker', 'alphamarker'])
})

test('splitting a PDF returns a ZIP, although the requested target was pdf', async () => {
  const job = await runTool({ fields: { toolOperation: 'split-pdf' } })
  assert.equal(job.result?.filename, 'report.zip')
  const listing = await run(python3, ['-m', 'zipfile', '-l', await saveResult(job)])
  assert.match(listing.stdout, /page-001\.pdf[\s\S]*page-003\.pdf/)
})

test('reading the metadata of a PDF returns JSON, although the requested target was pdf', async () => {
  const job = await runTool({ fields: { toolOperation: 'pdf-info' } })
  assert.equal(job.result?.filename, 'report.json')
  assert.equal(JSON.parse(await readFile(await saveResult(job), 'utf8')).pages, 3)
})

test('a PDF is encrypted with a password and decrypted with it', async () => {
  const locked = await saveResult(
    await runTool({ fields: { toolOperation: 'encrypt-pdf', password: 'open sesame' } }),
  )
  await assert.rejects(run('pdfinfo', [locked]), /Incorrect password/)
  const file = await readFile(locked)
  const fields = { toolOperation: 'decrypt-pdf', password: 'open sesame' }
  assert.match(await readText(await saveResult(await runTool({ file, fields }))), /alphamarker/)
  const encryptAgain = { toolOperation: 'encrypt-pdf', password: 'new', currentPassword: 'open sesame' }
  const reencryptedResult = await saveResult(await runTool({ file, fields: encryptAgain }))
  assert.match(await readText(reencryptedResult, '-upw', 'new'), /alphamarker/)
  const refusedReply = await post({ file, fields: { toolOperation: 'rotate-pdf' } })
  assert.equal(refusedReply.status, 422)
  assert.match(await refusedReply.text(), /PDF_ENCRYPTED/)
})

test('an image sent as additionalFile becomes the watermark of a PDF', async () => {
  const job = await runTool({ additional: 'alpha.png', fields: { toolOperation: 'add-watermark-pdf' } })
  assert.match((await run('pdfimages', ['-list', await saveResult(job)])).stdout, /smask/)
})

test('a truncated PDF is refused by rotate-pdf and repaired by repair-pdf', async () => {
  const wholePdf = await readFixture('three-pages.pdf')
  const file = wholePdf.subarray(0, wholePdf.indexOf('xref'))
  assert.equal((await post({ file, fields: { toolOperation: 'rotate-pdf' } })).status, 400)
  const path = await saveResult(await runTool({ file, fields: { toolOperation: 'repair-pdf' } }))
  assert.deepEqual((await readText(path)).match(/\w+marker/g), ['alphamarker', 'betamarker', 'gammamarker'])
})

test('compressing a PDF to an unreachable target size completes with the warning TARGET_NOT_REACHED', async () => {
  const job = await runTool({ fields: { toolOperation: 'compress', targetSize: '1000' } })
  assert.equal(job.status, 'completed')
  assert.deepEqual(
    job.warnings?.map(({ code }) => code),
    ['TARGET_NOT_REACHED'],
  )
})

test('removing PDF pages that do not exist fails the job with INVALID_INPUT', async () => {
  const job = await runTool({ fields: { toolOperation: 'remove-pdf-pages', pages: '7' } })
  assert.equal(job.status, 'failed')
  assert.equal(job.error?.code, 'INVALID_INPUT')
  const left = await post({ fields: { toolOperation: 'extract-pdf-pages' } })
  assert.equal(left.status, 400)
  assert.match(await left.text(), /pages/)
})
