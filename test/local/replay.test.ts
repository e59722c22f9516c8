import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { s3DatabasePath } from '../../lib/local/commands/backup/s3-files.ts'
import { createCommandPrinter } from '../../lib/local/commands/replay/command-logger.ts'
import { Printer } from '../../lib/local/commands/replay/printer.ts'
import { readImageSize } from '../engines/support/inspect-result.ts'
import { after, before } from '../hooks.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { Client, startService, type TestService } from '../support/service.ts'

const run = promisify(execFile)
const program = fileURLToPath(new URL('../../lib/local/commands/replay.ts', import.meta.url))
const fixture = async (name: string) =>
  new Uint8Array(await readFile(new URL(`../fixtures/${name}`, import.meta.url)))

interface ExitResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs `npm run replay`. */
const replay = ({ dataDir }: Pick<TestService, 'dataDir'>, ...args: string[]) =>
  replayWith({ DATA_DIR: dataDir }, args)

async function replayWith(
  settings: Readonly<Record<string, string>>,
  args: readonly string[],
): Promise<ExitResult> {
  const env = { ...process.env, WORK_DIR: scratchFolder('replay'), ...settings }
  return run(process.execPath, [program, ...args], { env }).then(
    (output) => ({ code: 0, ...output }),
    // execFile rejects with an error that has these properties.
    (error: unknown) => error as ExitResult,
  )
}

async function convertAndWait(
  client: Client,
  file: { name: string; bytes: Uint8Array<ArrayBuffer> },
  fields: Record<string, string>,
): Promise<string> {
  const response = await client.convert(file, fields)
  const { data } = (await response.json()) as { data: { jobId: string } }
  await client.finishedJob(data.jobId)
  return data.jobId
}

/** Returns settings with which `npm run replay` accesses the running service like a deployment. */
async function readDeploymentSettings({ dataDir }: TestService): Promise<Record<string, string>> {
  const log = await readFile(join(dataDir, 'service.log'), 'utf8')
  const startedLine = log.split('\n').findLast((line) => line.includes('service started')) ?? ''
  const secrets = JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8'))
  return {
    ...JSON.parse(startedLine).servers,
    AWS_ACCESS_KEY_ID: secrets.accessKeyId,
    AWS_SECRET_ACCESS_KEY: secrets.secretAccessKey,
    TABLE_NAME: 'mutabor',
    BUCKET_NAME: 'mutabor',
    DATA_DIR: '',
  }
}

let service: TestService
let client: Client
before(async () => {
  service = await startService()
  client = new Client(service)
})
after(() => service.stop())

test("replay shows a failed job with the engine's output, and the job fails again in the same way", async () => {
  const flac = await fixture('tone.flac')
  const truncatedFlac = { name: 'cut.flac', bytes: flac.slice(0, flac.length / 3) }
  const jobId = await convertAndWait(client, truncatedFlac, { targetFormat: 'mp3' })
  const { code, stdout } = await replay(service, jobId)
  assert.equal(code, 1, stdout)
  const sentence = 'CORRUPT_FILE: The Free Lossless Audio Codec (flac) file is damaged or incomplete.'
  for (const expectedText of [
    `${jobId}: failed, in ${service.dataDir}, of the running service`,
    'cut.flac (flac, ',
    'import-file: completed\n    import/upload\n    result cut.flac (flac, ',
    'convert-file: failed, attempt 1',
    'convert of import-file, created ',
    '1. flac to mp3 with ffmpeg (image av) {"mode":"auto"}',
    'job created',
    'task claimed',
    'task failed',
    'path=/v1/convert  status=202',
  ])
    assert.ok(stdout.includes(expectedText), `"${expectedText}" is missing in ${stdout}`)
  const [report = '', secondRun = ''] = stdout.split('Running convert-file again')
  assert.match(report, /Output of the engines\n {2}ffprobe: exit code 1 after \d+ ms\n {4}\| .*End of file/)
  assert.ok(report.includes(sentence), report)
  assert.match(
    secondRun,
    /\[1\] \$ ffprobe -v error .*source-1\.flac\n {2}\[1\] \| .*End of file\n {2}\[1\] exit/,
  )
  assert.match(secondRun, /step failed: ffmpeg \d+\.\d+/)
  assert.ok(secondRun.split('It fails again')[1]?.includes(sentence), secondRun)

  // Searching the log for the id finds the worker's own line, not only our report.
  const { stdout: lines } = await run('grep', [jobId, join(service.dataDir, 'service.log')])
  assert.match(lines, /"command":"ffprobe","how":"exit code 1".*End of file/)
})

