import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import type { BrowserPage, PageView } from '../engines/chromium/page.ts'
import { PrintOptions } from '../engines/chromium/paper.ts'
import { printToPdf } from '../engines/chromium/print.ts'
import { startBrowser } from '../engines/chromium/process.ts'
import {
  parseScreenshotView,
  type ScreenshotTarget,
  screenshotOptions,
  takeScreenshot,
} from '../engines/chromium/screenshot.ts'
import { rejectWhenAborted } from '../engines/sandbox/until-aborted.ts'
import { AppError } from '../errors.ts'
import type { Warning } from '../model/job.ts'
import { moveCredentialsToHeader, parseHttpUrl } from '../transfer/guarded-http.ts'
import type { CaptureFile, RemoteFile } from '../transfer/transfer.ts'
import { type CaptureFields, pickOptions } from './capture-fields.ts'
import { PageRequests } from './page-requests.ts'
import { openTab } from './tab.ts'
import { type PageLoad, scrollThrough, waitUntilReady } from './wait-until-ready.ts'

/** Time limit, in seconds, for capturing a page that is ready. */
const captureLimitS = 60

type Fields = Readonly<Record<string, unknown>>
type WarningList = Warning[]

/** Captures a website in a separate browser, which is never shared with other users. */
export const captureWebsite: CaptureFile = async (
  input,
  { guardedHttp: httpClient, signal, workDir, progress },
) => {
  const fields = input as CaptureFields // parsed when the task was created
  const { url, headers } = moveCredentialsToHeader(parseHttpUrl(fields.url), fields.headers)
  const to = fields.output_format === 'jpeg' ? 'jpg' : fields.output_format
  const timeLimitS = fields.timeout + fields.wait_time / 1000 + captureLimitS
  const limitedSignal = AbortSignal.any([signal, AbortSignal.timeout(timeLimitS * 1000)])
  const browser = await startBrowser(tmpdir())
  const onAbort = () => void browser.kill()
  limitedSignal.addEventListener('abort', onAbort, { once: true })
  try {
    const { pipe } = browser
    const Version = z.looseObject({ userAgent: z.string() })
    const version = await pipe.call(Version, 'Browser.getVersion')
    const userAgent = `${version.userAgent.replace('Headless', '')} Mutabor/1`
    const requests = new PageRequests({
      url,
      headers,
      userAgent,
      guardedHttp: httpClient,
      signal: limitedSignal,
    })
    const pageView = createPageView(input, to)
    const tab = await openTab(pipe, {
      url,
      cookies: fields.cookies ?? {},
      userAgent,
      view: pageView,
      requests,
    })
    const loading = { ...tab, requests, signal: limitedSignal }
    const path = join(workDir, `page.${to}`)
    const warnings: WarningList = []
    const convert = async () => {
      await waitUntilReadyInTime(fields, loading)
      await sleep(fields.wait_time, undefined, { signal: limitedSignal })
      progress(50)
      if (to === 'pdf' || input['full_page'] !== false) await scrollThrough(loading)
      // Sets a title, because the browser would use the URL as the title of a page without one.
      const expression = `document.title ||= ${JSON.stringify(url.host)}`
      await tab.call(z.looseObject({}), 'Runtime.evaluate', { expression })
      warnings.push(
        ...(await captureTo(
          { call: tab.call, missingFileCount: 0, scriptsTimedOut: false },
          path,
          to,
          input,
        )),
      )
    }
    await rejectWhenAborted(Promise.race([convert(), tab.whenBroken]), limitedSignal)
    if (requests.droppedCount > 0) warnings.push(createLinksWarning(requests.droppedCount))
    return { file: await openCapture(path, chooseFilename(fields, url, to)), warnings }
  } catch (error) {
    signal.throwIfAborted()
    throw limitedSignal.aborted ? createTimeoutError(timeLimitS, 'the page to be captured') : error
  } finally {
    limitedSignal.removeEventListener('abort', onAbort)
    await browser.kill()
  }
}

type Target = 'pdf' | ScreenshotTarget

/**
 * Returns the size and scale of the browser window. For a PDF, the window has scale 1, because the field `scale` then
 * applies to the printed content.
 */
function createPageView(input: Fields, to: Target): PageView {
  const view = parseScreenshotView({
    ...pickOptions(input, screenshotOptions.png),
    ...(to === 'pdf' && { scale: 1 }),
  })
  return { width: view.width, height: view.height, scale: view.scale }
}

/** Waits until the page is ready. @throws AppError TIMEOUT. */
async function waitUntilReadyInTime(
  fields: CaptureFields,
  loading: Omit<PageLoad, 'setAwaitedCondition'>,
): Promise<void> {
  let awaitedCondition = ''
  const limit = AbortSignal.timeout(fields.timeout * 1000)
  const signal = AbortSignal.any([loading.signal, limit])
  const setAwaitedCondition = (condition: string) => {
    awaitedCondition = condition
  }
  try {
    await rejectWhenAborted(waitUntilReady(fields, { ...loading, signal, setAwaitedCondition }), signal)
  } catch (error) {
    throw limit.aborted && !loading.signal.aborted
      ? createTimeoutError(fields.timeout, awaitedCondition)
      : error
  }
}

const createTimeoutError = (timeoutS: number, condition: string) =>
  new AppError('TIMEOUT', `The website was not ready within ${timeoutS} s: still waiting for ${condition}.`, {
    timeoutS,
  })

async function captureTo(page: BrowserPage, path: string, to: Target, input: Fields): Promise<WarningList> {
  if (to === 'pdf') {
    await printToPdf(page, path, pickOptions(input, PrintOptions))
    return []
  }
  const { height, isCut } = await takeScreenshot(page, {
    to,
    path,
    options: pickOptions(input, screenshotOptions.jpg),
  })
  if (!isCut) return []
  const message = `The image ends after ${height} pixels, but the page is longer. A PDF contains all of it.`
  return [{ code: 'PAGE_CUT', message }]
}

function createLinksWarning(count: number): Warning {
  const files =
    count === 1 ? 'One file requested by the page was' : `${count} files requested by the page were`
  const message = `${files} not loaded: missing, too large, not public, or not displayable, such as PDFs in frames.`
  return { code: 'LINKS_DROPPED', message, details: { count } }
}

function chooseFilename({ filename }: CaptureFields, { hostname }: URL, to: Target): string {
  const name = filename ?? hostname
  return name.toLowerCase().endsWith(`.${to}`) ? name : `${name}.${to}`
}

async function openCapture(path: string, filename: string): Promise<RemoteFile> {
  const { size } = await stat(path)
  return { filename, size, isResumable: true, open: async (start) => createReadStream(path, { start }) }
}
