import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { createJob } from '../../functions/routes/create-job.ts'
import { html, TestSites } from '../capture/site.ts'
import { after, before } from '../hooks.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { Client, startService, type TestService } from '../support/service.ts'

const run = promisify(execFile)
const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
const [, commandLines = ''] = /## Use it\n\n```\n([\s\S]*?)```/.exec(readme) ?? []
/** A command of several lines ends where the next one starts. */
const commands = commandLines
  .split('\n')
  .filter((line) => !line.startsWith('#'))
  .join('\n')
  .split(/\n(?=curl )/)
  .map((command) => command.replace(/ {2,}#.*$/m, '').trim())

const folder = scratchFolder('mutabor-readme')
/** The files that the commands use, and the fixtures that replace them. */
const files = {
  'report.docx': 'letter.docx',
  'photo.jpg': 'orientation-6.jpg',
  'scan.pdf': 'three-pages.pdf',
  'a.pdf': 'three-pages.pdf',
  'b.pdf': 'three-pages.pdf',
  'a.png': 'alpha.png',
  'b.png': 'alpha.png',
}

const sites = new TestSites()
/** URL that replaces the website in the examples of the API reference. */
let website = ''
let service: TestService
let client: Client
before(async () => {
  for (const [name, fixture] of Object.entries(files))
    await copyFile(new URL(`../fixtures/${fixture}`, import.meta.url), join(folder, name))
  const page = '<!doctype html><h1>Example</h1>'
  const site = await sites.serve('127.0.0.2', (_, response) => response.writeHead(200, html).end(page))
  website = site.url
  service = await startService({ OUTGOING_ALLOW: '127.0.0.2/32' })
  client = new Client(service)
})
after(async () => {
  sites.close()
  await service.stop()
})

test('every command in the README works', async () => {
  assert.ok(commands.length >= 8, `${commands.length} commands were found`)
  let lastJob = ''
  for (const command of commands) {
    const filledCommand = command
      .replaceAll('http://localhost:8080', service.url)
      .replaceAll('job_…', lastJob)
    // A shell runs the command, as for a reader of the README. `--fail-with-body` makes curl fail on an error reply.
    const { stdout } = await run(
      'bash',
      ['-c', filledCommand.replace(/^curl /, 'curl -sS --fail-with-body ')],
      {
        cwd: folder,
        timeout: 60_000,
      },
    ).catch((error: unknown) => assert.fail(`${command}: ${String(error)}`))
    const jobId = /"jobId":"(job_\w+)"/.exec(stdout)?.[1]
    if (!jobId) continue
    lastJob = jobId
    const job = await client.finishedJob(jobId)
    assert.equal(job.status, 'completed', `${command}: ${JSON.stringify(job.error)}`)
  }
})

for (const [name, example] of Object.entries(createJob.body?.examples ?? {})) {
  test(`the API reference example "${name}" produces files`, async () => {
    const here = JSON.parse(JSON.stringify(example).replaceAll('https://www.example.com/', website))
    const job = await client.accepted(await client.post('/v1/jobs', here))
    assert.equal(job.status, 'completed', JSON.stringify(job.error))
    assert.ok((await client.download(job.jobId)).length > 0)
    const unknownParameterWarnings = job.warnings.filter(({ code }) => code === 'UNKNOWN_PARAMETER')
    assert.deepEqual(unknownParameterWarnings, [])
  })
}
