import * as z from 'zod'
import { BrowserCrash, type BrowserPipe, BrowserRefusal } from './cdp-pipe.ts'
import { finishScripts, maxScriptRequests, scriptPolicy, silentFunctions } from './page-scripts.ts'
import { type ArchivePart, normalizePartUrl } from './web-archive.ts'

/** A page to load. The browser sees no files on disk: every request is intercepted and answered from this source. */
export interface PageSource {
  /** URL of the page, against which links are resolved. */
  readonly url: string
  readonly page: ArchivePart
  /** Encoding of the page, unless it is pure ASCII. */
  readonly charset?: string
  /** Title for a page without one. */
  readonly title: string
  /** Returns another file that the page may load. The key is its URL, normalized by `normalizePartUrl`. */
  getPart?(key: string): Promise<ArchivePart | undefined> | ArchivePart | undefined
  /**
   * Modifies the page once it is parsed, before its load event. The page must link to `pendingUrl`, whose pending
   * request delays that event.
   */
  prepare?(call: BrowserPage['call']): Promise<void>
}

/** Size of the browser window in CSS pixels. */
export interface PageView {
  readonly width: number
  readonly height: number
  /** Image pixels per CSS pixel. */
  readonly scale: number
}

/** Size in inches for paper, or in CSS pixels (96 per inch) for screenshots. */
export interface PageSize {
  readonly width: number
  readonly height: number
}

/** A loaded document. */
export interface BrowserPage {
  /** Sends a DevTools command to this page. @throws BrowserCrash, BrowserRefusal. */
  call<T>(schema: z.ZodType<T>, method: string, params?: object): Promise<T>
  /** Number of linked files that were not loaded, because a page is converted without the network. */
  readonly missingFileCount: number
  /** Whether scripts of the page were still running when their time limit was reached. */
  readonly scriptsTimedOut: boolean
}

/** A URL that never resolves: RFC 6761 reserves `.invalid`. */
export const invalidUrl = 'http://document.invalid/'
/** URL whose request stays pending until `prepare` has finished, which delays the load event. */
export const pendingUrl = `${invalidUrl}held`
const Empty = z.object({})

/**
 * Moves finite animations to their end, because content often appears only there, and endless animations to their
 * start.
 */
const freezeAnimations = `
for (const movement of document.getAnimations()) {
  const { delay, endTime } = movement.effect.getComputedTiming()
  movement.pause()
  movement.currentTime = endTime === Infinity ? Math.max(0, delay) : endTime
}`

/** Scripts ran but are disabled by now, so the browser would show the source of this content as text. */
const removeNoscript = "for (const element of document.querySelectorAll('noscript')) element.remove();"

const PausedRequest = z.looseObject({
  requestId: z.string(),
  request: z.looseObject({ url: z.string() }),
  resourceType: z.string(),
  frameId: z.string().optional(),
})

/**
 * Loads a document in a fresh browser context (no cookies, no storage, no other pages), with every request intercepted,
 * and passes the page to `use`. By then, the page's scripts have ended, if they run at all. The provider of the browser
 * disposes of the context.
 */
export async function showPage<T>(
  pipe: BrowserPipe,
  request: PageRequest,
  use: (page: BrowserPage) => Promise<T>,
): Promise<T> {
  try {
    const Context = z.object({ browserContextId: z.string() })
    const { browserContextId } = await pipe.call(Context, 'Target.createBrowserContext')
    const tab = await openTab(pipe, browserContextId, request.view)
    return await loadPage(pipe, tab, request, use)
  } catch (error) {
    // These commands are always valid, so a refusal means that the page or the browser is shutting down.
    throw error instanceof BrowserRefusal ? new BrowserCrash(error.message, { cause: error }) : error
  }
}

interface Tab {
  readonly targetId: string
  readonly sessionId: string
}

async function openTab(pipe: BrowserPipe, browserContextId: string, view: PageView): Promise<Tab> {
  const { width, height } = view
  const tab = { url: 'about:blank', browserContextId, width, height }
  const { targetId } = await pipe.call(z.object({ targetId: z.string() }), 'Target.createTarget', tab)
  const attachParams = { targetId, flatten: true }
  const { sessionId } = await pipe.call(
    z.object({ sessionId: z.string() }),
    'Target.attachToTarget',
    attachParams,
  )
  return { targetId, sessionId }
}

