import { create as contentDisposition } from 'content-disposition'
import type { StoredFile } from '../model/job.ts'
import type { Services } from '../services/services.ts'
import { canShowInline } from './inline-types.ts'

/** Lifetime of a presigned file URL: long enough to start and resume a download. */
export const linkLifetimeS = 3600
/** Minimum lifetime that a redirected client needs. */
const minLifetimeS = 30

interface LinkOptions {
  /** Shows the file in the browser instead of saving it, if its type is safe. */
  readonly inline?: boolean | undefined
  /** Method of the presigned URL, which is valid for one method only. */
  readonly method?: 'GET' | 'HEAD'
  /** How many seconds the client may take to fetch the file. */
  readonly lifetimeS?: number
}

/** Returns `Repr-Digest` (RFC 9530), the digest of the whole file even if a range is sent. */
export const getReprDigest = ({ sha256 }: Pick<StoredFile, 'sha256'>): string | undefined =>
  sha256 ? `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:` : undefined

/** Returns a presigned URL of the file, which needs no authentication. */
export const createFileLink = (
  { key, mimeType, filename, sha256 }: StoredFile,
  { files }: Pick<Services, 'files'>,
  { inline, method = 'GET', lifetimeS = linkLifetimeS }: LinkOptions = {},
): Promise<string> =>
  files.downloadUrl({
    key,
    contentType: mimeType,
    disposition: contentDisposition(filename, {
      type: inline && canShowInline(mimeType) ? 'inline' : 'attachment',
    }),
    digest: getReprDigest({ sha256 }),
    expiresS: Math.max(minLifetimeS, Math.min(linkLifetimeS, Math.floor(lifetimeS))),
    method,
  })
