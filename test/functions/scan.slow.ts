import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { readOutlineItems } from '../engines/support/inspect-pdf.ts'
import { readStdout } from '../engines/support/inspect-result.ts'
import { createScannedPage, createScannedPdf } from '../engines/support/scan-maker.ts'
import { before } from '../hooks.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { Client, type JobData, startService, type TestService } from '../support/service.ts'
import { waitUntil } from '../support/wait-until.ts'

const folder = scratchFolder('scan-in-parts')
const count = 24
let scan: { readonly name: string; readonly bytes: Uint8Array<ArrayBuffer> }

before(async () => {
  const pages = Array.from({ length: count }, (_, index) =>
    createScannedPage([`The lighthouse on page ${index + 1}`, `has seen ${(index + 1) * 37} ships pass.`]),
  )
  scan = { name: 'scan.pdf', bytes: new Uint8Array(await createScannedPdf(await Promise.all(pages))) }
})

const send = async (client: Client) => {
  const response = await client.convert(scan, { toolOperation: 'ocr-pdf' })
  const { data } = (await response.json()) as { data: { jobId: string } }
  return data.jobId
}

async function readFacts(client: Client, jobId: string) {
  const job = await client.finishedJob(jobId)
  const savedPath = await client.saved(job, folder)
  return {
    warnings: getOutcome(job),
    pages: (await readStdout('pdfinfo', '-f', '1', '-l', String(count), savedPath)).match(/^Page .*$/gm),
    texts: (await readStdout('pdftotext', savedPath, '-')).split('\f'),
    outline: await readOutlineItems(savedPath),
  }
}

const getOutcome = ({ status, error, warnings, result }: JobData) => ({
  status,
  error,
  warnings,
  ...(result && { ...result, downloadUrl: '', files: [], sha256: '', size: 0 }),
})

const readLog = async ({ dataDir }: TestService) =>
  (await readFile(join(dataDir, 'service.log'), 'utf8')).split('\n')

/** Returns the number of chunks that workers have claimed. */
const countClaimedChunks = async (service: TestService) =>
  (await readLog(service)).filter((line) => line.includes('"task claimed"') && line.includes('"part":'))
    .length

test('OCR of 24 scanned pages in chunks has the same result as a single run, even if the service is killed meanwhile', {
  timeout: 2_400_000,
}, async (t) => {
  const unlimitedService = await startService({ PARALLEL: '1' })
  t.after(() => unlimitedService.stop())
  const client = new Client(unlimitedService)
  const unsplitFacts = await readFacts(client, await send(client))
  assert.equal(
    (await readLog(unlimitedService)).filter((line) => line.includes('"task split into chunks"')).length,
    0,
  )
  await unlimitedService.stop()
  for (const [at, text] of unsplitFacts.texts.slice(0, count).entries())
    assert.match(text, new RegExp(`page ${at + 1}\\s+has seen ${(at + 1) * 37} ships`))
  assert.deepEqual(unsplitFacts.outline, [['The end', count]])
  assert.equal(unsplitFacts.warnings.status, 'completed')
  for (const workers of ['1', '2']) {
    const settings = { PARALLEL: workers, TASK_LIMIT_S: '60' }
    let service = await startService(settings)
    t.after(() => service.stop())
    const sender = new Client(service)
    const startedAtMs = performance.now()
    const jobId = await send(sender)
    const { dataDir } = service
    await waitUntil(async () => (await countClaimedChunks(service)) >= 2, 'two chunks have started', 300)
    await service.kill()
    service = await startService(settings, dataDir)
    assert.deepEqual(await readFacts(sender.at(service), jobId), unsplitFacts)
    t.diagnostic(`${workers} workers: ${((performance.now() - startedAtMs) / 1000).toFixed(0)} s`)
    await service.stop()
  }
})
