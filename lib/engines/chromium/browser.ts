import { createMutex } from '../sandbox/mutex.ts'
import { removeOrphanedFolders } from '../sandbox/process-folder.ts'
import { untilAborted } from '../sandbox/until-aborted.ts'
import { BrowserCrash } from './cdp-pipe.ts'
import { type BrowserProcess, browserFolderPrefix, startBrowser } from './process.ts'

/** A browser keeps a little of each page; a new one costs half a second. */
const maxDocuments = 100

/** One crash may be the doing of another page of the same browser; two are this document's. */
const maxAttempts = 2

/** How long a page that is given up may take to go before the browser goes with it. */
const partingMs = 1000

export interface Browser {
  /**
   * Runs a job in the browser, which is started when there is none. The job's `end` closes what it has opened.
   * @throws BrowserCrash after two tries, the signal's reason when aborted.
   */
  run<T>(job: BrowserJob<T>, signal: AbortSignal): Promise<T>
  warm(): Promise<void>
  close(): Promise<void>
}

/** Something to do in a browser; after a crash it is done again, in another one. */
export interface BrowserJob<T> {
  run(browser: BrowserProcess): Promise<T>
  end(browser: BrowserProcess): Promise<void>
}

interface Running {
  readonly browser: BrowserProcess
  documents: number
  active: number
}

/** One browser at a time for all jobs; those under way keep theirs when it is time for a fresh one. */
export function createBrowser(baseDir: string): Browser {
  let current: Promise<Running> | undefined
  let swept: Promise<void> | undefined
  const all = new Set<BrowserProcess>()
  let closed = false

  async function start(): Promise<Running> {
    if (closed) throw new Error('The browser is closed.')
    swept ??= removeOrphanedFolders(baseDir, browserFolderPrefix)
    await swept
    const browser = await startBrowser(baseDir)
    all.add(browser)
    return { browser, documents: 0, active: 0 }
  }

  async function usable(): Promise<Running> {
    // A start that failed for another job is tried again for this one.
    const running = await current?.catch(() => undefined)
    if (running?.browser.pipe.alive && running.documents < maxDocuments) return running
    if (running && running.active === 0) await end(running)
    current = start()
    return current
  }

  async function end({ browser }: Running): Promise<void> {
    await browser.kill()
    all.delete(browser)
  }

  /** Asked for by several at once, the first starts it. */
  const inTurn = createMutex()
  function acquire(): Promise<Running> {
    return inTurn(async () => {
      const running = await usable()
      running.documents++
      running.active++
      return running
    })
  }

  async function release(running: Running): Promise<void> {
    running.active--
    const isSpent = !running.browser.pipe.alive || running.documents >= maxDocuments
    if (isSpent && running.active === 0) await end(running)
  }

  async function runOnce<T>(job: BrowserJob<T>, signal: AbortSignal): Promise<T> {
    const running = await acquire()
    try {
      signal.throwIfAborted()
      return await untilAborted(job.run(running.browser), signal)
    } catch (error) {
      // It may be about to end, and the next try is not to be spent on it.
      if (error instanceof BrowserCrash) running.documents = maxDocuments
      throw error
    } finally {
      // A page that computes for ever does not close; nothing but the end of its process stops it.
      const parted = await settlesWithin(partingMs, job.end(running.browser))
      if (!parted) await running.browser.kill()
      await release(running)
    }
  }

  return {
    async run(job, signal) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await runOnce(job, signal)
        } catch (error) {
          if (!(error instanceof BrowserCrash) || attempt === maxAttempts || signal.aborted) throw error
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

/** Whether it came to a good end in time. */
async function settlesWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const late = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => late.resolve(false), ms)
  const done = work.then(
    () => true,
    () => false,
  )
  try {
    return await Promise.race([done, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