export interface PageRequest {
  readonly source: PageSource
  readonly view: PageView
  /** Whether scripts of the page run, which requires a browser of its own. */
  readonly runsScripts?: boolean
}

async function loadPage<T>(
  pipe: BrowserPipe,
  { targetId, sessionId }: Tab,
  { source, view, runsScripts = false }: PageRequest,
  use: (page: BrowserPage) => Promise<T>,
): Promise<T> {
  const call: BrowserPage['call'] = (schema, method, params) => pipe.call(schema, method, params, sessionId)
  const interceptor = createInterceptor(source, { call, mainFrameId: targetId, runsScripts })
  const parsedEvent = Promise.withResolvers<void>()
  const loadedEvent = Promise.withResolvers<void>()
  const timersEvent = Promise.withResolvers<void>()
  const pageFailure = Promise.withResolvers<never>()
  // Avoids an unhandled rejection if the page fails while nothing awaits this promise.
  pageFailure.promise.catch(() => undefined)
  let isNavigated = false
  const stopListening = pipe.listen(sessionId, (method, params) => {
    switch (method) {
      case 'Page.domContentEventFired':
        parsedEvent.resolve()
        break
      case 'Page.loadEventFired':
        loadedEvent.resolve()
        break
      case 'Page.frameStoppedLoading':
        // A script may navigate away, which ends loading without the load event.
        if (isNavigated && runsScripts && params['frameId'] === targetId) loadedEvent.resolve()
        break
      case 'Emulation.virtualTimeBudgetExpired':
        timersEvent.resolve()
        break
      case 'Fetch.requestPaused':
        interceptor.handle(PausedRequest.parse(params)).catch((error: unknown) => {
          // The page has navigated away, so the request needs no reply.
          if (!(error instanceof BrowserRefusal)) pageFailure.reject(error)
        })
        break
      case 'Inspector.targetCrashed':
        pageFailure.reject(new BrowserCrash('The page crashed.'))
        break
    }
  })
  const load = async () => {
    if (runsScripts) {
      const scriptParams = { source: `{${silentFunctions}}` }
      await call(z.looseObject({}), 'Page.addScriptToEvaluateOnNewDocument', scriptParams)
    }
    const loaderId = await navigate(call, source.url, view)
    isNavigated = true
    if (source.prepare) {
      await parsedEvent.promise
      await source.prepare(call)
      interceptor.release()
    }
    const { whenFlooded } = interceptor
    const events = {
      whenLoaded: loadedEvent.promise,
      whenTimersEnded: timersEvent.promise,
      whenFlooded,
    }
    const scriptsTimedOut = runsScripts && !(await finishScripts({ call, loaderId, ...events }))
    await loadedEvent.promise
    const isolatedCall = await createIsolatedCall(call, targetId)
    // The browser would use the URL as the title of a page without one.
    const expression = `document.title ||= ${JSON.stringify(source.title)};${runsScripts ? removeNoscript : ''}${freezeAnimations}`
    await isolatedCall(z.looseObject({}), 'Runtime.evaluate', { expression })
    return use({
      call: isolatedCall,
      scriptsTimedOut,
      get missingFileCount() {
        return interceptor.missingFileCount
      },
    })
  }
  try {
    return await Promise.race([load(), pageFailure.promise])
  } finally {
    stopListening()
  }
}

/**
 * Runs our code in an isolated world: there, functions and properties that the page has replaced, by its scripts or by
 * names of elements, have their original values. The id of a tab is also the id of its main frame.
 */
async function createIsolatedCall(call: BrowserPage['call'], frameId: string): Promise<BrowserPage['call']> {
  const World = z.object({ executionContextId: z.int() })
  const { executionContextId: contextId } = await call(World, 'Page.createIsolatedWorld', { frameId })
  return (schema, method, params) =>
    call(schema, method, method === 'Runtime.evaluate' ? { ...params, contextId } : params)
}

