import { type PresignedUpload, Problem } from '../../api.ts'
import words from './words/en.ts'

/** Without a sign of life for this long, an upload is given up. */
const stalledMs = 90_000

/**
 * Sends bytes to their presigned address. XMLHttpRequest, because fetch does not tell how much of a body has left.
 * @param onProgress bytes that have left so far
 * @returns the ETag that the storage gave them
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
  let stalled: ReturnType<typeof setTimeout> | undefined
  const alive = () => {
    clearTimeout(stalled)
    stalled = setTimeout(abort, stalledMs)
  }
  request.upload.addEventListener('progress', ({ loaded }) => {
    alive()
    onProgress(loaded)
  })
  request.addEventListener('load', () => {
    if (request.status >= 200 && request.status < 300) resolve(request.getResponseHeader('etag') ?? '')
    else reject(refused(request))
  })
  request.addEventListener('error', () => reject(brokenOff()))
  request.addEventListener('abort', () => reject(signal.aborted ? signal.reason : brokenOff()))
  request.addEventListener('loadend', () => {
    clearTimeout(stalled)
    signal.removeEventListener('abort', abort)
  })
  request.open('PUT', url)
  for (const [name, value] of Object.entries(headers ?? {})) request.setRequestHeader(name, value)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) reject(signal.reason)
  else request.send(bytes)
  alive()
  return promise
}

const brokenOff = () => new Problem('UNREACHABLE', words.uploadInterrupted)

/** S3 says what is wrong in the `Code` of an XML body. */
function refused(request: XMLHttpRequest): Problem {
  const code = /<Code>(\w+)<\/Code>/.exec(request.responseText)?.[1]
  return new Problem('UPLOAD_REFUSED', words.uploadRejected(code ?? String(request.status)))
}
