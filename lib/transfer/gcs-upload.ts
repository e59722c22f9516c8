import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { tapStream } from '../collect-garbage.ts'
import type { GcsRequest } from './gcs-bucket.ts'
import type { OutgoingResponse } from './guarded-http.ts'
import { RemoteError } from './remote-error.ts'
import type { OutgoingFile } from './transfer.ts'

/** Times that an upload goes on after its connection was lost, and milliseconds before the first of them. */
const maxResumptions = 3
const pauseMs = 500
/** Milliseconds that the storage has to hear that nothing more comes. */
const cancelTimeoutMs = 5000

interface UploadContext {
  readonly request: GcsRequest
  readonly place: string
  readonly onSent: (bytes: number) => void
  readonly signal: AbortSignal
}

/**
 * Sends a file to the session of a resumable upload, in one request as long as nothing goes wrong. The object is there
 * when its last byte is; a session that is given up is cancelled.
 */
export async function uploadToSession(
  session: string,
  file: OutgoingFile,
  upload: UploadContext,
): Promise<void> {
  const { request, place, signal } = upload
  try {
    const { body } = await uploadWithResumption(session, file, upload)
    const { size } = (await json(body)) as { size?: string }
    if (size !== undefined && Number(size) !== file.size)
      throw new RemoteError('incomplete', `The storage has ${size} of ${file.size} bytes of ${place}.`)
  } catch (error) {
    const cancellation = { method: 'DELETE' as const, signal: AbortSignal.timeout(cancelTimeoutMs) }
    // Where it cannot be told, the storage forgets the session after a week.
    await request(place, session, cancellation, () => true).then(
      ({ body }) => body.destroy(),
      () => {},
    )
    signal.throwIfAborted()
    throw error
  }
}

async function uploadWithResumption(
  session: string,
  file: OutgoingFile,
  upload: UploadContext,
): Promise<OutgoingResponse> {
  const { signal, request, place } = upload
  const reportTo = reportNewBytes(upload.onSent)
  let at = 0
  for (let resumed = 0; ; resumed++) {
    try {
      if (resumed > 0) {
        const response = await request(
          place,
          session,
          { ...emptyPut(`bytes */${file.size}`), signal },
          isAccepted,
        )
        if (response.status !== 308) return response
        response.body.destroy()
        at = parseStoredBytes(response)
      }
      const response = await request(
        place,
        session,
        { ...(await createPut(at, file, reportTo)), signal },
        isAccepted,
      )
      if (response.status !== 308) return response
      response.body.destroy()
      throw new RemoteError('incomplete', `The storage took only a part of ${place}.`)
    } catch (error) {
      signal.throwIfAborted()
      const canResume = error instanceof RemoteError && error.isTransient && resumed < maxResumptions
      if (!canResume) throw error
      await sleep(pauseMs * 2 ** resumed, undefined, { signal })
    }
  }
}

/** "308 Resume Incomplete" says that more is awaited. */
const isAccepted = (status: number) => status < 300 || status === 308

const emptyPut = (range: string) => ({
  method: 'PUT' as const,
  headers: { 'content-range': range, 'content-length': '0' },
})

/** The bytes from there to the end. */
async function createPut(start: number, file: OutgoingFile, reportTo: (at: number) => void) {
  const { size } = file
  if (start === size) return emptyPut(`bytes */${size}`)
  let at = start
  const body = tapStream(await file.open({ start, end: size, releasesBuffers: true }), ({ length }) => {
    at += length
    reportTo(at)
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

/** `Range: bytes=0-42` names the last byte that is there; without it there is none. */
function parseStoredBytes({ headers }: OutgoingResponse): number {
  const last = /^bytes=0-(\d+)$/.exec(String(headers['range'] ?? ''))?.[1]
  return last === undefined ? 0 : Number(last) + 1
}

/** What goes out a second time is not told again. */
function reportNewBytes(sent: (bytes: number) => void) {
  let reported = 0
  return (at: number) => {
    sent(Math.max(0, at - reported))
    reported = Math.max(reported, at)
  }
}