interface RequestInterceptor {
  /** Answers a request with a file from the source, or fails it if the source has no such file. */
  handle(paused: z.infer<typeof PausedRequest>): Promise<unknown>
  /** Completes the request for `pendingUrl`, so that the load event can fire. */
  release(): void
  /** Number of linked files that the source does not contain. */
  readonly missingFileCount: number
  /** Resolves when a page with scripts has sent more requests than allowed. */
  readonly whenFlooded: Promise<void>
}

/** Sent with an HTTP error in place of a missing document, so that an object shows its fallback content. */
const emptyPage: ArchivePart = { bytes: Buffer.from('<!doctype html>'), contentType: 'text/html' }

function createInterceptor(
  source: PageSource,
  page: { readonly call: BrowserPage['call']; readonly mainFrameId: string; readonly runsScripts: boolean },
): RequestInterceptor {
  const { call, mainFrameId, runsScripts } = page
  let isPageSent = false
  let missingFileCount = 0
  let refusedCount = 0
  const preparation = Promise.withResolvers<void>()
  const flood = Promise.withResolvers<void>()
  const policyHeaders = runsScripts ? [{ name: 'Content-Security-Policy', value: scriptPolicy }] : []
  const fulfill = (requestId: string, { bytes, contentType }: ArchivePart, responseCode = 200) =>
    call(Empty, 'Fetch.fulfillRequest', {
      requestId,
      responseCode,
      responseHeaders: [{ name: 'Content-Type', value: contentType }, ...policyHeaders],
      body: bytes.toString('base64'),
    })
  const refuse = ({ requestId, resourceType, frameId }: z.infer<typeof PausedRequest>) =>
    // A frame that loads with an error calls the handlers of scripts, which could add more frames without end.
    resourceType === 'Document' && frameId !== mainFrameId && !runsScripts
      ? fulfill(requestId, emptyPage, 404)
      : // "Aborted" keeps the current page; any other reason would replace it with an error page.
        call(Empty, 'Fetch.failRequest', { requestId, errorReason: 'Aborted' })
  return {
    async handle(paused) {
      const { requestId, request, resourceType, frameId } = paused
      const isPage = normalizePartUrl(request.url) === normalizePartUrl(source.url)
      const isPendingRequest = source.prepare !== undefined && request.url === pendingUrl
      if (isPendingRequest) await preparation.promise
      const requestedPart = isPage ? source.page : await source.getPart?.(normalizePartUrl(request.url))
      // A page that embeds itself would load forever.
      if (requestedPart && !(isPage && isPageSent)) {
        if (isPage) isPageSent = true
        return fulfill(requestId, requestedPart)
      }
      // A document for the main frame is a page that this one leads to, not a part of it.
      const isPart = resourceType !== 'Document' || frameId !== mainFrameId
      if (isPart && !isPendingRequest && !request.url.endsWith('/favicon.ico')) missingFileCount++
      if (++refusedCount > maxScriptRequests) flood.resolve()
      return refuse(paused)
    },
    release: () => preparation.resolve(),
    whenFlooded: flood.promise,
    get missingFileCount() {
      return missingFileCount
    },
  }
}

/** Navigates to the URL with every request paused until it is answered. @returns the id of the document. */
async function navigate(call: BrowserPage['call'], url: string, view: PageView): Promise<string> {
  await Promise.all([
    call(Empty, 'Page.enable'),
    call(Empty, 'Inspector.enable'),
    call(Empty, 'Fetch.enable', { patterns: [{ urlPattern: '*' }] }),

    call(Empty, 'Emulation.setDeviceMetricsOverride', {
      width: view.width,
      height: view.height,
      deviceScaleFactor: view.scale,
      mobile: false,
    }),
  ])
  const Navigation = z.looseObject({ errorText: z.string().optional(), loaderId: z.string().default('') })
  const { errorText, loaderId } = await call(Navigation, 'Page.navigate', { url })
  if (errorText !== undefined) throw new BrowserCrash(`The page did not load: ${errorText}.`)
  return loaderId
}
