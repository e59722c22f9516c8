import * as z from 'zod'
import { BrowserCrash, type BrowserPipe, BrowserRefusal } from '../engines/chromium/cdp-pipe.ts'
import type { BrowserPage, PageView } from '../engines/chromium/page.ts'
import { AppError } from '../errors.ts'
import { type PageRequests, type PageResponse, PausedRequest } from './page-requests.ts'

const AnyReply = z.looseObject({})

/** A tab that is loading a page. */
interface Tab {
  readonly call: BrowserPage['call']
  /** Resolves when the document is parsed. */
  readonly whenParsed: Promise<void>
  /** Resolves when the document and all files that it needs are loaded. */
  readonly whenLoaded: Promise<void>
  /** Rejects when the page can no longer be loaded. */
  readonly whenBroken: Promise<never>
}

interface TabRequest {
  readonly url: URL
  readonly cookies: Readonly<Record<string, string>>
  readonly userAgent: string
  readonly view: PageView
  readonly requests: PageRequests
}

/**
 * Navigates to a website. Every request, from any frame or worker, is paused and answered by this service. What cannot
 * be paused (WebSocket, WebRTC) cannot leave the browser.
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
  // Prevents an unhandled rejection if the tab breaks while nothing awaits the promise.
  brokenTab.promise.catch(() => undefined)
  let hasMainPage = false
  pipe.listen(sessionId, (method) => {
    switch (method) {
      case 'Page.domContentEventFired':
        if (hasMainPage) parsedEvent.resolve()
        break
      case 'Page.loadEventFired':
        if (hasMainPage) loadedEvent.resolve()
        break
      case 'Page.javascriptDialogOpening':
        void ignoreRefusal(call(AnyReply, 'Page.handleJavaScriptDialog', { accept: false }))
        break
      case 'Inspector.targetCrashed':
        brokenTab.reject(new BrowserCrash('The page crashed.'))
        break
    }
  })
  const handleRequest = async (pausedRequest: PausedRequest) => {
    const isPage = pausedRequest.frameId === targetId && pausedRequest.resourceType === 'Document'
    const response = await requests.handle(pausedRequest, isPage).catch((error: unknown) => {
      // If a later navigation fails, the page that is already shown stays.
      if (hasMainPage) requests.droppedCount++
      else brokenTab.reject(error)
    })
    if (isPage && response && response.status < 300) hasMainPage = true
    await (response ? fulfillRequest(pipe, pausedRequest, response) : failRequest(pipe, pausedRequest))
  }
  const TargetCreated = z.looseObject({
    targetInfo: z.looseObject({ targetId: z.string(), type: z.string() }),
  })
  pipe.listen('', (method, params) => {
    if (method === 'Fetch.requestPaused') {
      ignoreRefusal(handleRequest(PausedRequest.parse(params))).catch((error: unknown) =>
        brokenTab.reject(error),
      )
    } else if (method === 'Target.targetCreated') {
      const { targetInfo } = TargetCreated.parse(params)
      // Closes pop-ups, which would not be captured.
      if (
        targetInfo.type === 'page' &&
        targetInfo.targetId !== targetId &&
        targetInfo['browserContextId'] === browserContextId
      )
        void ignoreRefusal(pipe.call(AnyReply, 'Target.closeTarget', { targetId: targetInfo.targetId }))
    }
  })
  await Promise.all([
    pipe.call(AnyReply, 'Fetch.enable', { patterns: [{ urlPattern: '*' }] }),
    pipe.call(AnyReply, 'Target.setDiscoverTargets', { discover: true }),
    call(AnyReply, 'Page.enable'),
    call(AnyReply, 'Inspector.enable'),
    call(AnyReply, 'Network.setCookies', {
      cookies: Object.entries(cookies).map(([name, value]) => ({
        name,
        value,
        url: url.origin,
        path: '/',
        secure: url.protocol === 'https:',
      })),
    }),
    call(AnyReply, 'Emulation.setUserAgentOverride', { userAgent }),
    call(AnyReply, 'Emulation.setDeviceMetricsOverride', {
      width,
      height,
      deviceScaleFactor: view.scale,
      mobile: false,
    }),
  ])
  const Navigation = z.looseObject({ errorText: z.string().optional() })
  // The call is not awaited, because its reply arrives only when the host responds.
  void call(Navigation, 'Page.navigate', { url: url.href }).then(
    ({ errorText }) => {
      if (errorText !== undefined) brokenTab.reject(createPageNotShownError(url, errorText))
    },
    (error: unknown) => brokenTab.reject(error),
  )
  return {
    call,
    whenParsed: parsedEvent.promise,
    whenLoaded: loadedEvent.promise,
    whenBroken: brokenTab.promise,
  }
}

/** Ignores refusals by the browser: a request of a page that has navigated away needs no reply. */
async function ignoreRefusal(call: Promise<unknown>): Promise<void> {
  try {
    await call
  } catch (error) {
    if (!(error instanceof BrowserRefusal) && !(error instanceof BrowserCrash)) throw error
  }
}

const fulfillRequest = (
  pipe: BrowserPipe,
  { requestId }: PausedRequest,
  { status, headers, body }: PageResponse,
) =>
  pipe.call(AnyReply, 'Fetch.fulfillRequest', {
    requestId,
    responseCode: status,
    responseHeaders: headers,
    body: body.toString('base64'),
  })

/**
 * Fails a request without a specific reason, so that a page cannot probe which hosts are reachable from the service's
 * network. With "Aborted", a frame keeps its current document.
 */
const failRequest = (pipe: BrowserPipe, { requestId, resourceType }: PausedRequest) =>
  pipe.call(AnyReply, 'Fetch.failRequest', {
    requestId,
    errorReason: resourceType === 'Document' ? 'Aborted' : 'Failed',
  })

const createPageNotShownError = ({ host }: URL, reason: string) =>
  new AppError('CONVERSION_FAILED', `The browser could not load the page of ${host} (${reason}).`, {
    field: 'url',
  })
