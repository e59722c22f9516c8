import * as z from 'zod'
import { readAccess } from '../../lib/access/principal.ts'
import { AppError } from '../../lib/errors.ts'
import { contract } from '../../lib/http/contract.ts'
import { fileLink, linkLifetimeS, reprDigest } from '../../lib/http/file-link.ts'
import { subnetOf } from '../../lib/http/ip-networks.ts'
import { canRead, JobParams, jobNotFound, requireJobId } from '../../lib/http/job-access.ts'
import { findResultFile } from '../../lib/http/job-files.ts'
import { optionalBoolean } from '../../lib/http/query.ts'
import { hasSignature, verifySignature } from '../../lib/http/signed-download.ts'

/** Seconds that what a counted address leads to works: to begin with it, not to hand it on in its place. */
const limitedLinkLifetimeS = 300

export const downloadResult = contract({
  method: 'GET',
  path: '/v1/download/:jobId',
  access: readAccess,
  tag: 'Jobs',
  summary: 'Download the result',
  description:
    'Redirects to the file itself, which answers `Range` and carries an `ETag`. Follow the redirect (`curl -L`). `Repr-Digest` has the SHA-256 of the file (RFC 9530), whose bytes you can check by it. Each time that it leads to the file is told as `file.downloaded`. The addresses in replies and events are signed and hold for 24 hours after the job, for whoever has them; without a signature the result of an account is there for that account alone.',
  params: JobParams,
  query: z.object({
    file: z.string().optional().describe('Name of one of several result files'),
    task: z.string().optional().describe('Name of the task whose file is wanted'),
    inline: optionalBoolean.describe(
      'Show in the browser instead of saving: pictures, sound, films, plain text and JSON. What could run scripts, as HTML, SVG and PDF, is saved all the same. It may be added to a signed address',
    ),
    exp: z
      .string()
      .optional()
      .describe('Of a signed address, as the next four: when it expires, in seconds since 1970'),
    kid: z.string().optional().describe('Id of the key that signed it'),
    link: z.string().optional().describe('Id of an address that is counted'),
    max: z.string().optional().describe('Times that it leads to the file'),
    sig: z.string().optional().describe('Signature'),
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
    if (link !== undefined) await services.downloads[isFetched ? 'take' : 'look'](link, Number(max))
    const leftS = isSigned ? Number(exp) - Date.now() / 1000 : linkLifetimeS
    const lifetimeS = link === undefined ? leftS : Math.min(leftS, limitedLinkLifetimeS)
    const [location] = await Promise.all([
      fileLink(file, services, { inline, method: isFetched ? 'GET' : 'HEAD', lifetimeS }),
      // The file is there for whoever asks, whether or not it can be told.
      isFetched &&
        services.jobs.publishDownload(job, file, { signed: isSigned, ip: subnetOf(sourceIp) }).catch((error: unknown) => {
          log.error({ error, jobId }, 'a download was not told of')
        }),
    ])
    const digest = reprDigest(file)
    return { data: null, headers: { location, ...(digest && { 'repr-digest': digest }) } }
  },
})

const fileGone = (jobId: string) =>
  new AppError('FILE_GONE', 'The job of this file was deleted, and its files with it. Convert again.', {
    jobId,
  })
