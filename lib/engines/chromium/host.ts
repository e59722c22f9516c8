import * as z from 'zod'
import { AppError } from '../../errors.ts'
import type { EngineHost, EngineLimits, HostSession } from '../engine.ts'
import type { Browser, BrowserJob } from './browser.ts'
import { BrowserCrash, type BrowserPipe, BrowserRefusal } from './cdp-pipe.ts'
import { type AttemptNotice, type BrowserReply, BrowserRequest } from './host-messages.ts'

const Empty = z.object({})
const Context = z.looseObject({ browserContextId: z.string() })
const Target = z.looseObject({ targetId: z.string() })
const Session = z.looseObject({ sessionId: z.string() })

/** DevTools methods that a conversion may call on its page. Others could reach files, or pages of other conversions. */
const pageMethods: ReadonlySet<string> = new Set([
  ...['Page.enable', 'Page.navigate', 'Page.getLayoutMetrics', 'Page.captureScreenshot', 'Page.printToPDF'],
  ...['Fetch.enable', 'Fetch.fulfillRequest', 'Fetch.failRequest', 'IO.read', 'Inspector.enable'],
  ...['Emulation.setDeviceMetricsOverride', 'Emulation.setEmulatedMedia', 'Page.createIsolatedWorld'],
  ...['Emulation.setDefaultBackgroundColorOverride', 'Runtime.evaluate'],
])

/** Methods that are allowed only in a browser that no other conversion uses. */
const scriptMethods: ReadonlySet<string> = new Set([
  ...['Emulation.setScriptExecutionDisabled', 'Emulation.setVirtualTimePolicy'],
  ...['Runtime.terminateExecution', 'Page.getFrameTree', 'Page.addScriptToEvaluateOnNewDocument'],
])

/** Time limit in seconds for a page whose scripts run; after that, it is converted without scripts. */
const scriptsTimeoutS = 60

/** Lets the engine's code control its own pages in the browser. */
export const createBrowserHost = (browser: Browser, limits: EngineLimits): EngineHost => ({
  serve: ({ tools }) => new BrowserSession(browser, limits, tools.signal),
})

/** One attempt to show a document in a browser, controlled by the code of the engine. */
class Attempt {
  readonly #pipe: BrowserPipe
  readonly #notify: (notice: AttemptNotice) => void
  readonly #runsScripts: boolean
  readonly #contexts = new Set<string>()
  readonly #targets = new Set<string>()
  readonly #sessions = new Map<string, () => void>()
  readonly #end = Promise.withResolvers<void>()
  #hasEnded = false

  constructor(pipe: BrowserPipe, notify: (notice: AttemptNotice) => void, runsScripts: boolean) {
    this.#pipe = pipe
    this.#notify = notify
    this.#runsScripts = runsScripts
  }

  /** Resolves when the engine's code reports the end of the attempt. @throws BrowserCrash if it reports a crash. */
  get ended(): Promise<void> {
    return this.#end.promise
  }

  finish(crash: string | undefined): void {
    if (crash === undefined) this.#end.resolve()
    else this.#end.reject(new BrowserCrash(crash))
  }

