import type * as z from 'zod'
import type { Tools } from '../engine.ts'
import { BrowserCrash, type BrowserPipe, BrowserRefusal } from './cdp-pipe.ts'
import { AttemptNotice, BrowserReply, type BrowserRequest } from './host-messages.ts'

type EventListener = Parameters<BrowserPipe['listen']>[1]

/**
 * Shows a document in the browser of the worker, which keeps it between conversions.
 * @param show may be called again, with another browser, after a crash.
 * @param runsScripts whether to show the document only once, with its scripts, in a browser that ends afterwards.
 * @throws BrowserCrash after crashes in browsers that no other job used; AppError TIMEOUT.
 */
export async function runInBrowser<T>(
  show: (pipe: BrowserPipe) => Promise<T>,
  host: Tools['host'],
  runsScripts = false,
): Promise<T> {
  const ask = async (request: BrowserRequest, onNotice?: (notice: unknown) => void) => {
    const { crash, refusal, result } = BrowserReply.parse(await host(request, onNotice))
    if (crash !== undefined) throw new BrowserCrash(crash)
    if (refusal !== undefined) throw new BrowserRefusal(refusal)
    return result
  }
  let pipe: HostedPipe | undefined
  let outcome: Promise<T> | undefined
  const runAttempt = async (browserPipe: BrowserPipe, attempt: number): Promise<T> => {
    const finishRequest = { kind: 'finish', attempt } as const
    try {
      const result = await show(browserPipe)
      await ask(finishRequest)
      return result
    } catch (error) {
      await ask(error instanceof BrowserCrash ? { ...finishRequest, crash: error.message } : finishRequest)
      throw error
    }
  }
  await ask({ kind: 'run', ...(runsScripts && { runsScripts }) }, (rawNotice) => {
    const notice = AttemptNotice.parse(rawNotice)
    if (notice.kind === 'event') {
      pipe?.receive(notice.sessionId, notice.method, notice.params)
      return
    }
    pipe = new HostedPipe(ask, notice.attempt)
    outcome = runAttempt(pipe, notice.attempt)
    // If the attempt fails, the host starts another one or fails as well, so this error needs no handling.
    outcome.catch(() => undefined)
  })
  if (!outcome) throw new Error('the host finished without an attempt')
  return outcome
}

class HostedPipe implements BrowserPipe {
  readonly isAlive = true
  readonly #sendRequest: (request: BrowserRequest) => Promise<unknown>
  readonly #attempt: number
  readonly #listeners = new Map<string, EventListener>()

  constructor(sendRequest: (request: BrowserRequest) => Promise<unknown>, attempt: number) {
    this.#sendRequest = sendRequest
    this.#attempt = attempt
  }

  async call<T>(schema: z.ZodType<T>, method: string, params: object = {}, sessionId?: string): Promise<T> {
    const request = {
      kind: 'call',
      attempt: this.#attempt,
      method,
      params: { ...params },
      ...(sessionId !== undefined && { sessionId }),
    } as const
    return schema.parse(await this.#sendRequest(request))
  }

  listen(sessionId: string, listener: EventListener): () => void {
    this.#listeners.set(sessionId, listener)
    return () => void this.#listeners.delete(sessionId)
  }

  receive(sessionId: string, method: string, params: Readonly<Record<string, unknown>>): void {
    this.#listeners.get(sessionId)?.(method, params)
  }

  // Does nothing, because the host ends the browser.
  async kill(): Promise<void> {}
}
