import * as z from 'zod'
import { limitsOfPlan, requireFilesPerJob } from '../../lib/access/plan-limits.ts'
import { writeAccess } from '../../lib/access/principal.ts'
import { openImports } from '../../lib/conversion/imports.ts'
import { startJob } from '../../lib/conversion/start-job.ts'
import { contract, type HttpRequest } from '../../lib/http/contract.ts'
import {
  completedReply,
  conversionErrors,
  createdJobReply,
  waitForJob,
} from '../../lib/http/conversion-request.ts'
import type { JobState } from '../../lib/jobs/job.ts'
import { JobView, jobView } from '../../lib/jobs/view.ts'
import type { Services } from '../../lib/services.ts'
import { parseTasks } from '../../lib/tasks/parse-tasks.ts'
import { TaskMap } from '../../lib/tasks/reference.ts'
import { webhookUrl } from '../../lib/webhooks/target-url.ts'
import type { WebhookFormat } from '../../lib/webhooks/webhook.ts'

const Body = z.strictObject({
  tasks: z.record(z.string(), z.unknown()),
  tag: z.string().max(200).optional().describe('Anything that helps you to find the job again'),
  webhookUrl: webhookUrl.optional(),
  failFast: z.boolean().default(false).describe('The first failure ends the job at once'),
  expiresIn: z
    .int()
    .min(60)
    .optional()
    .describe('Seconds after its end in which its files are deleted, where that is sooner than usual'),
})

const text = { operation: 'import/raw', filename: 'hello.md', file: '# Hello' }

const examples = {
  'One file, two formats, one archive': {
    tasks: {
      text,
      pdf: { operation: 'convert', input: 'text', output_format: 'pdf' },
      page: { operation: 'convert', input: 'text', output_format: 'html' },
      zip: { operation: 'archive', input: ['pdf', 'page'], filename: 'hello' },
      out: { operation: 'export/url', input: 'zip' },
    },
  },
  'Two documents as one PDF, locked': {
    tasks: {
      text,
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
        ...{ operation: 'capture-website', url: 'https://www.example.com/', output_format: 'pdf' },
        ...{ page_size: 'A4', margin_left: '25mm', cookies: { consent: 'no' }, wait_for_element: 'h1' },
      },
      out: { operation: 'export/url', input: 'page' },
    },
  },
  'What can fail without harm': {
    tasks: {
      text,
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
    'Tasks take files from others by `input`, a name or several: one import may feed many conversions, many tasks one merge or archive. What depends on nothing runs at the same time. The files of every task have to be taken by another, at last by an `export/url`. A task that fails takes those that need its files with it; with `continue_on_error` they go on without them. `Prefer: wait=25` waits for the end.',
  body: {
    accepts: ['json'],
    schema: Body,
    reference: Body.extend({ tasks: TaskMap }),
    examples,
  },
  reply: {
    ...createdJobReply,
    otherStatuses: completedReply,
    schema: JobView,
  },
  idempotent: true,
  errors: conversionErrors,
  handle: async (request, services) => {
    const created = (await request.findEarlierJob()) ?? (await start(request, services))
    const { state, ...answer } = await waitForJob(created, request, services)
    const whole = state === created ? created : ((await services.jobs.store.getState(state.job.id)) ?? state)
    return { ...answer, data: jobView(whole, services.resultLink) }
  },
})

/** The format is said by facades, never by a client. */
type Wanted = z.infer<typeof Body> & { readonly webhookFormat?: WebhookFormat }
type Request = HttpRequest<unknown, unknown, Wanted>

async function start(
  { body, principal, requestId, newJobId }: Request,
  services: Services,
): Promise<JobState> {
  const tasks = parseTasks(body.tasks)
  const imported = tasks.filter(({ operation }) => operation.kind === 'import').length
  requireFilesPerJob(imported, 'tasks', limitsOfPlan(principal.plan, services))
  const { imports, discard } = await openImports(tasks, { owner: principal.ownerId, services })
  try {
    const { tag, webhookUrl, webhookFormat, failFast, expiresIn: expiresInS } = body
    const made = { tag, webhookUrl, webhookFormat, failFast, expiresInS, tasks, imports }
    const { ownerId: owner, keyId } = principal
    const request = { owner, keyId, requestId, jobId: newJobId(), ...made }
    return await startJob(request, services)
  } finally {
    await discard()
  }
}
