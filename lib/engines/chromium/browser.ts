import { createMutex } from '../sandbox/mutex.ts'
import { removeOrphanedFolders } from '../sandbox/process-folder.ts'
import { untilAborted } from '../sandbox/until-aborted.ts'
import { BrowserCrash, BrowserStartFailure } from './cdp-pipe.ts'
import { type BrowserProcess, browserFolderPrefix, startBrowser } from './process.ts'

/** Documents before a restart: a browser leaks a little with each page, and a new one takes half a second to start. */
const maxDocuments = 100

/** Crashes of browsers that showed nothing but this document, which therefore has caused them. */
const maxOwnCrashes = 3

const maxStarts = 3

/** How long a page may take to close before the browser is killed. */
const closeTimeoutMs = 1000

interface Browser {
  /**
   * Runs a job in the browser, starting it if needed. The job's `end` closes what it has opened.
   * @throws BrowserCrash after crashes in browsers of its own, BrowserStartFailure, the signal's reason when aborted.
   */
  run<T>(job: BrowserJob<T>, signal: AbortSignal): Promise<T>
  warm(): Promise<void>
  close(): Promise<void>
}

/** Work to do in a browser; after a crash it is repeated in a browser of its own. */
export interface BrowserJob<T> {
  run(browser: BrowserProcess): Promise<T>
  endBrowser(browser: BrowserProcess): Promise<void>
}

interface Running {
  readonly browser: BrowserProcess
  documents: number
  active: number
}

/** Shares one browser among all jobs. When it is replaced, running jobs keep the old one until they end. */
export function createBrowser(baseDir: string): Browser {
  let current: Promise<Running> | undefined
  let orphansRemoved: Promise<void> | undefined
  const all = new Set<BrowserProcess>()
  let closed = false

  async function launch(): Promise<Running> {
    orphansRemoved ??= removeOrphanedFolders(baseDir, browserFolderPrefix)
    await orphansRemoved
    const browser = await start()
    all.add(browser)
    return { browser, documents: 0, active: 0 }
  }

  async function start(): Promise<BrowserProcess> {
    for (let attempt = 1; ; attempt++) {
      if (closed) throw new Error('The browser is closed.')
      try {
        return await startBrowser(baseDir)
      } catch (error) {
        if (!(error instanceof BrowserStartFailure) || attempt === maxStarts) throw error
      }
    }
  }

  async function getBrowser(): Promise<Running> {
    // Retry a start that failed for another job.
    const running = await current?.catch(() => undefined)
    if (running?.browser.pipe.alive && running.documents < maxDocuments) return running
    if (running && running.active === 0) await endBrowser(running)
    current = launch()
    return current
  }

  async function endBrowser({ browser }: Running): Promise<void> {
    await browser.kill()
    all.delete(browser)
  }

  /** Serializes requests, so that concurrent jobs do not start several browsers. */
  const inTurn = createMutex()
  function acquire(): Promise<Running> {
    return inTurn(async () => {
      const running = await getBrowser()
      running.documents++
      running.active++
      return running
    })
  }

  async function release(running: Running): Promise<void> {
    running.active--
    const isWornOut = !running.browser.pipe.alive || running.documents >= maxDocuments
    if (isWornOut && running.active === 0) await endBrowser(running)
  }

  /** Starts a browser that no other job gets. */
  async function acquireOwn(): Promise<Running> {
    const running = await launch()
    running.documents = maxDocuments
    running.active++
    return running
  }

  async function runOnce<T>(job: BrowserJob<T>, running: Running, signal: AbortSignal): Promise<T> {
    try {
      signal.throwIfAborted()
      return await untilAborted(job.run(running.browser), signal)
    } catch (error) {
      // The browser may be shutting down, so the next attempt must not use it.
      if (error instanceof BrowserCrash) running.documents = maxDocuments
      throw error
    } finally {
      // A page in an endless loop does not close; only killing the process stops it.
      const hasClosed = await succeedsWithin(closeTimeoutMs, job.endBrowser(running.browser))
      if (!hasClosed) await running.browser.kill()
      await release(running)
    }
  }

  return {
    async run(job, signal) {
      try {
        return await runOnce(job, await acquire(), signal)
      } catch (error) {
        // Another page, or an earlier one, may have crashed the browser.
        if (!(error instanceof BrowserCrash) || signal.aborted) throw error
      }
      for (let crashes = 1; ; crashes++) {
        try {
          return await runOnce(job, await acquireOwn(), signal)
        } catch (error) {
          if (!(error instanceof BrowserCrash) || crashes === maxOwnCrashes || signal.aborted) throw error
        }
      }
    },
    async warm() {
      await release(await acquire())
    },
    async close() {
      closed = true
      await current?.catch(() => undefined)
      await Promise.all([...all].map((browser) => browser.kill()))
    },
  }
}

/** Whether the work succeeded within the time limit. */
async function succeedsWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const timeout = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => timeout.resolve(false), ms)
  const done = work.then(
    () => true,
    () => false,
  )
  try {
    return await Promise.race([done, timeout.promise])
  } finally {
    clearTimeout(timer)
  }
}
