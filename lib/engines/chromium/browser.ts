import { createMutex } from '../sandbox/mutex.ts'
import { removeOrphanedFolders } from '../sandbox/process-folder.ts'
import { rejectWhenAborted } from '../sandbox/until-aborted.ts'
import { BrowserCrash, BrowserStartFailure } from './cdp-pipe.ts'
import { type BrowserProcess, browserFolderPrefix, startBrowser } from './process.ts'

/**
 * Number of documents after which the browser is replaced. A browser leaks a little memory with each page, and starting
 * a new browser takes half a second.
 */
const maxDocuments = 100

/** Number of crashes in browsers that no other job uses, after which a job fails: its document must be the cause. */
const maxExclusiveCrashes = 3

const maxStarts = 3

/** How long a page may take to close before the browser is killed. */
const closeTimeoutMs = 1000

/** Work to do in a browser. After a crash, it is repeated in a browser that no other job uses. */
export interface BrowserJob<T> {
  run(browser: BrowserProcess): Promise<T>
  endBrowser(browser: BrowserProcess): Promise<void>
}

interface RunningBrowser {
  readonly browser: BrowserProcess
  documentCount: number
  activeJobs: number
}

/** Shares one browser among all jobs. When the browser is replaced, running jobs keep the old one until they end. */
export class Browser {
  readonly #baseDir: string
  #current: Promise<RunningBrowser> | undefined
  #orphanRemoval: Promise<void> | undefined
  readonly #allBrowsers = new Set<BrowserProcess>()
  #isClosed = false
  /** Serializes requests, so that concurrent jobs do not start several browsers. */
  readonly #withLock = createMutex()

  constructor(baseDir: string) {
    this.#baseDir = baseDir
  }

  /**
   * Runs a job in the shared browser, which is started if needed. If that browser crashes, perhaps because of another
   * job, the job is tried again in browsers of its own. The job's `endBrowser` closes what the job opened.
   * @throws BrowserCrash if those crash too, BrowserStartFailure, the signal's reason when aborted.
   */
  async run<T>(job: BrowserJob<T>, signal: AbortSignal): Promise<T> {
    try {
      return await this.#runOnce(job, await this.#acquire(), signal)
    } catch (error) {
      // The page of another job may have crashed the browser, so this job is tried again.
      if (!(error instanceof BrowserCrash) || signal.aborted) throw error
    }
    for (let crashes = 1; ; crashes++) {
      try {
        return await this.#runOnce(job, await this.#acquireExclusive(), signal)
      } catch (error) {
        if (!(error instanceof BrowserCrash) || crashes === maxExclusiveCrashes || signal.aborted) throw error
      }
    }
  }

  /**
   * Runs a job once, in a browser that starts and ends with it.
   * @throws BrowserCrash, BrowserStartFailure, the signal's reason when aborted.
   */
  async runAlone<T>(job: BrowserJob<T>, signal: AbortSignal): Promise<T> {
    return this.#runOnce(job, await this.#acquireExclusive(), signal)
  }

  async warm(): Promise<void> {
    await this.#release(await this.#acquire())
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#current?.catch(() => undefined)
    await Promise.all([...this.#allBrowsers].map((browser) => browser.kill()))
  }

  async #launch(): Promise<RunningBrowser> {
    this.#orphanRemoval ??= removeOrphanedFolders(this.#baseDir, browserFolderPrefix)
    await this.#orphanRemoval
    const browser = await this.#start()
    this.#allBrowsers.add(browser)
    return { browser, documentCount: 0, activeJobs: 0 }
  }

  async #start(): Promise<BrowserProcess> {
    for (let attempt = 1; ; attempt++) {
      if (this.#isClosed) throw new Error('The browser is closed.')
      try {
        return await startBrowser(this.#baseDir)
      } catch (error) {
        if (!(error instanceof BrowserStartFailure) || attempt === maxStarts) throw error
      }
    }
  }

  async #getBrowser(): Promise<RunningBrowser> {
    // If another job failed to start the browser, this job starts it again.
    const runningBrowser = await this.#current?.catch(() => undefined)
    if (runningBrowser?.browser.pipe.isAlive && runningBrowser.documentCount < maxDocuments)
      return runningBrowser
    if (runningBrowser && runningBrowser.activeJobs === 0) await this.#endBrowser(runningBrowser)
    this.#current = this.#launch()
    return this.#current
  }

  async #endBrowser({ browser }: RunningBrowser): Promise<void> {
    await browser.kill()
    this.#allBrowsers.delete(browser)
  }

  #acquire(): Promise<RunningBrowser> {
    return this.#withLock(async () => {
      const runningBrowser = await this.#getBrowser()
      runningBrowser.documentCount++
      runningBrowser.activeJobs++
      return runningBrowser
    })
  }

  async #release(runningBrowser: RunningBrowser): Promise<void> {
    runningBrowser.activeJobs--
    const isWornOut = !runningBrowser.browser.pipe.isAlive || runningBrowser.documentCount >= maxDocuments
    if (isWornOut && runningBrowser.activeJobs === 0) await this.#endBrowser(runningBrowser)
  }

  /** Starts a browser that no other job gets. */
  async #acquireExclusive(): Promise<RunningBrowser> {
    const runningBrowser = await this.#launch()
    runningBrowser.documentCount = maxDocuments
    runningBrowser.activeJobs++
    return runningBrowser
  }

  async #runOnce<T>(job: BrowserJob<T>, runningBrowser: RunningBrowser, signal: AbortSignal): Promise<T> {
    try {
      signal.throwIfAborted()
      return await rejectWhenAborted(job.run(runningBrowser.browser), signal)
    } catch (error) {
      // The browser may be shutting down, so the next attempt must not use it.
      if (error instanceof BrowserCrash) runningBrowser.documentCount = maxDocuments
      throw error
    } finally {
      // A page in an endless loop does not close; only killing the process stops it.
      const hasClosed = await succeedsWithin(closeTimeoutMs, job.endBrowser(runningBrowser.browser))
      if (!hasClosed) await runningBrowser.browser.kill()
      await this.#release(runningBrowser)
    }
  }
}

/** Whether the work succeeded within the time limit. */
async function succeedsWithin(ms: number, promise: Promise<unknown>): Promise<boolean> {
  const timeout = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => timeout.resolve(false), ms)
  const outcome = promise.then(
    () => true,
    () => false,
  )
  try {
    return await Promise.race([outcome, timeout.promise])
  } finally {
    clearTimeout(timer)
  }
}
