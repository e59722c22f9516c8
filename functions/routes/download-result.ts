import * as z from 'zod'
import { canRead, createJobNotFoundError, JobParams, requireJobId } from '../../lib/access/job-access.ts'
import { AppError } from '../../lib/errors.ts'
import { contract, type HttpRequest } from '../../lib/http/contract.ts'
import { findResult } from '../../lib/http/job-files.ts'
import { findOrPackZip } from '../../lib/http/pack-on-request.ts'
import { optionalBooleanParameter } from '../../lib/http/query.ts'
import { createFileLink, getReprDigest, linkLifetimeS } from '../../lib/links/file-link.ts'
import { hasSignature, verifySignature } from '../../lib/links/signed-download.ts'
import { readAccess } from '../../lib/model/principal.ts'
import { getSubnet } from '../../lib/net/ip-networks.ts'
import { integer } from '../../lib/validation/coerce.ts'
import { defined } from '../../lib/validation/defined.ts'
import { text } from '../../lib/validation/maxima.ts'

/**
 * Lifetime of the file URL behind a limited link: enough to start the download, but too short to share this URL instead
 * of the link.
 */
const limitedLinkLifetimeS = 300

export const downloadResult = contract({
  method: 'GET',
  path: '/v1/download/:jobId',
  access: readAccess,
  tag: 'Jobs',
  summary: 'Download the result',
  description:
    'Redirects to the file itself, which supports `Range` and has an `ETag`. Follow the redirect (`curl -L`). For a batch with several results, the file is a ZIP of all of them, with a `manifest.json` that also lists the failed items. A separate job creates the ZIP at the first request, and it is kept as long as the results. Until it is ready, the request waits, then redirects to the same path again. `Repr-Digest` is the SHA-256 of the file (RFC 9530), with which you can verify the download. Each redirect to the file is reported as a `file.downloaded` event. The URLs in replies and events are signed and work for 24 hours after the end of the job, for anyone who has them; without a signature, only the account itself can download its results.',
  params: JobParams,
  query: z.object({
    file: text('name')
      .optional()
      .describe('Name of the result file to download; by default the first file, or the ZIP of a batch'),
    task: text('id')
      .optional()
      .describe('Name of the task whose file is downloaded; also works for completed tasks of a failed job'),
    inline: optionalBooleanParameter.describe(
      'Show the file in the browser instead of saving it: images, audio, video, plain text and JSON. Types that can run scripts, such as HTML, SVG and PDF, are always saved. May be added to a signed URL',
    ),
    attempt: integer(1, 100_000)
      .optional()
      .describe('Added by the redirects of a ZIP that is still being packed. Not part of a signature'),
    exp: text('id').optional().describe('Signed URL: expiry in seconds since 1970'),
    kid: text('id').optional().describe('Signed URL: id of the signing key'),
    link: text('id').optional().describe('Signed URL: id of a link with a download limit'),
    max: text('id').optional().describe('Signed URL: download limit'),
    sig: text('id').optional().describe('Signed URL: signature'),
  }),
  reply: { status: 302, headers: ['location', 'repr-digest'], schema: z.null(), form: 'empty' },
  errors: [
    ...([
      'JOB_NOT_FOUND',
      'TASK_NOT_FOUND',
      'CONFLICT',
      'FILE_GONE',
      'EXPIRED',
      'INVALID_SIGNATURE',
    ] as const),
    // Errors of the job that packs the ZIP of a batch.
    ...(['INSUFFICIENT_DISK_SPACE', 'TIMEOUT', 'CONVERSION_FAILED'] as const),
  ],
  handle: async (request, services) => {
    const { params, query, rawQuery, method, principal, sourceIp, log } = request
    const { inline, link, max, exp } = query
    const jobId = requireJobId(params.jobId)
    const isSigned = hasSignature(rawQuery)
    if (isSigned) verifySignature(jobId, rawQuery, services.keys.download)
    const job = await services.jobs.store.getJob(jobId)
    if (!job || job.deletedAt) throw isSigned ? createFilesDeletedError(jobId) : createJobNotFoundError(jobId)
    if (!isSigned && !canRead(job, principal)) throw createJobNotFoundError(jobId)
    const result = await findResult(job, query, services)
    const file = result === 'zip' ? await findOrPackZip(job, request, services) : result
    if (!file)
      return { data: null, headers: { location: createNextAttemptPath(jobId, rawQuery, query.attempt) } }
    const fetchesFile = method !== 'HEAD'
    if (link !== undefined)
      await services.downloadLimits[fetchesFile ? 'countDownload' : 'check'](link, Number(max))
    const remainingS = isSigned ? Number(exp) - Date.now() / 1000 : linkLifetimeS
    const lifetimeS = link === undefined ? remainingS : Math.min(remainingS, limitedLinkLifetimeS)
    const [location] = await Promise.all([
      createFileLink(file, services, { inline, method: fetchesFile ? 'GET' : 'HEAD', lifetimeS }),
      // The download must work even if the event cannot be published.
      fetchesFile &&
        services.jobs
          .publishDownload(job, file, { isSigned, ip: getSubnet(sourceIp) })
          .catch((error: unknown) => {
            log.error({ error, jobId }, 'download event could not be published')
          }),
    ])
    const digest = getReprDigest(file)
    return { data: null, headers: { location, ...defined({ 'repr-digest': digest }) } }
  },
})

type RawQuery = HttpRequest<unknown, unknown, unknown>['rawQuery']

/** Some clients refuse to be redirected to the same URL twice, so the URL contains the number of the attempt. */
function createNextAttemptPath(jobId: string, query: RawQuery, attempt = 1): string {
  return `/v1/download/${jobId}?${new URLSearchParams({ ...defined(query), attempt: String(attempt + 1) })}`
}

const createFilesDeletedError = (jobId: string) =>
  new AppError('FILE_GONE', 'The job was deleted together with its files. Convert the file again.', {
    jobId,
  })
