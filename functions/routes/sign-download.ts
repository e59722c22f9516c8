import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { createJobNotFoundError, requireJobId, requireOwner } from '../../lib/access/job-access.ts'
import { contract } from '../../lib/http/contract.ts'
import { findResult } from '../../lib/http/job-files.ts'
import { signedLifetimeS, signQuery } from '../../lib/links/signed-download.ts'
import { readAccess } from '../../lib/model/principal.ts'
import { integer } from '../../lib/validation/coerce.ts'
import { text } from '../../lib/validation/maxima.ts'

export const signDownload = contract({
  method: 'POST',
  path: '/v1/download/signed',
  access: readAccess,
  tag: 'Jobs',
  summary: 'Create a signed download URL',
  description:
    'Anyone who has the URL can download this file, and nothing else, until it expires. It is signed with HMAC-SHA256 and a daily key that is discarded two days later. `EXPIRED`, `INVALID_SIGNATURE` and `FILE_GONE` say why a URL does not work.',
  body: {
    accepts: ['json', 'form'],
    schema: z.strictObject({
      jobId: text('id').describe('One of your completed jobs, or a failed one with `task`'),
      task: text('id').optional().describe('Name of the task whose file the URL delivers'),
      file: text('name')
        .optional()
        .describe('Name of one of several files; without it, the URL of a batch delivers all files as a ZIP'),
      expiresIn: integer(signedLifetimeS.min, signedLifetimeS.max)
        .default(3600)
        .describe('Lifetime in seconds; limited by the retention of the files'),
      disposition: z
        .enum(['attachment', 'inline'])
        .default('attachment')
        .describe('`inline` shows the file in the browser, unless its type can run scripts'),
      maxDownloads: integer(1, 1_000_000)
        .optional()
        .describe(
          'Maximum number of downloads. Every time the URL is opened counts; the redirect target works for five minutes',
        ),
    }),
  },
  reply: {
    status: 200,
    schema: z.object({
      url: z.url(),
      jobId: z.string(),
      expiresAt: z.iso.datetime(),
      expires_at: z.iso.datetime().describe('Same as `expiresAt`'),
    }),
  },
  errors: ['JOB_NOT_FOUND', 'TASK_NOT_FOUND', 'CONFLICT', 'FILE_GONE', 'INSUFFICIENT_PERMISSIONS'],
  handle: async ({ body, principal }, services) => {
    const { task, file, expiresIn, disposition, maxDownloads } = body
    const jobId = requireJobId(body.jobId)
    const job = await services.jobs.store.getJob(jobId)
    if (!job || job.deletedAt) throw createJobNotFoundError(jobId)
    requireOwner(job, principal)
    await findResult(job, { task, file }, services)
    const at = Date.now()
    const expiresAtS = Math.floor(Math.min(at + expiresIn * 1000, Date.parse(job.expiresAt)) / 1000)
    const link = maxDownloads === undefined ? undefined : randomBytes(12).toString('base64url')
    if (link !== undefined) await services.downloadLimits.create(link, expiresAtS)
    const query = {
      task,
      file,
      link,
      ...(disposition === 'inline' && { inline: 'true' }),
      ...(maxDownloads !== undefined && { max: String(maxDownloads) }),
    }
    const signedQuery = signQuery({ jobId, query, expiresAtS, at }, services.keys.download)
    const expiresAt = new Date(expiresAtS * 1000).toISOString()
    const url = `${services.config.PUBLIC_URL ?? ''}/v1/download/${jobId}?${signedQuery}`
    return { data: { url, jobId, expiresAt, expires_at: expiresAt } }
  },
})
