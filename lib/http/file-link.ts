import { create as contentDisposition } from 'content-disposition'
import type { StoredFile } from '../jobs/job.ts'
import type { Services } from '../services.ts'

/** Seconds that the address of a file works: long enough to start and resume a download. */
export const linkLifetimeS = 3600

interface Wanted {
  /** Shown in the browser instead of saved. */
  readonly inline?: boolean | undefined
  /** A signature holds for one. */
  readonly method?: 'GET' | 'HEAD'
}

/** Address of the file itself, which needs nothing else to be fetched. */
export const linkTo = (
  { key, mimeType, filename }: StoredFile,
  { files }: Pick<Services, 'files'>,
  { inline, method = 'GET' }: Wanted = {},
): Promise<string> =>
  files.downloadUrl({
    key,
    contentType: mimeType,
    disposition: contentDisposition(filename, { type: inline ? 'inline' : 'attachment' }),
    expiresS: linkLifetimeS,
    method,
  })