test('replay of a completed job returns the same result, with and without a running service', async () => {
  const image = { name: 'corners.png', bytes: await fixture('corners.png') }
  const jobId = await convertAndWait(client, image, { targetFormat: 'webp', width: '24' })
  const statusBefore = await client.fetch(`/v1/status/${jobId}`).then((response) => response.json())
  const check = async ({ code, stdout }: ExitResult) => {
    assert.equal(code, 0, stdout)
    const [, path = ''] =
      /It works now, .*\n {2}(.*) \(\d+ bytes, the same as the stored result\)/.exec(stdout) ?? []
    assert.equal((await readImageSize(path, 'webp')).width, 24)
    assert.deepEqual(await readFile(path), storedResult)
  }
  const storedResult = await client.download(jobId)
  const replayOfRunningJob = await replay(service, jobId)
  await check(replayOfRunningJob)
  assert.match(replayOfRunningJob.stdout, /of the running service/)
  const { meta: _before, ...jobBefore } = statusBefore as { meta: unknown }
  const { meta: _after, ...jobAfter } = (await client
    .fetch(`/v1/status/${jobId}`)
    .then((response) => response.json())) as { meta: unknown }
  assert.deepEqual(jobAfter, jobBefore, 'the replay did not change the job')
  await service.end()
  const endedReplay = await replay(service, jobId)
  await check(endedReplay)
  assert.match(endedReplay.stdout, /whose service is not running/)

  service = await startService({}, service.dataDir)
  client = client.at(service)
  assert.deepEqual(await client.download(jobId), storedResult, 'the service starts on its folder as before')
})

test('replay with --no-run only shows the job', async () => {
  const image = { name: 'corners.png', bytes: await fixture('corners.png') }
  const jobId = await convertAndWait(client, image, { targetFormat: 'webp' })
  const { code, stdout } = await replay(service, jobId, '--no-run')
  assert.equal(code, 0, stdout)
  assert.match(stdout, /step completed/)
  assert.doesNotMatch(stdout, /Running/)
})

test('replay runs each task of a job on its inputs, or only the named task', async () => {
  const bytes = Buffer.from(await fixture('corners.png')).toString('base64')
  const tasks = {
    image: { operation: 'import/base64', file: bytes, filename: 'corners.png' },
    small: { operation: 'convert', input: 'image', output_format: 'webp', width: 24 },
    large: { operation: 'convert', input: 'small', output_format: 'gif' },
    both: { operation: 'archive', input: ['small', 'large'] },
    out: { operation: 'export/url', input: 'both' },
  }
  const response = await client.fetch('/v1/jobs', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tasks }),
  })
  const { data } = (await response.json()) as { data: { jobId: string } }
  await client.finishedJob(data.jobId)
  const fullReplay = await replay(service, data.jobId)
  assert.equal(fullReplay.code, 0, fullReplay.stdout)
  assert.match(fullReplay.stdout, /archive of small, large, created /)
  const ran = [...fullReplay.stdout.matchAll(/\nRunning (\w+) again in /g)].map(([, name]) => name)
  assert.deepEqual(ran, ['small', 'large', 'both'])
  assert.equal(fullReplay.stdout.match(/It works now/g)?.length, 3)
  const replayed = await replay(service, data.jobId, '--task', 'large')
  assert.equal(replayed.code, 0, replayed.stdout)
  assert.match(replayed.stdout, /Running large again.*the same as the stored result/s)
  assert.doesNotMatch(replayed.stdout, /Running (small|both) again/)
  const taskReplay = await replay(service, data.jobId, '--task', 'out')
  assert.equal(taskReplay.code, 2)
  assert.match(taskReplay.stderr, /The job has no task "out" that runs an engine\./)
})

test('replay reads a job from the table and bucket of a deployment', async () => {
  const image = { name: 'corners.png', bytes: await fixture('corners.png') }
  const jobId = await convertAndWait(client, image, { targetFormat: 'webp' })
  const { code, stdout } = await replayWith(await readDeploymentSettings(service), [jobId])
  assert.equal(code, 0, stdout)
  assert.match(stdout, /: completed, in table mutabor of eu-central-1\n/)
  assert.ok(stdout.includes(`search the log groups of its functions for "${jobId}" or "req_`), stdout)
  assert.match(stdout, /the same as the stored result/)
})

