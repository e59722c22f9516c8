import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSealed, Vault } from '../../lib/crypto/sealed.ts'
import { createPresigningSender, signatureLifetimeS } from '../../lib/jobs/presign-work.ts'
import type { TaskInputs, TaskSender } from '../../lib/jobs/task-sender.ts'
import type { InputPlan, Task } from '../../lib/model/job.ts'
import type { PresignedWork, TaskMessage } from '../../lib/model/task-message.ts'
import { complete, createStoredImport, file, newJob, newTask, start } from './records.ts'

const vault = new Vault('a secret of tests that is long enough')
const [inputUrl, outputUrl] = ['https://store/', 'https://store/form']
const writtenFiles = new Map<string, string>()

/** Creates the message of a task whose inputs are the files of an import and of another task. */
async function createMessage(
  moreFields: Partial<Task> = {},
  chunks: readonly Task[] = [],
  knownInputs?: TaskInputs,
) {
  const { fixed, tasks } = newJob([createStoredImport('in'), newTask('work', [0]), newTask('join', [0, 1])])
  const [firstTask, secondTask] = tasks
  assert.ok(firstTask && secondTask)
  const plannedSender: TaskSender = {
    route: async ({ jobId, number, operation }) => ({
      queue: operation === 'convert' ? 'image' : 'transfer',
      message: { jobId, task: number },
    }),
    retryQueue: () => 'ready',
  }
  const completedTask = { ...firstTask, ...complete(2, file('made.png', 'jobs/job_1/1/made')) }
  const sender = createPresigningSender(plannedSender, {
    vault,
    store: { getInputs: async () => ({ fixed, tasks: [completedTask] }), getChunks: async () => chunks },
    signer: {
      signInput: async (key: string, expiresS: number) => `${inputUrl}${key}?${expiresS}`,
      signOutput: async (prefix: string, expiresS: number) => ({
        url: outputUrl,
        prefix,
        fields: { expires: `${expiresS}` },
      }),
    },
    files: {
      putBytes: async (key: string, body: Uint8Array, type: string) => {
        writtenFiles.set(`${type} ${key}`, Buffer.from(body).toString())
      },
    },
  } as unknown as Parameters<typeof createPresigningSender>[1]) // a stub with only the members that are used
  const { message } = await sender.route({ ...secondTask, ...moreFields }, knownInputs)
  return message
}

const requireWork = ({ work }: TaskMessage): PresignedWork => {
  assert.ok(work && 'inputs' in work, JSON.stringify(work))
  return work
}
const address = (key: string) => [key, `${inputUrl}${key}?${signatureLifetimeS}`]

test('a task message contains presigned URLs of its inputs and an upload form, valid for an hour', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: start })
  const inputPlan = { files: [file('page.png', 'jobs/job_1/2/page'), file('in.png', 'in/in')], steps: [] }
  const { inputs, output, until, opened } = requireWork(
    await createMessage({ pieces: [inputPlan as unknown as InputPlan] }),
  )
  const keys = ['in/in', 'jobs/job_1/1/made', 'jobs/job_1/2/page']
  assert.deepEqual(inputs, Object.fromEntries(keys.map(address)))
  assert.deepEqual(output, {
    url: outputUrl,
    prefix: 'jobs/job_1/2/',
    fields: { expires: `${signatureLifetimeS}` },
  })
  assert.deepEqual([until, opened], [start.getTime() + 3_600_000, {}])
})

test('a task that joins its chunks receives URLs of their results', async () => {
  const chunk = { files: [file('part.png', 'jobs/job_1/2/part')] } as Task
  const getSentInputs = async (overrides: Partial<Task>) =>
    Object.keys(requireWork(await createMessage(overrides, [chunk], { fixed: [], tasks: [] })).inputs)
  assert.deepEqual(await getSentInputs({ expandedBy: 0 }), ['jobs/job_1/2/part'])
  assert.deepEqual(await getSentInputs({}), [])
})

test('a task message maps each encrypted password of the task to its decrypted value', async () => {
  const [password, otherSecret] = ['ä secret', 7].map((value) => vault.seal(value, 'job_1'))
  const inputPlan = {
    files: [],
    steps: [{ options: { password: otherSecret, dpi: 7 } }],
  } as unknown as InputPlan
  const { opened } = requireWork(
    await createMessage({ spec: { options: { password } }, pieces: [inputPlan] }),
  )
  assert.ok(isSealed(password) && isSealed(otherSecret))
  assert.deepEqual(opened, { [password.sealed]: 'ä secret', [otherSecret.sealed]: 7 })
})

test('presigned URLs that do not fit into a task message are stored in the bucket and linked in the message', async () => {
  const manyFiles = Array.from({ length: 4000 }, (_, at) => file('in.png', `in/${'x'.repeat(20)}${at}`))
  const { work } = await createMessage({ part: 1001 }, [], { fixed: [], tasks: [] })
  assert.ok(work && 'inputs' in work && writtenFiles.size === 0)
  const largeMessage = await createMessage({
    part: 1001,
    pieces: [{ files: manyFiles, steps: [] } as unknown as InputPlan],
  })
  const [[writtenPath = '', text = ''] = []] = writtenFiles
  assert.match(writtenPath, /^application\/json work\/job_1\/2-1001-\d+\.json$/)
  const [, key] = writtenPath.split(' ')
  assert.deepEqual(largeMessage.work, { url: `${inputUrl}${key}?${signatureLifetimeS}` })
  assert.equal(Object.keys(JSON.parse(text).inputs).length, 4002)
})

test('the message of a transfer task contains no presigned URLs', async () => {
  assert.deepEqual(await createMessage({ operation: 'export/s3' }), { jobId: 'job_1', task: 2 })
})
