import * as z from 'zod'
import { BrowserCrash, type BrowserPipe, BrowserRefusal } from '../engines/chromium/cdp-pipe.ts'
import type { Page, PageView } from '../engines/chromium/page.ts'
import { AppError } from '../errors.ts'
import { type Answer, Paused, type Requests } from './page-requests.ts'

const nothing = z.looseObject({})

/** A page that is being loaded. */
export interface Tab {
  readonly call: Page['call']
  /** The text is there, then all that it links to. */
  readonly read: Promise<void>
  readonly loaded: Promise<void>
  /** Rejects when nothing can come of it any more. */
  readonly broken: Promise<never>
}

interface Opening {
  readonly url: URL
  readonly cookies: Readonly<Record<string, string>>
  readonly userAgent: string
  readonly view: PageView
  readonly requests: Requests
}

/**
 * Goes to a website. Whatever the browser asks for, in whatever frame or worker, is paused and answered by us; what cannot
 * be paused (WebSocket, WebRTC) has no way out of the browser.
 */
export async function openTab(
  pipe: BrowserPipe,
  { url, cookies, userAgent, view, requests }: Opening,
): Promise<Tab> {
  const Context = z.object({ browserContextId: z.string() })
  const { browserContextId } = await pipe.call(Context, 'Target.createBrowserContext')
  const Target = z.object({ targetId: z.string() })
  const { width, height } = view
  const place = { url: 'about:blank', browserContextId, width, height }
  const { targetId } = await pipe.call(Target, 'Target.createTarget', place)
  const Session = z.object({ sessionId: z.string() })
  const { sessionId } = await pipe.call(Session, 'Target.attachToTarget', { targetId, flatten: true })
  const call: Page['call'] = (schema, method, params) => pipe.call(schema, method, params, sessionId)

  const read = Promise.withResolvers<void>()
  const loaded = Promise.withResolvers<void>()
  const broken = Promise.withResolvers<never>()
  // Nobody waits for it when all goes well.
  broken.promise.catch(() => undefined)
  let isShown = false
  pipe.listen(sessionId, (method) => {
    switch (method) {
      case 'Page.domContentEventFired':
        if (isShown) read.resolve()
        break
      case 'Page.loadEventFired':
        if (isShown) loaded.resolve()
        break
      case 'Page.javascriptDialogOpening':
        void ignoringRefusal(call(nothing, 'Page.handleJavaScriptDialog', { accept: false }))
        break
      case 'Inspector.targetCrashed':
        broken.reject(new BrowserCrash('The page crashed.'))
        break
    }
  })
  const answerTo = async (paused: Paused) => {
    const isPage = paused.frameId === targetId && paused.resourceType === 'Document'
    const answer = await requests.answer(paused, isPage).catch((error: unknown) => {
      // Once a page is there, it stays where another one is not.
      if (isShown) requests.dropped++
      else broken.reject(error)
    })
    if (isPage && answer && answer.status < 300) isShown = true
    await (answer ? fulfill(pipe, paused, answer) : refuse(pipe, paused))
  }
  const Opened = z.looseObject({ targetInfo: z.looseObject({ targetId: z.string(), type: z.string() }) })
  pipe.listen('', (method, params) => {
    if (method === 'Fetch.requestPaused') {
      ignoringRefusal(answerTo(Paused.parse(params))).catch((error: unknown) => broken.reject(error))
    } else if (method === 'Target.targetCreated') {
      const { targetInfo } = Opened.parse(params)
      // Nobody sees what it opens beside itself.
      if (
        targetInfo.type === 'page' &&
        targetInfo.targetId !== targetId &&
        targetInfo['browserContextId'] === browserContextId
      )
        void ignoringRefusal(pipe.call(nothing, 'Target.closeTarget', { targetId: targetInfo.targetId }))
    }
  })
  await Promise.all([
    pipe.call(nothing, 'Fetch.enable', { patterns: [{ urlPattern: '*' }] }),
    pipe.call(nothing, 'Target.setDiscoverTargets', { discover: true }),
    call(nothing, 'Page.enable'),
    call(nothing, 'Inspector.enable'),
    call(nothing, 'Network.setCookies', {
      cookies: Object.entries(cookies).map(([name, value]) => ({
        ...{ name, value, url: url.origin, path: '/', secure: url.protocol === 'https:' },
      })),
    }),
    call(nothing, 'Emulation.setUserAgentOverride', { userAgent }),
    call(nothing, 'Emulation.setDeviceMetricsOverride', {
      ...{ width, height, deviceScaleFactor: view.scale, mobile: false },
    }),
  ])
  const Navigation = z.looseObject({ errorText: z.string().optional() })
  // It answers when the host does; whoever waits for the page hears of that first.
  void call(Navigation, 'Page.navigate', { url: url.href }).then(
    ({ errorText }) => {
      if (errorText !== undefined) broken.reject(notShown(url, errorText))
    },
    (error: unknown) => broken.reject(error),
  )
  return { call, read: read.promise, loaded: loaded.promise, broken: broken.promise }
}

/** A request whose page has gone on needs no answer. */
async function ignoringRefusal(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!(error instanceof BrowserRefusal) && !(error instanceof BrowserCrash)) throw error
  }
}

const fulfill = (pipe: BrowserPipe, { requestId }: Paused, { status, headers, body }: Answer) =>
  pipe.call(nothing, 'Fetch.fulfillRequest', {
    ...{ requestId, responseCode: status, responseHeaders: headers },
    body: body.toString('base64'),
  })

/** For whatever reason: a page is not to find out by us what is reached from here. "Aborted" leaves a frame as it is. */
const refuse = (pipe: BrowserPipe, { requestId, resourceType }: Paused) =>
  pipe.call(nothing, 'Fetch.failRequest', {
    requestId,
    errorReason: resourceType === 'Document' ? 'Aborted' : 'Failed',
  })

const notShown = ({ host }: URL, reason: string) =>
  new AppError('CONVERSION_FAILED', `The browser does not show the page of ${host} (${reason}).`, {
    field: 'url',
  })
