import * as z from 'zod'
import { BrowserCrash, type BrowserPipe, BrowserRefusal } from '../engines/chromium/cdp-pipe.ts'
import type { BrowserPage, PageView } from '../engines/chromium/page.ts'
import { AppError } from '../errors.ts'
import { type PageRequests, type PageResponse, Paused } from './page-requests.ts'

const Anything = z.looseObject({})

/** A tab that is loading a page. */
interface Tab {
  readonly call: BrowserPage['call']
  /** Resolve when the document is parsed, and when everything it links to is loaded. */
  readonly parsed: Promise<void>
  readonly loaded: Promise<void>
  /** Rejects when the page can no longer be loaded. */
  readonly broken: Promise<never>
}

interface TabRequest {
  readonly url: URL
  readonly cookies: Readonly<Record<string, string>>
  readonly userAgent: string
  readonly view: PageView
  readonly requests: PageRequests
}

/**
 * Navigates to a website. Every request, from any frame or worker, is paused and answered by us; what cannot be paused
 * (WebSocket, WebRTC) cannot leave the browser.
 */
export async function openTab(
  pipe: BrowserPipe,
  { url, cookies, userAgent, view, requests }: TabRequest,
): Promise<Tab> {
  const Context = z.object({ browserContextId: z.string() })
  const { browserContextId } = await pipe.call(Context, 'Target.createBrowserContext')
  const Target = z.object({ targetId: z.string() })
  const { width, height } = view
  const target = { url: 'about:blank', browserContextId, width, height }
  const { targetId } = await pipe.call(Target, 'Target.createTarget', target)
  const Session = z.object({ sessionId: z.string() })
  const { sessionId } = await pipe.call(Session, 'Target.attachToTarget', { targetId, flatten: true })
  const call: BrowserPage['call'] = (schema, method, params) => pipe.call(schema, method, params, sessionId)

  const parsedEvent = Promise.withResolvers<void>()
  const loadedEvent = Promise.withResolvers<void>()
  const brokenTab = Promise.withResolvers<never>()
  // Avoid an unhandled rejection if it fails while nothing awaits it.
  brokenTab.promise.catch(() => undefined)
  let isShown = false
  pipe.listen(sessionId, (method) => {
    switch (method) {
      case 'Page.domContentEventFired':
        if (isShown) parsedEvent.resolve()
        break
      case 'Page.loadEventFired':
        if (isShown) loadedEvent.resolve()
        break
      case 'Page.javascriptDialogOpening':
        void ignoreRefusal(call(Anything, 'Page.handleJavaScriptDialog', { accept: false }))
        break
      case 'Inspector.targetCrashed':
        brokenTab.reject(new BrowserCrash('The page crashed.'))
        break
    }
  })
  const handleRequest = async (paused: Paused) => {
    const isPage = paused.frameId === targetId && paused.resourceType === 'Document'
    const response = await requests.handle(paused, isPage).catch((error: unknown) => {
      // If a later navigation fails, the page that is already shown stays.
      if (isShown) requests.dropped++
      else brokenTab.reject(error)
    })
    if (isPage && response && response.status < 300) isShown = true
    await (response ? fulfillRequest(pipe, paused, response) : failRequest(pipe, paused))
  }
  const Opened = z.looseObject({ targetInfo: z.looseObject({ targetId: z.string(), type: z.string() }) })
  pipe.listen('', (method, params) => {
    if (method === 'Fetch.requestPaused') {
      ignoreRefusal(handleRequest(Paused.parse(params))).catch((error: unknown) => brokenTab.reject(error))
    } else if (method === 'Target.targetCreated') {
      const { targetInfo } = Opened.parse(params)
      // Close pop-ups, which would not be captured.
      if (
        targetInfo.type === 'page' &&
        targetInfo.targetId !== targetId &&
        targetInfo['browserContextId'] === browserContextId
      )
        void ignoreRefusal(pipe.call(Anything, 'Target.closeTarget', { targetId: targetInfo.targetId }))
    }
  })
  await Promise.all([
    pipe.call(Anything, 'Fetch.enable', { patterns: [{ urlPattern: '*' }] }),
    pipe.call(Anything, 'Target.setDiscoverTargets', { discover: true }),
    call(Anything, 'Page.enable'),
    call(Anything, 'Inspector.enable'),
    call(Anything, 'Network.setCookies', {
      cookies: Object.entries(cookies).map(([name, value]) => ({
        name,
        value,
        url: url.origin,
        path: '/',
        secure: url.protocol === 'https:',
      })),
    }),
    call(Anything, 'Emulation.setUserAgentOverride', { userAgent }),
    call(Anything, 'Emulation.setDeviceMetricsOverride', {
      width,
      height,
      deviceScaleFactor: view.scale,
      mobile: false,
    }),
  ])
  const Navigation = z.looseObject({ errorText: z.string().optional() })
  // The reply arrives only when the host responds, so it is not awaited.
  void call(Navigation, 'Page.navigate', { url: url.href }).then(
    ({ errorText }) => {
      if (errorText !== undefined) brokenTab.reject(notShownError(url, errorText))
    },
    (error: unknown) => brokenTab.reject(error),
  )
  return { call, parsed: parsedEvent.promise, loaded: loadedEvent.promise, broken: brokenTab.promise }
}

/** Ignores refusals: a request of a page that has navigated away needs no reply. */
async function ignoreRefusal(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!(error instanceof BrowserRefusal) && !(error instanceof BrowserCrash)) throw error
  }
}

const fulfillRequest = (pipe: BrowserPipe, { requestId }: Paused, { status, headers, body }: PageResponse) =>
  pipe.call(Anything, 'Fetch.fulfillRequest', {
    requestId,
    responseCode: status,
    responseHeaders: headers,
    body: body.toString('base64'),
  })

/**
 * Fails a request without a specific reason, so that a page cannot probe what is reachable from our network. "Aborted"
 * leaves a frame unchanged.
 */
const failRequest = (pipe: BrowserPipe, { requestId, resourceType }: Paused) =>
  pipe.call(Anything, 'Fetch.failRequest', {
    requestId,
    errorReason: resourceType === 'Document' ? 'Aborted' : 'Failed',
  })

const notShownError = ({ host }: URL, reason: string) =>
  new AppError('CONVERSION_FAILED', `The browser could not load the page of ${host} (${reason}).`, {
    field: 'url',
  })
