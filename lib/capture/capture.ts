import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import type { Page, PageView } from '../engines/chromium/page.ts'
import { PrintOptions } from '../engines/chromium/paper.ts'
import { print } from '../engines/chromium/print.ts'
import { startBrowser } from '../engines/chromium/process.ts'
import { type PictureTarget, photograph, pictureOptions, viewOf } from '../engines/chromium/screenshot.ts'
import { untilAborted } from '../engines/sandbox/until-aborted.ts'
import { AppError } from '../errors.ts'
import { type CaptureFields, pickOptions } from '../tasks/capture-fields.ts'
import { httpUrl, withoutCredentials } from '../transfer/guarded-http.ts'
import type { Capture, RemoteFile } from '../transfer/transfer.ts'
import { type Loading, ready, seeAll } from './wait-until-ready.ts'
import { Requests } from './page-requests.ts'
import { openTab } from './tab.ts'

/** Seconds to draw or print a page that is ready. */
const drawingS = 60

type Fields = Readonly<Record<string, unknown>>
type Warnings = { code: string; message: string }[]

/** Shows a website in a browser of its own, which nothing of another user has ever been in, and keeps what it shows. */
export const captureWebsite: Capture = async (given, { outgoing, signal, workDir, progress }) => {
  const fields = given as CaptureFields
  const { url, headers } = withoutCredentials(httpUrl(fields.url), fields.headers)
  const to = fields.output_format === 'jpeg' ? 'jpg' : fields.output_format
  const limitS = fields.timeout + fields.wait_time / 1000 + drawingS
  const within = AbortSignal.any([signal, AbortSignal.timeout(limitS * 1000)])
  const browser = await startBrowser(tmpdir())
  const ended = () => void browser.kill()
  within.addEventListener('abort', ended, { once: true })
  try {
    const { pipe } = browser
    const Version = z.looseObject({ userAgent: z.string() })
    const version = await pipe.call(Version, 'Browser.getVersion')
    const userAgent = `${version.userAgent.replace('Headless', '')} Mutabor/1`
    const requests = new Requests({ url, headers, userAgent, outgoing, signal: within })
    const view = viewFor(given, to)
    const tab = await openTab(pipe, { url, cookies: fields.cookies ?? {}, userAgent, view, requests })
    const loading = { ...tab, requests, signal: within }
    const path = join(workDir, `page.${to}`)
    const warnings: Warnings = []
    const work = async () => {
      await whenReady(fields, loading)
      await sleep(fields.wait_time, undefined, { signal: within })
      progress(50)
      if (to === 'pdf' || given['full_page'] !== false) await seeAll(loading)
      // A page without a title would be named by its address.
      const expression = `document.title ||= ${JSON.stringify(url.host)}`
      await tab.call(z.looseObject({}), 'Runtime.evaluate', { expression })
      warnings.push(...(await keep({ call: tab.call, missing: 0 }, path, to, given)))
    }
    await untilAborted(Promise.race([work(), tab.broken]), within)
    if (requests.dropped > 0) warnings.push(droppedLinks(requests.dropped))
    return { file: await fileAt(path, nameOf(fields, url, to)), warnings }
  } catch (error) {
    signal.throwIfAborted()
    throw within.aborted ? tookTooLong(limitS, 'the page to be drawn') : error
  } finally {
    within.removeEventListener('abort', ended)
    await browser.kill()
  }
}

type Target = 'pdf' | PictureTarget

/** The window; on paper there are no pixels. */
function viewFor(given: Fields, to: Target): PageView {
  const view = viewOf({ ...pickOptions(given, pictureOptions.png), ...(to === 'pdf' && { scale: 1 }) })
  return { width: view.width, height: view.height, scale: view.scale }
}

/** @throws AppError TIMEOUT. */
async function whenReady(fields: CaptureFields, loading: Omit<Loading, 'waitingFor'>): Promise<void> {
  let waited = ''
  const limit = AbortSignal.timeout(fields.timeout * 1000)
  const signal = AbortSignal.any([loading.signal, limit])
  const waitingFor = (what: string) => {
    waited = what
  }
  try {
    await untilAborted(ready(fields, { ...loading, signal, waitingFor }), signal)
  } catch (error) {
    throw limit.aborted && !loading.signal.aborted ? tookTooLong(fields.timeout, waited) : error
  }
}

const tookTooLong = (timeoutS: number, what: string) =>
  new AppError('TIMEOUT', `The website was not ready within ${timeoutS} s: it waited for ${what}.`, {
    timeoutS,
  })

async function keep(page: Page, path: string, to: Target, given: Fields): Promise<Warnings> {
  if (to === 'pdf') {
    await print(page, path, pickOptions(given, PrintOptions))
    return []
  }
  const { height, cut } = await photograph(page, { to, path, options: pickOptions(given, pictureOptions.jpg) })
  if (!cut) return []
  const message = `The picture ends after ${height} pixels; the page is longer. A PDF holds all.`
  return [{ code: 'PAGE_CUT', message }]
}

function droppedLinks(count: number) {
  const files =
    count === 1 ? 'One file that the page asks for was' : `${count} files that the page asks for were`
  return { code: 'LINKS_DROPPED', message: `${files} not loaded: not there, too large or not public.` }
}

function nameOf({ filename }: CaptureFields, { hostname }: URL, to: Target): string {
  const name = filename ?? hostname
  return name.toLowerCase().endsWith(`.${to}`) ? name : `${name}.${to}`
}

async function fileAt(path: string, filename: string): Promise<RemoteFile> {
  const { size } = await stat(path)
  return { filename, size, isResumable: true, open: async (start) => createReadStream(path, { start }) }
}