test('replay never shows a password of a job', async () => {
  const folder = scratchFolder('replay')
  await writeFile(join(folder, 'a.txt'), 'a text')
  const archive = join(folder, 'locked.7z')
  await run('7zz', ['a', '-popen-sesame', archive, join(folder, 'a.txt')])
  const file = { name: 'locked.7z', bytes: new Uint8Array(await readFile(archive)) }
  const unlockedJob = await convertAndWait(client, file, { targetFormat: 'zip', password: 'open-sesame' })
  const jobWithWrongPassword = await convertAndWait(client, file, {
    targetFormat: 'zip',
    password: 'open-barley',
  })
  const replayOfUnlocked = await replay(service, unlockedJob)
  assert.equal(replayOfUnlocked.code, 0, replayOfUnlocked.stdout)
  const refusedReplay = await replay(service, jobWithWrongPassword)
  assert.equal(refusedReplay.code, 1, refusedReplay.stdout)
  assert.match(refusedReplay.stdout, /INVALID_INPUT: The password does not open the archive/)
  const replayWithoutKey = await replayWith(await readDeploymentSettings(service), [unlockedJob])
  assert.equal(replayWithoutKey.code, 2, replayWithoutKey.stdout)
  assert.match(
    replayWithoutKey.stdout,
    /convert-file cannot be run again: its passwords cannot be decrypted\. Set SERVICE_SECRET/,
  )
  for (const { stdout, stderr } of [replayOfUnlocked, refusedReplay, replayWithoutKey]) {
    assert.match(stdout, /"password":"\*\*\*"/)
    assert.doesNotMatch(stdout + stderr, /open-(sesame|barley)/)
  }
})

test('replay hides a password in program arguments and output, even if it is split in two', () => {
  const texts: string[] = []
  const printer = new Printer((text) => texts.push(text))
  printer.hideSecrets(['o\'pen "it"'])
  const watch = createCommandPrinter(printer)('unar', ['-password', 'o\'pen "it"', 'a.rar'])
  watch.stderr(Buffer.from("wrong: o'pe"))
  watch.stderr(Buffer.from('n "it"\nas JSON: o\'pen \\"it\\"'))
  watch.ended({ how: 'exit code 1', hasSucceeded: false, ms: 5, stderr: '' })
  assert.deepEqual(texts, [
    '  [1] $ unar -password *** a.rar\n',
    '  [1] | wrong: ***\n',
    '  [1] | as JSON: ***\n',
    '  [1] exit code 1 after 5 ms\n',
  ])
})

test('replay shows a job without its files, and only the log of a job without a record', async () => {
  const image = { name: 'corners.png', bytes: await fixture('corners.png') }
  const jobId = await convertAndWait(client, image, { targetFormat: 'webp' })
  // Files are deleted directly, as waiting for the job to expire would take too long.
  await service.end()
  const database = new DatabaseSync(join(service.dataDir, s3DatabasePath))
  database.exec('DELETE FROM object; DELETE FROM segment')
  database.close()
  service = await startService({}, service.dataDir)
  client = client.at(service)
  const report = await replay(service, jobId)
  assert.equal(report.code, 2, report.stdout)
  assert.match(
    report.stdout,
    /: completed, in .*step completed.*convert-file cannot be run again: files are no longer in the bucket \(.*corners\.png\)/s,
  )

  assert.equal((await client.fetch(`/v1/jobs/${jobId}`, { method: 'DELETE' })).status, 204)
  const replayed = await replay(service, jobId)
  assert.equal(replayed.code, 2, replayed.stdout)
  assert.match(replayed.stdout, /job created.*step completed.*job erased/s)
  assert.match(replayed.stderr, /The record of job_\w+ is no longer in .* Only its log is left/)
})

test('replay refuses unknown and malformed job ids with advice', async () => {
  const unknownId = 'job_01ARZ3NDEKTSV4RRFFQ69G5FAV'
  const unknownIdReplay = await replay(service, unknownId)
  assert.deepEqual(
    [unknownIdReplay.code, unknownIdReplay.stderr],
    [
      2,
      `There is no job ${unknownId} in ${service.dataDir}, of the running service. Check the id, and set DATA_DIR to the data folder of the service that created the job.\n`,
    ],
  )
  const malformedIdReplay = await replay(service, '42')
  assert.deepEqual(
    [malformedIdReplay.code, malformedIdReplay.stderr],
    [2, '"42" is not a job id: expected job_ followed by 26 letters and digits.\n'],
  )
  const replayElsewhere = await replay({ dataDir: dirname(program) }, unknownId)
  assert.equal(replayElsewhere.code, 2)
  assert.match(replayElsewhere.stderr, /is not a data folder of this service\. Set DATA_DIR,/)
})
