import * as z from 'zod'
import { getPlanLimits, requireFilesPerJob } from '../../lib/accounts/plan-limits.ts'
import { openImports } from '../../lib/conversion/imports.ts'
import { startJob } from '../../lib/conversion/start-job.ts'
import { contract, type HttpRequest } from '../../lib/http/contract.ts'
import {
  completedStatuses,
  conversionErrors,
  createdJobStatuses,
  waitForNewJob,
} from '../../lib/http/conversion-request.ts'
import { JobView, toJobView } from '../../lib/jobs/view.ts'
import type { JobState } from '../../lib/model/job.ts'
import { writeAccess } from '../../lib/model/principal.ts'
import type { Services } from '../../lib/services/services.ts'
import { maxTasks, parseTasks } from '../../lib/tasks/parse-tasks.ts'
import { TaskMap } from '../../lib/tasks/reference.ts'
import { createFileJsonSchema, createNamedValues, text } from '../../lib/validation/maxima.ts'
import { webhookUrl } from '../../lib/webhooks/target-url.ts'
import type { WebhookFormat } from '../../lib/webhooks/webhook.ts'

const Body = z.strictObject({
  tasks: createNamedValues(text('name'), createFileJsonSchema(), maxTasks, 'tasks'),
  tag: z.string().max(200).optional().describe('Any text that helps you find the job later'),
  webhookUrl: webhookUrl.optional(),
  failFast: z.boolean().default(false).describe('Stop the job as soon as a task fails'),
  expiresIn: z
    .int()
    .min(60)
    .optional()
    .describe('Seconds after the end of the job until its files are deleted, if shorter than the default'),
})

const textTask = { operation: 'import/raw', filename: 'hello.md', file: '# Hello' }

const examples = {
  'One file, two formats, one archive': {
    tasks: {
      text: textTask,
      pdf: { operation: 'convert', input: 'text', output_format: 'pdf' },
      page: { operation: 'convert', input: 'text', output_format: 'html' },
      zip: { operation: 'archive', input: ['pdf', 'page'], filename: 'hello' },
      out: { operation: 'export/url', input: 'zip' },
    },
  },
  'Two documents as one encrypted PDF': {
    tasks: {
      text: textTask,
      more: { operation: 'import/base64', filename: 'more.txt', file: 'TW9yZQ==' },
      pages: { operation: 'convert', input: ['text', 'more'], output_format: 'pdf' },
      one: { operation: 'merge', input: 'pages', merge_type: 'pdf' },
      locked: { operation: 'encrypt-pdf', input: 'one', options: { password: 'open sesame' } },
      out: { operation: 'export/url', input: 'locked', filename: '{name}-{date}' },
    },
  },
  'A website as PDF': {
    tasks: {
      page: {
        operation: 'capture-website',
        url: 'https://www.example.com/',
        output_format: 'pdf',
        page_size: 'A4',
        margin_left: '25mm',
        cookies: { consent: 'no' },
        wait_for_element: 'h1',
      },
      out: { operation: 'export/url', input: 'page' },
    },
  },
  'Optional tasks that may fail': {
    tasks: {
      text: textTask,
      pdf: { operation: 'convert', input: 'text', output_format: 'pdf' },
      facts: { operation: 'metadata', input: 'pdf', continue_on_error: true },
      preview: { operation: 'thumbnail', input: 'pdf', width: 200 },
      out: { operation: 'export/url', input: ['pdf', 'facts', 'preview'] },
    },
    tag: 'report 42',
  },
}

export const createJob = contract({
  method: 'POST',
  path: '/v1/jobs',
  access: writeAccess,
  tag: 'Jobs',
  summary: 'Run a pipeline of tasks',
  description:
    'A task gets its files from the tasks named in `input`: one import can be the input of many conversions, and a merge or archive can have many inputs. Independent tasks run in parallel. The files of every task must be used by another task, and in the end by an `export/url`; only `metadata` and `pdf-info` show their result in the task. Pages of a PDF, parts of a split and extracted images are separate files for the next task, which `input` can select by name, such as `{task: "pages", file: "page-00*.jpg"}`; exports deliver them as one ZIP unless `archive_multiple_files` is false. If a task fails, tasks that need its files fail too; with `continue_on_error` they run without them. `Prefer: wait=25` waits until the job has finished.',
  body: {
    accepts: ['json'],
    schema: Body,
    reference: () => Body.extend({ tasks: TaskMap }),
    examples,
  },
  reply: {
    ...createdJobStatuses,
    otherStatuses: completedStatuses,
    schema: JobView,
  },
  idempotent: true,
  createsWork: true,
  errors: conversionErrors,
  handle: async (request, services) => {
    const createdState = (await request.findEarlierJob()) ?? (await start(request, services))
    const { state, ...answer } = await waitForNewJob(createdState, request, services)
    const fullState =
      state === createdState ? createdState : ((await services.jobs.store.getState(state.job.id)) ?? state)
    return { ...answer, data: toJobView(fullState, services.resultLink) }
  },
})

/** The compatibility API sets the webhook format, which clients cannot. */
type JobRequestBody = z.infer<typeof Body> & { readonly webhookFormat?: WebhookFormat }
type Request = HttpRequest<unknown, unknown, JobRequestBody>

async function start(
  { body, principal, requestId, newJobId }: Request,
  services: Services,
): Promise<JobState> {
  const tasks = parseTasks(body.tasks)
  const importCount = tasks.filter(({ operation }) => operation.kind === 'import').length
  requireFilesPerJob(importCount, 'tasks', getPlanLimits(principal.plan, services))
  const { imports, discard } = await openImports(tasks, { principal, services })
  try {
    const { tag, webhookUrl, webhookFormat, failFast, expiresIn: expiresInS } = body
    const jobFields = { tag, webhookUrl, webhookFormat, failFast, expiresInS, tasks, imports }
    const { ownerId: owner, keyId } = principal
    const request = { owner, keyId, requestId, jobId: newJobId(), ...jobFields }
    return await startJob(request, services)
  } finally {
    await discard()
  }
}
