import * as z from 'zod'
import { canRead, JobParams, jobNotFound, requireJobId } from '../../lib/access/job-access.ts'
import { AppError } from '../../lib/errors.ts'
import { contract } from '../../lib/http/contract.ts'
import { findResultFile } from '../../lib/http/job-files.ts'
import { optionalBoolean } from '../../lib/http/query.ts'
import { fileLink, linkLifetimeS, reprDigest } from '../../lib/links/file-link.ts'
import { hasSignature, verifySignature } from '../../lib/links/signed-download.ts'
import { readAccess } from '../../lib/model/principal.ts'
import { subnetOf } from '../../lib/net/ip-networks.ts'
import { defined } from '../../lib/validation/defined.ts'
import { text } from '../../lib/validation/maxima.ts'

/** Lifetime of the file URL behind a limited link: enough to start the download, too short to share it instead. */
const limitedLinkLifetimeS = 300

export const downloadResult = contract({
  method: 'GET',
  path: '/v1/download/:jobId',
  access: readAccess,
  tag: 'Jobs',
  summary: 'Download the result',
  description:
    'Redirects to the file itself, which supports `Range` and has an `ETag`. Follow the redirect (`curl -L`). `Repr-Digest` is the SHA-256 of the file (RFC 9530), with which you can verify the download. Each redirect to the file is reported as a `file.downloaded` event. The URLs in replies and events are signed and work for 24 hours after the end of the job, for anyone who has them; without a signature, only the account itself can download its results.',
  params: JobParams,
  query: z.object({
    file: text('name').optional().describe('Name of one of several result files'),
    task: text('id')
      .optional()
      .describe('Name of the task whose file to download; works for completed tasks of a failed job too'),
    inline: optionalBoolean.describe(
      'Show the file in the browser instead of saving it: images, audio, video, plain text and JSON. Types that can run scripts, such as HTML, SVG and PDF, are always saved. May be added to a signed URL',
    ),
    exp: text('id').optional().describe('Signed URL: expiry in seconds since 1970'),
    kid: text('id').optional().describe('Signed URL: id of the signing key'),
    link: text('id').optional().describe('Signed URL: id of a link with a download limit'),
    max: text('id').optional().describe('Signed URL: download limit'),
    sig: text('id').optional().describe('Signed URL: signature'),
  }),
  reply: { status: 302, headers: ['location', 'repr-digest'], schema: z.null(), form: 'empty' },
  errors: ['JOB_NOT_FOUND', 'TASK_NOT_FOUND', 'CONFLICT', 'FILE_GONE', 'EXPIRED', 'INVALID_SIGNATURE'],
  handle: async ({ params, query, rawQuery, method, principal, sourceIp, log }, services) => {
    const { inline, link, max, exp } = query
    const jobId = requireJobId(params.jobId)
    const isSigned = hasSignature(rawQuery)
    if (isSigned) verifySignature(jobId, rawQuery, services.keys.download)
    const job = await services.jobs.store.getJob(jobId)
    if (!job || job.deletedAt) throw isSigned ? fileGone(jobId) : jobNotFound(jobId)
    if (!isSigned && !canRead(job, principal)) throw jobNotFound(jobId)
    const file = await findResultFile(job, query, services)
    const isFetched = method !== 'HEAD'
    if (link !== undefined)
      await services.downloadLimits[isFetched ? 'countDownload' : 'check'](link, Number(max))
    const leftS = isSigned ? Number(exp) - Date.now() / 1000 : linkLifetimeS
    const lifetimeS = link === undefined ? leftS : Math.min(leftS, limitedLinkLifetimeS)
    const [location] = await Promise.all([
      fileLink(file, services, { inline, method: isFetched ? 'GET' : 'HEAD', lifetimeS }),
      // The download must work even if the event cannot be published.
      isFetched &&
        services.jobs
          .publishDownload(job, file, { signed: isSigned, ip: subnetOf(sourceIp) })
          .catch((error: unknown) => {
            log.error({ error, jobId }, 'download event could not be published')
          }),
    ])
    const digest = reprDigest(file)
    return { data: null, headers: { location, ...defined({ 'repr-digest': digest }) } }
  },
})

const fileGone = (jobId: string) =>
  new AppError('FILE_GONE', 'The job was deleted together with its files. Convert the file again.', {
    jobId,
  })
