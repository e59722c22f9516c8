import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { tapStream } from '../io/collect-garbage.ts'
import type { OutgoingRequest, OutgoingResponse } from './guarded-http.ts'
import { RemoteError } from './remote-error.ts'
import { createByteReporter } from './report-bytes.ts'
import type { OutgoingFile } from './transfer.ts'

/** Maximum number of times an upload resumes after a lost connection. */
const maxResumptions = 3
/** Delay before the first resumption in milliseconds; it doubles with each further resumption. */
const pauseMs = 500
/** Timeout for cancelling an upload session. */
const cancelTimeoutMs = 5000

/** Sends a request to Google. @throws RemoteError unless `isSuccess` accepts the status. */
export type GoogleRequest = (
  location: string,
  url: string,
  options: OutgoingRequest,
  isSuccess?: (status: number) => boolean,
) => Promise<OutgoingResponse>

interface UploadContext {
  readonly request: GoogleRequest
  readonly location: string
  readonly onSent: (bytes: number) => void
  readonly signal: AbortSignal
}

/**
 * Uploads a file to a resumable session of Cloud Storage or Google Drive, in one request if nothing fails. The file
 * exists once its last byte has arrived; after a failure, the session is cancelled.
 * @returns what Google stored.
 */
export async function uploadToSession(
  sessionUrl: string,
  file: OutgoingFile,
  upload: UploadContext,
): Promise<Readonly<Record<string, unknown>>> {
  const { request, location, signal } = upload
  try {
    const { body } = await uploadWithResumption(sessionUrl, file, upload)
    const storedObject = (await json(body)) as { size?: string } // as documented by Google
    const { size } = storedObject
    if (size !== undefined && Number(size) !== file.size)
      throw new RemoteError(
        'incomplete',
        `The storage received ${size} of ${file.size} bytes of ${location}.`,
      )
    return storedObject
  } catch (error) {
    const cancelOptions = { method: 'DELETE' as const, signal: AbortSignal.timeout(cancelTimeoutMs) }
    // If cancelling fails, the session expires after a week.
    await request(location, sessionUrl, cancelOptions, () => true).then(
      ({ body }) => body.destroy(),
      () => {},
    )
    signal.throwIfAborted()
    throw error
  }
}

async function uploadWithResumption(
  sessionUrl: string,
  file: OutgoingFile,
  upload: UploadContext,
): Promise<OutgoingResponse> {
  const { signal, request, location } = upload
  const reportStoredBytes = createByteReporter(upload.onSent)
  let at = 0
  for (let resumeCount = 0; ; resumeCount++) {
    try {
      if (resumeCount > 0) {
        const response = await request(
          location,
          sessionUrl,
          { ...createEmptyPut(`bytes */${file.size}`), signal },
          isAccepted,
        )
        if (response.status !== 308) return response
        response.body.destroy()
        at = parseStoredBytes(response)
      }
      const response = await request(
        location,
        sessionUrl,
        { ...(await createPut(at, file, reportStoredBytes)), signal },
        isAccepted,
      )
      if (response.status !== 308) return response
      response.body.destroy()
      throw new RemoteError('incomplete', `The storage accepted only part of ${location}.`)
    } catch (error) {
      signal.throwIfAborted()
      const canResume = error instanceof RemoteError && error.isTransient && resumeCount < maxResumptions
      if (!canResume) throw error
      await sleep(pauseMs * 2 ** resumeCount, undefined, { signal })
    }
  }
}

/** Whether Google accepted a request: "308 Resume Incomplete" means that more data is expected. */
const isAccepted = (status: number) => status < 300 || status === 308

const createEmptyPut = (range: string) => ({
  method: 'PUT' as const,
  headers: { 'content-range': range, 'content-length': '0' },
})

/** Creates the request that sends the bytes from `start` to the end. */
async function createPut(start: number, file: OutgoingFile, reportStoredBytes: (at: number) => void) {
  const { size } = file
  if (start === size) return createEmptyPut(`bytes */${size}`)
  let at = start
  const body = tapStream(await file.open({ start, end: size, releasesBuffers: true }), ({ length }) => {
    at += length
    reportStoredBytes(at)
  })
  return {
    method: 'PUT' as const,
    headers: {
      'content-range': `bytes ${start}-${size - 1}/${size}`,
      'content-length': String(size - start),
    },
    body,
  }
}

/**
 * Returns the number of stored bytes. `Range: bytes=0-42` names the last stored byte; without the header, no bytes are
 * stored.
 */
function parseStoredBytes({ headers }: OutgoingResponse): number {
  const lastByte = /^bytes=0-(\d+)$/.exec(String(headers['range'] ?? ''))?.[1]
  return lastByte === undefined ? 0 : Number(lastByte) + 1
}
