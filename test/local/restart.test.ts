import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { listDescendants } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { Client, startService } from '../support/service.ts'
import { waitUntil } from '../support/wait-until.ts'

const run = promisify(execFile)

test('a conversion interrupted by a restart of the service completes afterwards', {
  timeout: 180_000,
}, async (t) => {
  const video = join(scratchFolder('stop'), 'video.mp4')
  const source = ['-f', 'lavfi', '-i', 'testsrc2=size=960x540:rate=25:duration=6']
  await run('ffmpeg', ['-v', 'error', ...source, '-c:v', 'libx264', '-preset', 'ultrafast', video])
  let service = await startService()
  t.after(() => service.stop())
  const { dataDir } = service
  const client = new Client(service)
  const bytes = new Uint8Array(await readFile(video))
  const response = await client.convert({ name: 'video.mp4', bytes }, { targetFormat: 'webm' })
  const { data } = (await response.json()) as { data: { jobId: string } }
  const isEncoding = ({ command }: { readonly command: string }) => /(^|\/)ffmpeg .*libvpx/.test(command)
  await waitUntil(() => listDescendants(service.pid).some(isEncoding), 'the video is being converted', 60)
  await service.end()
  const log = await readFile(join(dataDir, 'service.log'), 'utf8')
  assert.doesNotMatch(log, /"level":"(warn|error)"/, 'a stopped service logs no errors')

  service = await startService({}, dataDir)
  const job = await client.at(service).finishedJob(data.jobId)
  assert.deepEqual([job.status, job.error], ['completed', null])
  const lines = (await readFile(join(dataDir, 'service.log'), 'utf8')).split('\n')
  const claimedAttempts = lines
    .filter((line) => line.includes('task claimed'))
    .map((line) => JSON.parse(line).attempt)
  assert.deepEqual(claimedAttempts, [1, 1], 'the interrupted attempt was not counted')
})
