import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { BrowserRefusal } from '../engines/chromium/cdp-pipe.ts'
import type { BrowserPage } from '../engines/chromium/page.ts'
import { AppError } from '../errors.ts'
import type { PageRequests } from './page-requests.ts'

/** Conditions that a page must meet before it is captured. */
interface Readiness {
  readonly wait_until: 'load' | 'domcontentloaded' | 'networkidle0' | 'networkidle2'
  readonly wait_for_element?: string | undefined
}

/** The network counts as idle after this time with at most 0 (`networkidle0`) or 2 (`networkidle2`) open requests. */
const idleMs = 500
/** Interval between two checks of a condition. */
const pollMs = 50
/** Time limit for scrolling down to load lazy images. */
const scrollLimitMs = 5000
/** Scrolling also stops after this many screens. */
const maxScreens = 40

export interface PageLoad {
  readonly call: BrowserPage['call']
  readonly requests: PageRequests
  readonly whenParsed: Promise<void>
  readonly whenLoaded: Promise<void>
  readonly signal: AbortSignal
  /** Sets the condition that is currently awaited, as text for an error message. */
  setAwaitedCondition(condition: string): void
}

/** Waits until a page is ready to be captured. @throws AppError INVALID_INPUT for an invalid selector. */
export async function waitUntilReady(readiness: Readiness, loading: PageLoad): Promise<void> {
  const { call, requests, signal, setAwaitedCondition } = loading
  const { wait_until: until, wait_for_element: selector } = readiness
  setAwaitedCondition('the page to be parsed')
  await loading.whenParsed
  if (until !== 'domcontentloaded') {
    setAwaitedCondition('the page to finish loading')
    await loading.whenLoaded
  }
  if (until === 'networkidle0' || until === 'networkidle2') {
    setAwaitedCondition('network activity to stop')
    const maxOpen = until === 'networkidle0' ? 0 : 2
    while (requests.getIdleMs(maxOpen) < idleMs) await sleep(pollMs, undefined, { signal })
  }
  if (selector !== undefined) {
    setAwaitedCondition(`an element matching ${selector}`)
    while (!(await elementExists(selector, call))) await sleep(pollMs, undefined, { signal })
  }
}

const SelectorResult = z.looseObject({
  result: z.looseObject({ value: z.unknown().optional() }),
  exceptionDetails: z
    .looseObject({ exception: z.looseObject({ className: z.string().optional() }).optional() })
    .optional(),
})

async function elementExists(selector: string, call: BrowserPage['call']): Promise<boolean> {
  const expression = `document.querySelector(${JSON.stringify(selector)}) !== null`
  try {
    const { result, exceptionDetails } = await call(SelectorResult, 'Runtime.evaluate', {
      expression,
      returnByValue: true,
    })
    if (exceptionDetails?.exception?.className === 'DOMException')
      throw new AppError(
        'INVALID_INPUT',
        `wait_for_element: expected a CSS selector such as "#content .chart", got "${selector.slice(0, 100)}".`,
        { field: 'wait_for_element' },
      )
    return result.value === true
  } catch (error) {
    // The page has navigated to another one, which may have the element.
    if (error instanceof BrowserRefusal) return false
    throw error
  }
}

/** Scrolls through the page once, so that lazily loaded content is loaded. */
export async function scrollThrough({
  call,
  requests,
  signal,
}: Pick<PageLoad, 'call' | 'requests' | 'signal'>) {
  const Position = z.looseObject({ result: z.looseObject({ value: z.boolean().catch(true) }) })
  const scrollDown = `(() => { scrollBy({ top: innerHeight, behavior: 'instant' });
    return scrollY + innerHeight >= document.documentElement.scrollHeight - 1 })()`
  const deadlineMs = Date.now() + scrollLimitMs
  for (let screenCount = 0; screenCount < maxScreens && Date.now() < deadlineMs; screenCount++) {
    const { result } = await call(Position, 'Runtime.evaluate', {
      expression: scrollDown,
      returnByValue: true,
    })
    if (result.value) break
    await sleep(pollMs, undefined, { signal })
  }
  await call(z.looseObject({}), 'Runtime.evaluate', {
    expression: `scrollTo({ top: 0, behavior: 'instant' })`,
  })
  while (requests.getIdleMs(0) < 2 * pollMs && Date.now() < deadlineMs)
    await sleep(pollMs, undefined, { signal })
}
