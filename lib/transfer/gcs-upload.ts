import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { watched } from '../collect-garbage.ts'
import type { Ask } from './gcs-bucket.ts'
import type { OutgoingResponse } from './guarded-http.ts'
import { RemoteError } from './remote-error.ts'
import type { OutgoingFile } from './transfer.ts'

/** Times that an upload goes on after its connection was lost, and milliseconds before the first of them. */
const mostResumed = 3
const pauseMs = 500
/** Milliseconds that the storage has to hear that nothing more comes. */
const forgetMs = 5000

interface Sending {
  readonly ask: Ask
  readonly place: string
  readonly sent: (bytes: number) => void
  readonly signal: AbortSignal
}

/**
 * Sends a file to the session of a resumable upload, in one request as long as nothing goes wrong. The object is there
 * when its last byte is; a session that is given up is cancelled.
 */
export async function sendToSession(session: string, file: OutgoingFile, sending: Sending): Promise<void> {
  const { ask, place, signal } = sending
  try {
    const { body } = await finished(session, file, sending)
    const { size } = (await json(body)) as { size?: string }
    if (size !== undefined && Number(size) !== file.size)
      throw new RemoteError('incomplete', `The storage has ${size} of ${file.size} bytes of ${place}.`)
  } catch (error) {
    const forgotten = { method: 'DELETE' as const, signal: AbortSignal.timeout(forgetMs) }
    // Where it cannot be told, the storage forgets the session after a week.
    await ask(place, session, forgotten, () => true).then(
      ({ body }) => body.destroy(),
      () => {},
    )
    signal.throwIfAborted()
    throw error
  }
}

async function finished(session: string, file: OutgoingFile, sending: Sending): Promise<OutgoingResponse> {
  const { signal, ask, place } = sending
  const count = onceEach(sending.sent)
  let at = 0
  for (let resumed = 0; ; resumed++) {
    try {
      if (resumed > 0) {
        const answer = await ask(place, session, { ...emptyPut(`bytes */${file.size}`), signal }, isOnItsWay)
        if (answer.status !== 308) return answer
        answer.body.destroy()
        at = storedOf(answer)
      }
      const answer = await ask(place, session, { ...(await putFrom(at, file, count)), signal }, isOnItsWay)
      if (answer.status !== 308) return answer
      answer.body.destroy()
      throw new RemoteError('incomplete', `The storage took only a part of ${place}.`)
    } catch (error) {
      signal.throwIfAborted()
      const canGoOn = error instanceof RemoteError && error.isPassing && resumed < mostResumed
      if (!canGoOn) throw error
      await sleep(pauseMs * 2 ** resumed, undefined, { signal })
    }
  }
}

/** "308 Resume Incomplete" says that more is awaited. */
const isOnItsWay = (status: number) => status < 300 || status === 308

const emptyPut = (range: string) => ({
  method: 'PUT' as const,
  headers: { 'content-range': range, 'content-length': '0' },
})

/** The bytes from there to the end. */
async function putFrom(start: number, file: OutgoingFile, count: (at: number) => void) {
  const { size } = file
  if (start === size) return emptyPut(`bytes */${size}`)
  let at = start
  const body = watched(await file.open({ start, end: size, givesBack: true }), ({ length }) => {
    at += length
    count(at)
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
function storedOf({ headers }: OutgoingResponse): number {
  const last = /^bytes=0-(\d+)$/.exec(String(headers['range'] ?? ''))?.[1]
  return last === undefined ? 0 : Number(last) + 1
}

/** What goes out a second time is not told again. */
function onceEach(sent: (bytes: number) => void) {
  let told = 0
  return (at: number) => {
    sent(Math.max(0, at - told))
    told = Math.max(told, at)
  }
}