  async call(
    method: string,
    params: Readonly<Record<string, unknown>>,
    sessionId?: string,
  ): Promise<unknown> {
    if (sessionId !== undefined) {
      const isAllowed = pageMethods.has(method) || (this.#runsScripts && scriptMethods.has(method))
      if (!this.#sessions.has(sessionId) || !isAllowed) throw new Error(`${method} is not allowed`)
      if (method === 'Page.navigate') requireWebUrl(params['url'])
      return this.#pipe.call(z.unknown(), method, params, sessionId)
    }
    switch (method) {
      case 'Target.createBrowserContext': {
        const { browserContextId } = await this.#pipe.call(Context, method)
        this.#contexts.add(browserContextId)
        // If the attempt has ended meanwhile, nothing else disposes of this context.
        if (this.#hasEnded) await this.#dispose(browserContextId)
        return { browserContextId }
      }
      case 'Target.createTarget': {
        const { browserContextId, width, height } = BlankTab.parse(params)
        if (!this.#contexts.has(browserContextId)) throw new Error('another context')
        const tabParams = { url: 'about:blank', browserContextId, width, height }
        const { targetId } = await this.#pipe.call(Target, method, tabParams)
        this.#targets.add(targetId)
        return { targetId }
      }
      case 'Target.attachToTarget': {
        const { targetId } = Target.parse(params)
        if (!this.#targets.has(targetId)) throw new Error('another target')
        const session = await this.#pipe.call(Session, method, { targetId, flatten: true })
        if (!this.#runsScripts) await this.#disableScripts(session.sessionId)
        const stopListening = this.#pipe.listen(session.sessionId, (event, eventParams) =>
          this.#notify({ kind: 'event', sessionId: session.sessionId, method: event, params: eventParams }),
        )
        this.#sessions.set(session.sessionId, stopListening)
        return { sessionId: session.sessionId }
      }
      default:
        throw new Error(`${method} is not allowed`)
    }
  }

  #disableScripts(sessionId: string): Promise<unknown> {
    return this.#pipe.call(Empty, 'Emulation.setScriptExecutionDisabled', { value: true }, sessionId)
  }

  async close(): Promise<void> {
    this.#hasEnded = true
    for (const stopListening of this.#sessions.values()) stopListening()
    if (this.#pipe.isAlive) await Promise.all([...this.#contexts].map((id) => this.#dispose(id)))
  }

  #dispose(browserContextId: string): Promise<unknown> {
    return this.#pipe.call(Empty, 'Target.disposeBrowserContext', { browserContextId })
  }
}

/**
 * Rejects URLs of files and of the browser's internal pages, which could show data of other conversions. Pages from the
 * web cannot open such URLs.
 */
function requireWebUrl(url: unknown): void {
  if (typeof url !== 'string' || !/^https?:/.test(URL.parse(url)?.protocol ?? ''))
    throw new Error('another URL than one of the web is not allowed')
}

const BlankTab = z.looseObject({
  browserContextId: z.string(),
  width: z.number().int().positive(),
  height: z.number().int().positive(),
})

class BrowserSession implements HostSession {
  readonly #browser: Browser
  readonly #limits: EngineLimits
  readonly #signal: AbortSignal
  /** The most recent attempt. */
  #attempt: Attempt | undefined
  /** Number of attempts in this session, which is also the number of the most recent one. */
  #attempts = 0
  #isRunning = false

  constructor(browser: Browser, limits: EngineLimits, signal: AbortSignal) {
    this.#browser = browser
    this.#limits = limits
    this.#signal = signal
  }

  async answer(rawRequest: unknown, notify: (notice: AttemptNotice) => void): Promise<BrowserReply> {
    const request = BrowserRequest.parse(rawRequest)
    try {
      switch (request.kind) {
        case 'run':
          await this.#runExclusively(notify, request.runsScripts ?? false)
          return {}
        case 'finish':
          if (request.attempt === this.#attempts) this.#attempt?.finish(request.crash)
          return {}
        case 'call':
          if (request.attempt !== this.#attempts)
            throw new BrowserCrash('The attempt to convert the page has already ended.')
          return { result: await this.#attempt?.call(request.method, request.params, request.sessionId) }
      }
    } catch (error) {
      if (error instanceof BrowserCrash) return { crash: error.message }
      if (error instanceof BrowserRefusal) return { refusal: error.message }
      throw error
    }
  }

  /** Runs only one attempt at a time in a session, because each may start a browser. */
  async #runExclusively(notify: (notice: AttemptNotice) => void, runsScripts: boolean): Promise<void> {
    if (this.#isRunning) throw new Error('another attempt is running')
    this.#isRunning = true
    try {
      await this.#run(notify, runsScripts)
    } finally {
      this.#isRunning = false
    }
  }

  /** @throws BrowserStartFailure; BrowserCrash after crashes in browsers that no other job used; AppError TIMEOUT. */
  async #run(notify: (notice: AttemptNotice) => void, runsScripts: boolean): Promise<void> {
    const timeoutS = runsScripts ? scriptsTimeoutS : this.#limits.timeoutS
    const timeoutSignal = AbortSignal.timeout(timeoutS * 1000)
    const attempts = new Map<BrowserPipe, Attempt>()
    const job: BrowserJob<void> = {
      run: async ({ pipe }) => {
        const attempt = new Attempt(pipe, notify, runsScripts)
        attempts.set(pipe, attempt)
        this.#attempt = attempt
        notify({ kind: 'attempt', attempt: ++this.#attempts })
        await attempt.ended
      },
      endBrowser: async ({ pipe }) => attempts.get(pipe)?.close(),
    }
    try {
      const signal = AbortSignal.any([this.#signal, timeoutSignal])
      await (runsScripts ? this.#browser.runAlone(job, signal) : this.#browser.run(job, signal))
    } catch (error) {
      if (!timeoutSignal.aborted || this.#signal.aborted) throw error
      if (runsScripts)
        throw new BrowserCrash('The page did not finish within the time limit.', { cause: error })
      const message = `The page exceeded the time limit of ${timeoutS} seconds. Send a smaller page, or a part of it.`
      throw new AppError('TIMEOUT', message, { timeoutS }, { cause: error })
    }
  }
}
