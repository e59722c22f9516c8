import * as z from 'zod'
import { BrowserCrash, type BrowserPipe, BrowserRefusal } from './cdp-pipe.ts'
import { partKey, type WebPart } from './web-archive.ts'

/** The page to load. The browser sees no files on disk: every request is intercepted and answered from this source. */
export interface PageSource {
  /** URL of the page, against which links are resolved. */
  readonly url: string
  readonly page: WebPart
  /** Title for a page without one. */
  readonly title: string
  /** Returns other files that the page may load, by `partKey` of the URL. */
  part?(key: string): Promise<WebPart | undefined> | WebPart | undefined
  /**
   * Modifies the page once it is parsed, before its load event. The page must link to `held`, whose pending request
   * delays that event.
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

/** Size in inches for paper, in CSS pixels (96 per inch) for screenshots. */
export interface PageSize {
  readonly width: number
  readonly height: number
}

/** A loaded document. */
export interface BrowserPage {
  /** Sends a DevTools command to this page. @throws BrowserCrash, BrowserRefusal. */
  call<T>(schema: z.ZodType<T>, method: string, params?: object): Promise<T>
  /** Number of linked files that were not loaded, because a page is converted without the network. */
  readonly missingFiles: number
}

/** A URL that never resolves: RFC 6761 reserves `.invalid`. */
export const invalidUrl = 'http://document.invalid/'
/** URL whose request stays pending until `prepare` has finished, which delays the load event. */
export const heldUrl = `${invalidUrl}held`
const Empty = z.object({})

/** Sets animations to their end, because content often appears only then; endless ones to their start. */
const freezeAnimations = `
for (const movement of document.getAnimations()) {
  const { delay, endTime } = movement.effect.getComputedTiming()
  movement.pause()
  movement.currentTime = endTime === Infinity ? Math.max(0, delay) : endTime
}`

const Paused = z.looseObject({
  requestId: z.string(),
  request: z.looseObject({ url: z.string() }),
  resourceType: z.string(),
})

/**
 * Loads a document in a fresh browser context (no cookies, no storage, no other pages), without scripts and with every
 * request intercepted, and passes the page to `use`. The provider of the browser disposes of the context.
 */
export async function showPage<T>(
  pipe: BrowserPipe,
  request: PageRequest,
  use: (page: BrowserPage) => Promise<T>,
): Promise<T> {
  try {
    const Context = z.object({ browserContextId: z.string() })
    const { browserContextId } = await pipe.call(Context, 'Target.createBrowserContext')
    const sessionId = await openTab(pipe, browserContextId, request.view)
    return await loadPage(pipe, sessionId, request, use)
  } catch (error) {
    // These commands are always valid, so a refusal means that the page or the browser is shutting down.
    throw error instanceof BrowserRefusal ? new BrowserCrash(error.message, { cause: error }) : error
  }
}

async function openTab(pipe: BrowserPipe, browserContextId: string, view: PageView): Promise<string> {
  const { width, height } = view
  const tab = { url: 'about:blank', browserContextId, width, height }
  const { targetId } = await pipe.call(z.object({ targetId: z.string() }), 'Target.createTarget', tab)
  const attach = { targetId, flatten: true }
  const { sessionId } = await pipe.call(z.object({ sessionId: z.string() }), 'Target.attachToTarget', attach)
  return sessionId
}

export interface PageRequest {
  readonly source: PageSource
  readonly view: PageView
}

async function loadPage<T>(
  pipe: BrowserPipe,
  sessionId: string,
  { source, view }: PageRequest,
  use: (page: BrowserPage) => Promise<T>,
): Promise<T> {
  const call: BrowserPage['call'] = (schema, method, params) => pipe.call(schema, method, params, sessionId)
  const interceptor = createInterceptor(source, call)
  const parsedEvent = Promise.withResolvers<void>()
  const loadedEvent = Promise.withResolvers<void>()
  const brokenPage = Promise.withResolvers<never>()
  // Avoid an unhandled rejection if it fails while nothing awaits it.
  brokenPage.promise.catch(() => undefined)
  const stop = pipe.listen(sessionId, (method, params) => {
    switch (method) {
      case 'Page.domContentEventFired':
        parsedEvent.resolve()
        break
      case 'Page.loadEventFired':
        loadedEvent.resolve()
        break
      case 'Fetch.requestPaused':
        interceptor.handle(Paused.parse(params)).catch((error: unknown) => {
          // The page has navigated away, so the request needs no reply.
          if (!(error instanceof BrowserRefusal)) brokenPage.reject(error)
        })
        break
      case 'Inspector.targetCrashed':
        brokenPage.reject(new BrowserCrash('The page crashed.'))
        break
    }
  })
  const work = async () => {
    await navigate(call, source.url, view)
    if (source.prepare) {
      await parsedEvent.promise
      await source.prepare(call)
      interceptor.release()
    }
    await loadedEvent.promise
    // The browser would use the URL as the title of a page without one.
    const expression = `document.title ||= ${JSON.stringify(source.title)};${freezeAnimations}`
    await call(z.looseObject({}), 'Runtime.evaluate', { expression })
    return use({
      call,
      get missingFiles() {
        return interceptor.missingFiles
      },
    })
  }
  try {
    return await Promise.race([work(), brokenPage.promise])
  } finally {
    stop()
  }
}

interface RequestInterceptor {
  /** Fulfills a request from the source, and fails all others. */
  handle(paused: z.infer<typeof Paused>): Promise<unknown>
  /** Completes the request for `held`, so that the load event can fire. */
  release(): void
  /** Number of linked files that the source does not contain. */
  readonly missingFiles: number
}

function createInterceptor(source: PageSource, call: BrowserPage['call']): RequestInterceptor {
  let isPageSent = false
  let missingFiles = 0
  const prepared = Promise.withResolvers<void>()
  const fulfill = (requestId: string, { bytes, contentType }: WebPart) =>
    call(Empty, 'Fetch.fulfillRequest', {
      requestId,
      responseCode: 200,
      responseHeaders: [{ name: 'Content-Type', value: contentType }],
      body: bytes.toString('base64'),
    })
  return {
    async handle({ requestId, request, resourceType }) {
      const isPage = partKey(request.url) === partKey(source.url)
      const isHeld = source.prepare !== undefined && request.url === heldUrl
      if (isHeld) await prepared.promise
      const requestedPart = isPage ? source.page : await source.part?.(partKey(request.url))
      // A page that embeds itself would load forever.
      if (requestedPart && !(isPage && isPageSent)) {
        if (isPage) isPageSent = true
        return fulfill(requestId, requestedPart)
      }
      if (resourceType !== 'Document' && !isHeld && !request.url.endsWith('/favicon.ico')) missingFiles++
      // "Aborted" keeps the current page; any other reason would replace it with an error page.
      return call(Empty, 'Fetch.failRequest', { requestId, errorReason: 'Aborted' })
    },
    release: () => prepared.resolve(),
    get missingFiles() {
      return missingFiles
    },
  }
}

/** Navigates to the URL with scripts disabled and every request paused until it is answered. */
async function navigate(call: BrowserPage['call'], url: string, view: PageView): Promise<void> {
  await Promise.all([
    call(Empty, 'Page.enable'),
    call(Empty, 'Inspector.enable'),
    call(Empty, 'Fetch.enable', { patterns: [{ urlPattern: '*' }] }),
    call(Empty, 'Emulation.setScriptExecutionDisabled', { value: true }),
    call(Empty, 'Emulation.setDeviceMetricsOverride', {
      width: view.width,
      height: view.height,
      deviceScaleFactor: view.scale,
      mobile: false,
    }),
  ])
  const Navigation = z.looseObject({ errorText: z.string().optional() })
  const { errorText } = await call(Navigation, 'Page.navigate', { url })
  if (errorText !== undefined) throw new BrowserCrash(`The page did not load: ${errorText}.`)
}
