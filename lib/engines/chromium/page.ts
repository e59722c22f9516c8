import * as z from 'zod'
import type { BrowserJob } from './browser.ts'
import { BrowserCrash, type BrowserPipe, BrowserRefusal } from './cdp-pipe.ts'
import { partKey, type WebPart } from './web-archive.ts'

/** What is to be shown. Nothing is on a disk that the browser sees: each request is answered by us. */
export interface PageSource {
  /** Where the page says it is; links are relative to this. */
  readonly url: string
  readonly page: WebPart
  /** Where it has none of its own. */
  readonly title: string
  /** What else may be loaded, by `partKey` of the address. */
  part?(key: string): Promise<WebPart | undefined> | WebPart | undefined
  /** Does something to the page when it is read, before what it links to is waited for; the page links to `held`. */
  prepare?(call: Page['call']): Promise<void>
}

/** The window, in pixels of the page. */
export interface PageView {
  readonly width: number
  readonly height: number
  /** Pixels of the picture per pixel of the page. */
  readonly scale: number
}

/** Of a sheet in inches, of a picture in pixels of the page; 96 of these are an inch. */
export interface PageArea {
  readonly width: number
  readonly height: number
}

/** A document that is shown. */
export interface Page {
  /** A command of the DevTools protocol to this page. @throws BrowserCrash, BrowserRefusal. */
  call<T>(schema: z.ZodType<T>, method: string, params?: object): Promise<T>
  /** Linked files that were not loaded, as a page is converted alone. */
  readonly missing: number
}

/** By RFC 6761 no host has this name. */
export const nowhere = 'http://document.invalid/'
/** What comes last: a page that is prepared links to it, so that it is not taken for loaded before. */
export const held = `${nowhere}held`
const nothing = z.object({})

/** Movements are where they end, for much is not seen before; those without an end are where they begin. */
const standStill = `
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
 * Shows a document in a context of its own (no cookies, no storage, no other page), without scripts, with every
 * request answered by us, and lets `use` make something of it.
 */
export function pageJob<T>(
  source: PageSource,
  view: PageView,
  use: (page: Page) => Promise<T>,
): BrowserJob<T> {
  // Of the last try: one before it, given up, may still be waiting for its answers.
  let current: { contextId?: string; isOver: boolean } = { isOver: false }
  const dispose = (pipe: BrowserPipe, browserContextId: string) =>
    pipe.call(nothing, 'Target.disposeBrowserContext', { browserContextId })
  return {
    async run({ pipe }) {
      const own: typeof current = { isOver: false }
      current = own
      try {
        const Context = z.object({ browserContextId: z.string() })
        const { browserContextId } = await pipe.call(Context, 'Target.createBrowserContext')
        // Cancelled meanwhile: nobody will come to close it.
        if (own.isOver) await dispose(pipe, browserContextId)
        own.contextId = browserContextId
        const sessionId = await openTab(pipe, browserContextId, view)
        return await showIn(pipe, sessionId, { source, view }, use)
      } catch (error) {
        // All that is asked of it here can be done, unless the page or the browser is about to end.
        throw error instanceof BrowserRefusal ? new BrowserCrash(error.message, { cause: error }) : error
      }
    },
    async end({ pipe }) {
      current.isOver = true
      if (current.contextId !== undefined && pipe.alive) await dispose(pipe, current.contextId)
    },
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

interface Shown {
  readonly source: PageSource
  readonly view: PageView
}

async function showIn<T>(
  pipe: BrowserPipe,
  sessionId: string,
  { source, view }: Shown,
  use: (page: Page) => Promise<T>,
): Promise<T> {
  const call: Page['call'] = (schema, method, params) => pipe.call(schema, method, params, sessionId)
  const answers = answersFrom(source, call)
  const read = Promise.withResolvers<void>()
  const loaded = Promise.withResolvers<void>()
  const broken = Promise.withResolvers<never>()
  // Nobody waits for it when all goes well.
  broken.promise.catch(() => undefined)
  const stop = pipe.listen(sessionId, (method, params) => {
    switch (method) {
      case 'Page.domContentEventFired':
        read.resolve()
        break
      case 'Page.loadEventFired':
        loaded.resolve()
        break
      case 'Fetch.requestPaused':
        answers.answer(Paused.parse(params)).catch((error: unknown) => {
          // A request whose page has gone on needs no answer.
          if (!(error instanceof BrowserRefusal)) broken.reject(error)
        })
        break
      case 'Inspector.targetCrashed':
        broken.reject(new BrowserCrash('The page crashed.'))
        break
    }
  })
  const work = async () => {
    await navigate(call, source.url, view)
    if (source.prepare) {
      await read.promise
      await source.prepare(call)
      answers.release()
    }
    await loaded.promise
    // A page without a title would be named by its address.
    const expression = `document.title ||= ${JSON.stringify(source.title)};${standStill}`
    await call(z.looseObject({}), 'Runtime.evaluate', { expression })
    return use({
      call,
      get missing() {
        return answers.missing
      },
    })
  }
  try {
    return await Promise.race([work(), broken.promise])
  } finally {
    stop()
  }
}

interface Answers {
  /** Gives a request what the source has for it, and refuses all others. */
  answer(paused: z.infer<typeof Paused>): Promise<unknown>
  /** Lets go of the request for `held`. */
  release(): void
  /** Linked files that the source did not have. */
  readonly missing: number
}

function answersFrom(source: PageSource, call: Page['call']): Answers {
  let isPageGiven = false
  let missing = 0
  const prepared = Promise.withResolvers<void>()
  const fulfill = (requestId: string, { bytes, contentType }: WebPart) =>
    call(nothing, 'Fetch.fulfillRequest', {
      requestId,
      responseCode: 200,
      responseHeaders: [{ name: 'Content-Type', value: contentType }],
      body: bytes.toString('base64'),
    })
  return {
    async answer({ requestId, request, resourceType }) {
      const isPage = partKey(request.url) === partKey(source.url)
      const isHeld = source.prepare !== undefined && request.url === held
      if (isHeld) await prepared.promise
      const part = isPage ? source.page : await source.part?.(partKey(request.url))
      // A page that asks for itself again would load for ever.
      if (part && !(isPage && isPageGiven)) {
        if (isPage) isPageGiven = true
        return fulfill(requestId, part)
      }
      if (resourceType !== 'Document' && !isHeld && !request.url.endsWith('/favicon.ico')) missing++
      // "Aborted" leaves the page as it is, where another reason would put an error page in its place.
      return call(nothing, 'Fetch.failRequest', { requestId, errorReason: 'Aborted' })
    },
    release: () => prepared.resolve(),
    get missing() {
      return missing
    },
  }
}

/** Goes to the address, with scripts off and every request held back until it is answered. */
async function navigate(call: Page['call'], url: string, view: PageView): Promise<void> {
  await Promise.all([
    call(nothing, 'Page.enable'),
    call(nothing, 'Inspector.enable'),
    call(nothing, 'Fetch.enable', { patterns: [{ urlPattern: '*' }] }),
    call(nothing, 'Emulation.setScriptExecutionDisabled', { value: true }),
    call(nothing, 'Emulation.setDeviceMetricsOverride', {
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
