import { type Presigned, Problem } from './api.ts'

/** Without a sign of life for this long, an upload is given up. */
const stalledMs = 90_000

/**
 * Sends a file to its presigned address. XMLHttpRequest, because fetch does not tell how much of a body has left.
 * @param onProgress bytes that have left so far
 */
export function putFile(
  { url, headers }: Presigned,
  file: File,
  onProgress: (sentBytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const request = new XMLHttpRequest()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
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
    if (request.status >= 200 && request.status < 300) resolve()
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
  else request.send(file)
  alive()
  return promise
}

const brokenOff = () =>
  new Problem(
    'UNREACHABLE',
    'The upload broke off. Check the connection, and that the file is still where it was.',
  )

/** S3 says what is wrong in the `Code` of an XML body. */
function refused(request: XMLHttpRequest): Problem {
  const code = /<Code>(\w+)<\/Code>/.exec(request.responseText)?.[1]
  return new Problem(
    'UPLOAD_REFUSED',
    `The storage refused the file (${code ?? request.status}). Try again to send it anew.`,
  )
}
