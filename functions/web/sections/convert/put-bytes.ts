import { type PresignedUpload, Problem } from '../../api.ts'
import words from './words/en.ts'

/** An upload that makes no progress for this long is aborted. */
const stallTimeoutMs = 90_000

/**
 * Uploads bytes to a presigned URL. Uses XMLHttpRequest, because fetch reports no upload progress.
 * @param onProgress receives the bytes sent so far
 * @returns the ETag from the storage
 */
export function putBytes(
  { url, headers }: Pick<PresignedUpload, 'url' | 'headers'>,
  bytes: Blob,
  onProgress: (sentBytes: number) => void,
  signal: AbortSignal,
): Promise<string> {
  const request = new XMLHttpRequest()
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const abort = () => request.abort()
  let stallTimer: ReturnType<typeof setTimeout> | undefined
  const restartStallTimer = () => {
    clearTimeout(stallTimer)
    stallTimer = setTimeout(abort, stallTimeoutMs)
  }
  request.upload.addEventListener('progress', ({ loaded }) => {
    restartStallTimer()
    onProgress(loaded)
  })
  request.addEventListener('load', () => {
    if (request.status >= 200 && request.status < 300) resolve(request.getResponseHeader('etag') ?? '')
    else reject(toUploadError(request))
  })
  request.addEventListener('error', () => reject(createInterruptedError()))
  request.addEventListener('abort', () => reject(signal.aborted ? signal.reason : createInterruptedError()))
  request.addEventListener('loadend', () => {
    clearTimeout(stallTimer)
    signal.removeEventListener('abort', abort)
  })
  request.open('PUT', url)
  for (const [name, value] of Object.entries(headers ?? {})) request.setRequestHeader(name, value)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) reject(signal.reason)
  else request.send(bytes)
  restartStallTimer()
  return promise
}

const createInterruptedError = () => new Problem('UNREACHABLE', words.uploadInterrupted)

/** Reads the error from the `Code` element of S3's XML body. */
function toUploadError(request: XMLHttpRequest): Problem {
  const code = /<Code>(\w+)<\/Code>/.exec(request.responseText)?.[1]
  return new Problem('UPLOAD_REFUSED', words.uploadRejected(code ?? String(request.status)))
}
