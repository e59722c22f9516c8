import { AppError } from '../../lib/errors.ts'
import { jobPrefix } from '../../lib/jobs/job.ts'
import { newUpload, uploadKey } from '../../lib/uploads.ts'
import { awaited, diamond, graph, one } from './new-tasks.ts'
import type { Story } from './run-scenario.ts'
import type { World } from './simulated-service.ts'

/** What a job can live through. */

/** Of one point. */
export const picture: Uint8Array = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
)

export const fails = async () => {
  throw new AppError('CORRUPT_FILE', 'The picture is damaged.')
}

/** Two branches of one task, one of which fails. */
const branches = (continueOnError: boolean) =>
  graph({
    a: { from: ['import'] },
    bad: { from: ['a'], continueOnError },
    good: { from: ['a'] },
    join: { from: ['bad', 'good'] },
    after: { from: ['bad'] },
  })

const uploadOf = ({ jobId }: World) => `upl_${jobId}`
const keyOf = (world: World) => uploadKey('uploads', uploadOf(world), 1)

/** A job that waits for an upload, which then arrives. */
export const uploadStory = (bytes: Uint8Array): Story => ({
  play: async (world) => {
    await createAwaiting(world)
    await arrive(world, bytes)
  },
})

export async function createAwaiting(world: World): Promise<void> {
  const at = Date.now()
  const upload = {
    ...{
      id: uploadOf(world),
      owner: 'anon_1',
      key: keyOf(world),
      filename: 'sent.png',
      contentType: 'image/png',
      maxSize: 1e6,
    },
    ...{ createdAt: new Date(at).toISOString(), expiresAt: new Date(at + 7.2e6).toISOString() },
    ...{ jobId: world.jobId, task: 0 },
  }
  const tasks = graph({ a: { from: ['upload'] }, b: { from: ['a'] } }, [awaited('upload', uploadOf(world))])
  await world.create(tasks, {}, [newUpload(upload)])
}

/** As functions/receive-upload.ts is told of it: again, when it dies. */
export async function arrive(world: World, bytes: Uint8Array): Promise<void> {
  world.files.objects.set(keyOf(world), bytes)
  for (let time = 1; time <= 2; time++) await world.receive(uploadOf(world), keyOf(world))
}

/** What is wrong with b shows when the files of a are there. */
const misfit = () =>
  graph({ a: { from: ['import'] }, b: { from: ['a'] }, c: { from: ['b'] } }).map((task) =>
    task.name === 'b' ? { ...task, operation: 'merge' } : task,
  )

export const stories = {
  'a job of one task': { play: (world) => created(world, one()) },
  'a diamond of six tasks': { play: (world) => created(world, diamond()) },
  'a failing branch': { play: (world) => created(world, branches(false)), during: { bad: fails } },
  'a failing branch with continue_on_error': {
    play: (world) => created(world, branches(true)),
    during: { bad: fails },
  },
  'a task that takes no such files': { play: (world) => created(world, misfit()) },
  failFast: {
    play: (world) =>
      created(
        world,
        graph({ bad: { from: ['import'] }, good: { from: ['import'] }, after: { from: ['good'] } }),
        { failFast: true },
      ),
    during: { bad: fails },
    // How far the others come until then is up to their speed.
    alike: (outcome) => ({ ...outcome, tasks: { ...outcome.tasks, good: '', after: '', export: '' } }),
  },
  'a cancellation': {
    play: (world) => created(world, diamond()),
    during: {
      b: async (world) => {
        await world.cancel()
      },
    },
    // Who dies in the middle of it leaves the branches some time, and what follows may hear of them first.
    alike: ({ tasks, ...outcome }) => ({
      ...outcome,
      tasks: { ...tasks, b: '', c: '', d: tasks['d']?.replace(' INPUT_TASK_FAILED', '') ?? '' },
    }),
  },
  'a deletion': {
    play: (world) => created(world, diamond()),
    during: {
      b: async (world) => {
        await world.delete()
      },
    },
    alike: (outcome) => ({ ...outcome, events: [...new Set(outcome.events)] }),
  },
  'an expiry': {
    takesS: 3700,
    play: async (world) => {
      await created(world, one())
      await world.settle()
      world.time.moveTo(world.time.now + 3_700_000)
      await world.sweep()
    },
  },
  'an upload that arrives': uploadStory(picture),
  'an upload that is no picture': uploadStory(new Uint8Array([1, 2, 3])),
} as const satisfies Readonly<Record<string, Story>>

async function created(world: World, ...job: Parameters<World['create']>): Promise<void> {
  await world.create(...job)
}

/** Keys of what a world still has in its bucket. */
export const keysLeft = (world: World) =>
  [...world.files.objects.keys()].filter(
    (key) => key.startsWith(jobPrefix(world.jobId)) || key.startsWith('uploads/'),
  )
