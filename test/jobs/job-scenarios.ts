import { AppError } from '../../lib/errors.ts'
import { getJobPrefix } from '../../lib/model/job.ts'
import { createUploadKey, createUploadWrite } from '../../lib/uploads/uploads.ts'
import { createAwaitedUpload, createGraph, diamond, singleTask } from './new-tasks.ts'
import type { Scenario } from './run-scenario.ts'
import type { SimulatedService } from './simulated-service.ts'

/** Scenarios of a job's life. */

/** A PNG with one pixel. */
export const onePixelPng: Uint8Array = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
)

export const throwCorruptFile = async () => {
  throw new AppError('CORRUPT_FILE', 'The image is damaged.')
}

/** Two branches after one task, one of which fails. */
const createBranches = (continueOnError: boolean) =>
  createGraph({
    a: { from: ['import'] },
    bad: { from: ['a'], continueOnError },
    good: { from: ['a'] },
    join: { from: ['bad', 'good'] },
    after: { from: ['bad'] },
  })

const getUploadId = ({ jobId }: SimulatedService) => `upl_${jobId}`
const getUploadKey = (service: SimulatedService) => createUploadKey('uploads', getUploadId(service), 1)

/** A job that waits for an upload that then arrives. */
export const uploadScenario = (bytes: Uint8Array): Scenario => ({
  play: async (service) => {
    await createJobAwaitingUpload(service)
    await receiveUploadTwice(service, bytes)
  },
})

export async function createJobAwaitingUpload(service: SimulatedService): Promise<void> {
  const at = Date.now()
  const upload = {
    id: getUploadId(service),
    owner: 'anon_1',
    keyId: null,
    key: getUploadKey(service),
    filename: 'sent.png',
    contentType: 'image/png',
    maxSize: 1e6,
    createdAt: new Date(at).toISOString(),
    expiresAt: new Date(at + 7.2e6).toISOString(),
    jobId: service.jobId,
    task: 0,
  }
  const tasks = createGraph({ a: { from: ['upload'] }, b: { from: ['a'] } }, [
    createAwaitedUpload('upload', getUploadId(service)),
  ])
  await service.create(tasks, {}, [createUploadWrite(upload)])
}

/** Receives an upload as functions/receive-upload.ts does: twice, in case the first call dies. */
export async function receiveUploadTwice(service: SimulatedService, bytes: Uint8Array): Promise<void> {
  service.files.objects.set(getUploadKey(service), bytes)
  for (let time = 1; time <= 2; time++) await service.receive(getUploadId(service), getUploadKey(service))
}

/** Creates a graph in which task `b` turns out to be invalid only when the files of task `a` are available. */
const createGraphWithUnsupportedInput = () =>
  createGraph({ a: { from: ['import'] }, b: { from: ['a'] }, c: { from: ['b'] } }).map((task) =>
    task.name === 'b' ? { ...task, operation: 'merge' } : task,
  )

export const jobScenarios = {
  'a job of one task': { play: (service) => createJob(service, singleTask()) },
  'a diamond of six tasks': { play: (service) => createJob(service, diamond()) },
  'a failing branch': {
    play: (service) => createJob(service, createBranches(false)),
    during: { bad: throwCorruptFile },
  },
  'a failing branch with continue_on_error': {
    play: (service) => createJob(service, createBranches(true)),
    during: { bad: throwCorruptFile },
  },
  'a task with unsupported input files': {
    play: (service) => createJob(service, createGraphWithUnsupportedInput()),
  },
  failFast: {
    play: (service) =>
      createJob(
        service,
        createGraph({ bad: { from: ['import'] }, good: { from: ['import'] }, after: { from: ['good'] } }),
        { failFast: true },
      ),
    during: { bad: throwCorruptFile },
    // The progress of the other tasks, and the number of completed tasks, depend on timing.
    normalize: ({ summary, ...outcome }) => ({
      ...outcome,
      summary: { ...Object(summary), completed: 0, failed: 0 },
      tasks: { ...outcome.tasks, good: '', after: '', export: '' },
    }),
  },
  'a cancellation': {
    play: (service) => createJob(service, diamond()),
    during: {
      b: async (service) => {
        await service.cancel()
      },
    },
    // If the canceller dies, the branches continue for a while, and task `d` may be updated before it is cancelled.
    normalize: ({ tasks, ...outcome }) => ({
      ...outcome,
      tasks: { ...tasks, b: '', c: '', d: tasks['d']?.replace(' INPUT_TASK_FAILED', '') ?? '' },
    }),
  },
  'a deletion': {
    play: (service) => createJob(service, diamond()),
    during: {
      b: async (service) => {
        await service.delete()
      },
    },
    normalize: (outcome) => ({ ...outcome, events: [...new Set(outcome.events)] }),
  },
  'an expiry': {
    extraS: 3700,
    play: async (service) => {
      await createJob(service, singleTask())
      await service.runToEnd()
      service.time.moveTo(service.time.now + 3_700_000)
      await service.sweep()
    },
  },
  'an upload that arrives': uploadScenario(onePixelPng),
  'an upload that is not an image': uploadScenario(new Uint8Array([1, 2, 3])),
} as const satisfies Readonly<Record<string, Scenario>>

async function createJob(
  service: SimulatedService,
  ...job: Parameters<SimulatedService['create']>
): Promise<void> {
  await service.create(...job)
}

/** Keys of the job's files that are still in the bucket. */
export const listRemainingKeys = (service: SimulatedService) =>
  [...service.files.objects.keys()].filter(
    (key) => key.startsWith(getJobPrefix(service.jobId)) || key.startsWith('uploads/'),
  )
