import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { BrowserCrash } from './cdp-pipe.ts'

/** Time limits for a page whose scripts run. */
const limitsMs = {
  /** For loading the page completely. */
  load: 10_000,
  /** For timers and animations. */
  timers: 5000,
  /** For stopping the scripts. */
  end: 10_000,
}
/** Timers with delays of up to this many milliseconds fire immediately, because virtual time skips the waiting. */
const maxTimerDelayMs = 5000
/** Maximum number of requests that a page with scripts may send; all of them are refused. */
export const maxScriptRequests = 1000

/**
 * Content security policy for a page whose scripts run: no pop-ups, dialogs, downloads or workers, which would continue
 * after the page is stopped, and no connections that cannot be intercepted.
 */
export const scriptPolicy =
  "sandbox allow-scripts allow-same-origin; worker-src 'none'; connect-src http: https: data: blob:"

/**
 * Replaces functions that are useless under this policy, but whose calls are reported to the browser. A script that
 * calls them in a loop would keep the browser too busy to stop the scripts in time.
 */
export const silentFunctions = `
const results = { alert: undefined, confirm: false, open: null, print: undefined, prompt: null }
for (const [name, result] of Object.entries(results)) globalThis[name] = () => result
for (const name of Object.keys(console)) console[name] = () => undefined`

export interface RunningPage {
  /** Sends a DevTools command to the page. */
  call<T>(schema: z.ZodType<T>, method: string, params?: object): Promise<T>
  /** Id of the document that the page has navigated to. */
  readonly loaderId: string
  readonly whenLoaded: Promise<void>
  /** Resolves when the timers have run. */
  readonly whenTimersEnded: Promise<void>
  /** Resolves when scripts have sent too many requests. */
  readonly whenFlooded: Promise<void>
}

const nextFrames = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))'

const Empty = z.object({})

/**
 * Waits until the scripts of a page have finished what they do without user input, and stops them.
 * @returns whether they finished within the time limits.
 * @throws BrowserCrash if they cannot be stopped, or have replaced the document.
 */
export async function finishScripts(page: RunningPage): Promise<boolean> {
  const { call, whenLoaded, whenTimersEnded, whenFlooded } = page
  const isDone = (promise: Promise<unknown>, limitMs: number) =>
    Promise.race([promise.then(() => true), sleep(limitMs, false), whenFlooded.then(() => false)])
  const runTimers = async () => {
    const virtualTimePolicy = { policy: 'pauseIfNetworkFetchesPending', budget: maxTimerDelayMs }
    await call(z.looseObject({}), 'Emulation.setVirtualTimePolicy', {
      ...virtualTimePolicy,
      maxVirtualTimeTaskStarvationCount: 1000,
    })
    await whenTimersEnded
    // Virtual time can pass without a frame: animations that have ended by now draw their last state in the next one.
    await call(z.looseObject({}), 'Runtime.evaluate', { expression: nextFrames, awaitPromise: true })
  }
  const areDone = (await isDone(whenLoaded, limitsMs.load)) && (await isDone(runTimers(), limitsMs.timers))
  const isStopped = await Promise.race([stopScripts(page).then(() => true), sleep(limitsMs.end, false)])
  if (!isStopped) throw new BrowserCrash('The scripts of the page cannot be stopped.')
  return areDone
}

async function stopScripts({ call, whenLoaded, loaderId }: RunningPage): Promise<void> {
  await Promise.all([
    call(Empty, 'Emulation.setScriptExecutionDisabled', { value: true }),
    call(Empty, 'Runtime.terminateExecution'),
  ])
  await whenLoaded
  const Frame = z.looseObject({ loaderId: z.string() })
  const Tree = z.looseObject({ frameTree: z.looseObject({ frame: Frame }) })
  const { frameTree } = await call(Tree, 'Page.getFrameTree')
  if (frameTree.frame.loaderId !== loaderId) throw new BrowserCrash('The page navigated to another document.')
}
