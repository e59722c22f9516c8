// Run by `npm run images:test`: checks what the av image does when its disk is full, its time runs out or its process
// is killed.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { environment as deployedEnvironment, getImageLimits } from '../../lib/deployment/functions.ts'
import { after, before } from '../hooks.ts'
import { listDescendants } from '../support/processes.ts'
import { makeSmallDisk } from '../support/small-disk.ts'
import { waitUntil } from '../support/wait-until.ts'
import { isBuilt } from './built-images.ts'
import type { LambdaOptions } from './lambda.ts'
import { convertAndWait, openService, type ServiceInImages, type Serving } from './service-in-images.ts'

const image = 'av'
const skipOptions = isBuilt(image) ? {} : { skip: `not built; "npm run images -- ${image}" builds it` }

let service: ServiceInImages
before(async () => {
  service = await openService()
})
after(() => service.close())

async function serve(
  t: TestContext,
  options: Partial<LambdaOptions> = {},
  timeoutS = getImageLimits(image).timeout,
) {
  const { MIN_FREE_DISK_GB } = deployedEnvironment
  const environment = { ...service.environment, MIN_FREE_DISK_GB, IMAGE_ID: image, TASK_LIMIT_S: '840' }
  const deployedSettings = { image, environment, memoryMb: getImageLimits(image).memorySize }
  const lambda = await service.serve(image, timeoutS, { ...deployedSettings, ...options })
  // A second instance would receive the tasks of the next test.
  t.after(lambda.close)
  return lambda
}

function makeFixture(name: string, ...args: string[]) {
  const path = join(service.folder, name)
  execFileSync('ffmpeg', ['-y', '-v', 'error', '-f', 'lavfi', ...args, path])
  return { name, bytes: Buffer.from(readFileSync(path)) }
}
/** Makes a video whose encoding takes long enough to be interrupted. */
const makeVideo = (seconds = 20) =>
  makeFixture('video.mp4', '-i', `testsrc2=size=640x360:duration=${seconds}`, '-preset', 'ultrafast')
const encoding = { targetFormat: 'mkv', mode: 'encode', preset: 'slow' }
/** Makes ten minutes of silence, which are small as FLAC, but a hundred megabytes as WAV. */
const makeSilence = () => makeFixture('silence.flac', '-i', 'anullsrc=r=48000:cl=stereo', '-t', '600')

const findEncoder = ({ pid }: Serving) =>
  listDescendants(pid()).find(({ command }) => /ffmpeg .*-threads/.test(command))
const listTaskFolders = ({ tmp }: Serving) => readdirSync(tmp).filter((name) => name.startsWith('task-'))

async function waitForEncoder(lambda: Serving): Promise<{ pid: number; command: string }> {
  let encoder: ReturnType<typeof findEncoder>
  await waitUntil(
    () => {
      encoder = findEncoder(lambda)
      return encoder !== undefined
    },
    'ffmpeg is running',
    60,
  )
  assert.ok(encoder)
  return encoder
}

test('a task is retried after its engine and the function are killed, and no task folder remains', {
  ...skipOptions,
  timeout: 300_000,
}, async (t) => {
  const lambda = await serve(t)
  const conversion = convertAndWait(service, makeVideo(), encoding)
  process.kill((await waitForEncoder(lambda)).pid, 'SIGKILL')
  const [firstFolder] = listTaskFolders(lambda)
  await waitUntil(
    () => !listTaskFolders(lambda).includes(firstFolder ?? ''),
    'the folder of the first attempt is deleted',
    60,
  )
  await waitForEncoder(lambda)
  const remainingFolders = listTaskFolders(lambda)
  assert.equal(remainingFolders.length, 1)
  lambda.killAndRestart()
  assert.deepEqual(listTaskFolders(lambda), remainingFolders)
  await waitForEncoder(lambda)
  assert.ok(!listTaskFolders(lambda).includes(remainingFolders[0] ?? ''))
  const { status, error } = await conversion
  assert.equal(status, 'completed', JSON.stringify(error))
  await waitUntil(() => listTaskFolders(lambda).length === 0, 'no task folder remains')
})

test('the number of ffmpeg threads is the number of CPUs of the function', skipOptions, async (t) => {
  const threadCounts: string[] = []
  for (const processors of [1, 2]) {
    const lambda = await serve(t, { processors })
    const conversion = convertAndWait(service, makeVideo(8), encoding)
    threadCounts.push(/-threads (\d+)/.exec((await waitForEncoder(lambda)).command)?.[1] ?? '')
    assert.equal((await conversion).status, 'completed')
    await lambda.close()
  }
  assert.deepEqual(threadCounts, ['1', '2'])
})

test("the error of a task that exceeds the function's timeout names that limit", skipOptions, async (t) => {
  // Ten seconds are reserved for storing the result, and the start takes a few seconds.
  const lambda = await serve(t, {}, 20)
  const slowRequest = { targetFormat: 'mp4', codec: 'av1', preset: 'veryslow' }
  const { error } = await convertAndWait(service, makeVideo(60), slowRequest)
  assert.equal(error?.code, 'TIMEOUT')
  assert.match(error?.message ?? '', /within the ([1-9]|10) s that one machine of this service works on it/)
  await waitUntil(() => listTaskFolders(lambda).length === 0, 'no task folder remains')
})

test(
  'a conversion that fills /tmp fails with INSUFFICIENT_DISK_SPACE, or with FILE_TOO_LARGE if it filled /tmp alone',
  skipOptions,
  async (t) => {
    const disk = makeSmallDisk(t, 100)
    if (typeof disk === 'string') return t.skip(disk)
    chmodSync(disk.folder, 0o1777)
    await serve(t, { tmp: disk.folder })
    const loneJob = await convertAndWait(service, makeSilence(), { targetFormat: 'wav' })
    assert.equal(loneJob.error?.code, 'FILE_TOO_LARGE', JSON.stringify(loneJob))
    assert.match(loneJob.error?.message ?? '', /the disk of 100 MiB/)
    disk.fill()
    const parallelJob = await convertAndWait(service, makeSilence(), { targetFormat: 'wav' })
    assert.equal(parallelJob.error?.code, 'INSUFFICIENT_DISK_SPACE', JSON.stringify(parallelJob))
    disk.emptyDisk()
    const jobAfter = await convertAndWait(service, makeVideo(1), encoding)
    assert.equal(jobAfter.status, 'completed', JSON.stringify(jobAfter.error))
  },
)
