import assert from 'node:assert/strict'
import { toCompatEvent } from '../../lib/webhooks/compat-event.ts'
import { type AnyJson, type CompatCases, createSender } from './sdk.ts'

const listKeys = (value: AnyJson) => Object.keys(value).sort()

/** Fields that the SDKs' models read, from the SDKs' fixtures. */
const shapes = {
  job: ['id', 'tag', 'status', 'created_at', 'started_at', 'ended_at', 'tasks', 'links'],
  task: [
    ...['id', 'name', 'job_id', 'status', 'credits', 'code', 'message', 'percent', 'operation', 'payload'],
    ...['result', 'created_at', 'started_at', 'ended_at', 'retry_of_task_id', 'copy_of_task_id', 'host_name'],
    ...['storage', 'depends_on_task_ids', 'engine', 'engine_version', 'links'],
  ],
  page: ['data', 'links', 'meta'],
  links: ['first', 'last', 'prev', 'next'],
  meta: ['current_page', 'from', 'path', 'per_page', 'to'],
  webhook: ['id', 'url', 'events', 'disabled', 'created_at', 'updated_at', 'links'],
  option: ['name', 'type', 'default', 'possible_values'],
  user: ['id', 'username', 'email', 'created_at', 'credits', 'links'],
}
const has = (value: AnyJson, shape: keyof typeof shapes) =>
  assert.deepEqual(listKeys(value), [...shapes[shape]].sort(), shape)

const text = { operation: 'import/raw', file: '# Hi', filename: 'hi.md' }

export const singleTaskCases: CompatCases = {
  'replies have the fields that SDKs read': async (compatService) => {
    const call = createSender(compatService)
    const createdJob = await call('POST', '/v2/jobs', {
      tasks: { text, out: { operation: 'export/url', input: 'text' } },
    })
    has(createdJob.body.data, 'job')
    for (const task of createdJob.body.data.tasks) has(task, 'task')
    const { id } = createdJob.body.data
    for (const path of [`/v2/jobs/${id}`, `/sync/v2/jobs/${id}`])
      has((await call('GET', path)).body.data, 'job')
    for (const kind of ['jobs', 'tasks']) {
      const { body } = await call('GET', `/v2/${kind}?per_page=1`)
      has(body, 'page')
      has(body.links, 'links')
      has(body.meta, 'meta')
      has(body.data[0], kind === 'jobs' ? 'job' : 'task')
    }
    has((await call('GET', '/v2/users/me')).body.data, 'user')
    const task = await call('POST', '/v2/import/raw', text)
    has(task.body.data, 'task')
    for (const path of [`/v2/tasks/${task.body.data.id}`, `/sync/v2/tasks/${task.body.data.id}`])
      has((await call('GET', path)).body.data, 'task')
    has((await call('POST', `/v2/tasks/${task.body.data.id}/retry`)).body.data, 'task')
    const url = 'https://receiver.example/'
    const webhook = await call('POST', '/v2/webhooks', { url, events: ['job.finished'] })
    const { signing_secret, ...view } = webhook.body.data
    assert.match(signing_secret, /^whsec_/)
    has(view, 'webhook')
    has((await call('GET', '/v2/users/me/webhooks')).body.data[0], 'webhook')
    assert.equal((await call('DELETE', `/v2/webhooks/${view.id}`)).status, 204)
    const pair = 'filter[input_format]=png&filter[output_format]=webp&include=options'
    const { body: pairs } = await call('GET', `/v2/convert/formats?${pair}`)
    has(pairs.data[0].options[0], 'option')
  },
  'an event has the fields that SDKs read': async () => {
    const tasks = { out: { operation: 'export/url', status: 'completed' } }
    const event = { event: 'job.completed', job: { id: 'job_1', status: 'completed', tasks } }
    const { job } = toCompatEvent(event, 'https://here.example') as AnyJson
    has(job, 'job')
    has(job.tasks[0], 'task')
    assert.equal(job.tasks[0].links.self, 'https://here.example/v2/tasks/job_1.out')
  },
  'a task can use files of other jobs of the same owner only': async (compatService) => {
    const call = createSender(compatService)
    const createdJob = await call('POST', '/v2/jobs', { tasks: { text } })
    const source = createdJob.body.data.tasks[0].id
    const page = await call('POST', '/v2/jobs', {
      tasks: {
        page: { operation: 'convert', input: source, output_format: 'html' },
        more: text,
        out: { operation: 'export/url', input: ['page', 'more'], archive_multiple_files: true },
      },
    })
    assert.equal(page.status, 201, JSON.stringify(page.body))
    assert.deepEqual(
      page.body.data.tasks.map(({ name }: AnyJson) => name),
      ['page', 'more', 'out'],
    )
    const doneJob = await call('GET', `/sync/v2/jobs/${page.body.data.id}`)
    const [zip, ...otherFiles] = doneJob.body.data.tasks[2].result.files
    assert.deepEqual([zip.filename.endsWith('.zip'), otherFiles], [true, []])

    const otherAccountReply = await fetch(`${compatService.url}/v2/convert`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ input: source, output_format: 'html' }),
    })
    assert.equal(otherAccountReply.status, 404)
    const anonymousReply = await call('POST', '/v2/convert', { input: 'job_01M83X0QT1VVA4PPF8FWWHHNPY.task' })
    assert.equal(anonymousReply.status, 404)
    const invalidInputReply = await call('POST', '/v2/convert', { input: 'nothing', output_format: 'html' })
    assert.equal(invalidInputReply.status, 422)
  },
  'errors for unsupported operations have the format that SDKs read': async (compatService) => {
    const call = createSender(compatService)
    for (const operation of ['command', 'import/openstack', 'export/openstack']) {
      const { status, body } = await call('POST', `/v2/${operation}`, { input: 'x' })
      assert.deepEqual([status, Object.keys(body.errors)], [422, ['operation']])
      const jobReply = await call('POST', '/v2/jobs', { tasks: { one: { operation } } })
      assert.equal(jobReply.status, 422)
    }
    const reservedNameReply = await call('POST', '/v2/jobs', { tasks: { '__facade-import-0': text } })
    assert.equal(reservedNameReply.status, 422)
  },
  'a task with a failed task as input is refused': async (compatService) => {
    const call = createSender(compatService)
    const failedImport = await call('POST', '/v2/import/url', { url: 'http://nothing.invalid/a.png' })
    const { id } = failedImport.body.data
    assert.equal((await call('GET', `/sync/v2/tasks/${id}`)).body.data.status, 'error')
    const dependentTask = await call('POST', '/v2/convert', { input: id, output_format: 'png' })
    assert.equal(dependentTask.status, 422)
    assert.match(dependentTask.body.errors.input[0], /has failed/)
  },
}
