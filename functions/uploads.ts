import type { AnyContract } from '../lib/http/contract.ts'
import { createHttpFunction } from '../lib/http/http-function.ts'
import { companionUploads } from './routes/companion-uploads.ts'
import { getUpload } from './routes/get-upload.ts'
import { multipartUploads } from './routes/multipart-uploads.ts'
import { presignUpload } from './routes/presign-upload.ts'

/** Endpoints for files that clients upload directly to the bucket. */
export const contracts: readonly AnyContract[] = [
  presignUpload,
  ...multipartUploads,
  ...companionUploads,
  getUpload,
]

export const handler = createHttpFunction(contracts)
