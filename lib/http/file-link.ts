import { create as contentDisposition } from 'content-disposition'
import type { StoredFile } from '../jobs/job.ts'
import type { Services } from '../services.ts'
import { canShowInline } from './inline-types.ts'

/** Seconds that the address of a file works: long enough to start and resume a download. */
export const linkLifetimeS = 3600
/** Seconds in which whoever was led there arrives. */
const minLifetimeS = 30

interface LinkOptions {
  /** Shown in the browser instead of saved, where that is harmless. */
  readonly inline?: boolean | undefined
  /** A signature holds for one. */
  readonly method?: 'GET' | 'HEAD'
  /** Seconds that whoever asks may still fetch it. */
  readonly lifetimeS?: number
}

/** RFC 9530: of all of the file's bytes, also where a range of them is sent. */
export const reprDigest = ({ sha256 }: Pick<StoredFile, 'sha256'>): string | undefined =>
  sha256 ? `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:` : undefined

/** Address of the file itself, which needs nothing else to be fetched. */
export const fileLink = (
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
    digest: reprDigest({ sha256 }),
    expiresS: Math.max(minLifetimeS, Math.min(linkLifetimeS, Math.floor(lifetimeS))),
    method,
  })
