import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { BrowserRefusal } from '../engines/chromium/cdp-pipe.ts'
import type { Page } from '../engines/chromium/page.ts'
import { AppError } from '../errors.ts'
import type { Requests } from './page-requests.ts'

/** What a page has to come to before it is captured. */
export interface Readiness {
  readonly wait_until: 'load' | 'domcontentloaded' | 'networkidle0' | 'networkidle2'
  readonly wait_for_element?: string | undefined
}

/** Milliseconds without a request after which a page counts as quiet, and between two looks. */
const quietMs = 500
const lookMs = 50
/** Milliseconds that pictures further down get, which are loaded when they come into view, and screens to go down. */
const furtherMs = 5000
const mostScreens = 40

export interface Loading {
  readonly call: Page['call']
  readonly requests: Requests
  readonly read: Promise<void>
  readonly loaded: Promise<void>
  readonly signal: AbortSignal
  /** What is waited for, in words. */
  waitingFor(what: string): void
}

/** @throws AppError INVALID_INPUT for a selector that is none. */
export async function ready(readiness: Readiness, loading: Loading): Promise<void> {
  const { call, requests, signal, waitingFor } = loading
  const { wait_until: until, wait_for_element: selector } = readiness
  waitingFor('the page to be read')
  await loading.read
  if (until !== 'domcontentloaded') {
    waitingFor('all of the page to be loaded')
    await loading.loaded
  }
  if (until === 'networkidle0' || until === 'networkidle2') {
    waitingFor('the page to load no more')
    const most = until === 'networkidle0' ? 0 : 2
    while (requests.quietMs(most) < quietMs) await sleep(lookMs, undefined, { signal })
  }
  if (selector !== undefined) {
    waitingFor(`an element ${selector}`)
    while (!(await isThere(selector, call))) await sleep(lookMs, undefined, { signal })
  }
}

const Found = z.looseObject({
  result: z.looseObject({ value: z.unknown().optional() }),
  exceptionDetails: z
    .looseObject({ exception: z.looseObject({ className: z.string().optional() }).optional() })
    .optional(),
})

async function isThere(selector: string, call: Page['call']): Promise<boolean> {
  const expression = `document.querySelector(${JSON.stringify(selector)}) !== null`
  try {
    const { result, exceptionDetails } = await call(Found, 'Runtime.evaluate', {
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
    // It has gone on to another page, which may have the element.
    if (error instanceof BrowserRefusal) return false
    throw error
  }
}

/** Goes down the page once, as a reader does, so that what is loaded when it comes into view is there. */
export async function seeAll({ call, requests, signal }: Pick<Loading, 'call' | 'requests' | 'signal'>) {
  const Position = z.looseObject({ result: z.looseObject({ value: z.boolean().catch(true) }) })
  const down = `(() => { scrollBy({ top: innerHeight, behavior: 'instant' });
    return scrollY + innerHeight >= document.documentElement.scrollHeight - 1 })()`
  const until = Date.now() + furtherMs
  for (let screen = 0; screen < mostScreens && Date.now() < until; screen++) {
    const { result } = await call(Position, 'Runtime.evaluate', { expression: down, returnByValue: true })
    if (result.value) break
    await sleep(lookMs, undefined, { signal })
  }
  await call(z.looseObject({}), 'Runtime.evaluate', {
    expression: `scrollTo({ top: 0, behavior: 'instant' })`,
  })
  while (requests.quietMs(0) < 2 * lookMs && Date.now() < until) await sleep(lookMs, undefined, { signal })
}
