import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { after, describe, test } from 'node:test'
import * as z from 'zod'
import { Browser } from '../../../lib/engines/chromium/browser.ts'
import { createBrowserHost } from '../../../lib/engines/chromium/host.ts'
import type { HostSession } from '../../../lib/engines/engine.ts'
import { createTools } from '../../../lib/engines/sandbox/exec.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { waitUntil } from '../../support/wait-until.ts'

const baseDir = scratchFolder('browser-host')
const browser = new Browser(baseDir)
const limits = { memoryMb: 1024, diskMb: 64, timeoutS: 30 }

after(() => browser.close())

function open(request: object = { kind: 'run' }) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const notices: unknown[] = []
  const engine = new AbortController()
  const tools = createTools({ workDir: baseDir, signal: engine.signal, limits })
  const noFiles = () => assert.fail('a page has no files')
  const step = { tools, take: noFiles, give: noFiles, createPath: noFiles }
  const session = createBrowserHost(browser, limits).serve(step)
  const run = session.answer(request, (notice) => {
    notices.push(notice)
    resolve()
  })
  return { session, run, attempt: promise, notices, engine }
}

async function call(session: HostSession, method: string, params: object = {}, sessionId?: string) {
  const request = { kind: 'call', attempt: 1, method, params, ...(sessionId && { sessionId }) }
  const { result } = z
    .looseObject({ result: z.looseObject({}) })
    .parse(await session.answer(request, () => undefined))
  return result
}

const createContextCommand = (attempt: number) => ({
  kind: 'call',
  attempt,
  method: 'Target.createBrowserContext',
  params: {},
})

async function openPage(session: HostSession) {
  const { browserContextId } = await call(session, 'Target.createBrowserContext')
  const tab = { url: 'file:///etc/passwd', browserContextId, width: 100, height: 100 }
  const { targetId } = await call(session, 'Target.createTarget', tab)
  const { sessionId } = await call(session, 'Target.attachToTarget', { targetId })
  return { browserContextId, targetId, sessionId: String(sessionId) }
}

const evaluate = (session: HostSession, sessionId: string) =>
  call(session, 'Runtime.evaluate', { expression: 'location.href' }, sessionId)

describe('browser access for engine code', () => {
  test('the browser host gives engine code access only to the blank pages that this code opened', async () => {
    const [own, other] = [open(), open()]
    await Promise.all([own.attempt, other.attempt])
    const [ownPage, otherPage] = [await openPage(own.session), await openPage(other.session)]
    assert.deepEqual((await evaluate(own.session, ownPage.sessionId)).result, {
      type: 'string',
      value: 'about:blank',
    })
    await assert.rejects(evaluate(own.session, otherPage.sessionId), /not allowed/)
    const { targetId, browserContextId } = otherPage
    await assert.rejects(call(own.session, 'Target.attachToTarget', { targetId }), /another target/)
    const tab = { browserContextId, width: 100, height: 100 }
    await assert.rejects(call(own.session, 'Target.createTarget', tab), /another context/)
    for (const { session, run } of [own, other]) {
      await session.answer({ kind: 'finish', attempt: 1 }, () => undefined)
      await run
    }
  })

  test('the browser host refuses commands that control the browser or reach files', async () => {
    const { session, run, attempt } = open()
    await attempt
    const { sessionId } = await openPage(session)
    for (const method of ['Browser.close', 'Target.getTargets', 'Target.disposeBrowserContext'])
      await assert.rejects(call(session, method), /not allowed/, method)
    for (const method of ['DOM.setFileInputFiles', 'Target.attachToTarget', 'Page.setDownloadBehavior'])
      await assert.rejects(call(session, method, {}, sessionId), /not allowed/, method)
    for (const url of ['file:///etc/passwd', 'chrome://process-internals', 'view-source:http://a.invalid', 7])
      await assert.rejects(call(session, 'Page.navigate', { url }, sessionId), /not allowed/, String(url))
    await session.answer({ kind: 'finish', attempt: 1 }, () => undefined)
    await run
    await assert.rejects(evaluate(session, sessionId), 'its pages are closed')
  })

  test('the browser host allows page scripts only in a browser that is closed with the page', async () => {
    const expression = `{
      const script = document.createElement('script')
      script.textContent = 'document.documentElement.dataset.ran = "yes"'
      document.documentElement.append(script)
      document.documentElement.dataset.ran ?? 'no'
    }`
    const runsScripts = async (request: object) => {
      const { session, run, attempt } = open(request)
      await attempt
      const { sessionId } = await openPage(session)
      const { result } = await call(session, 'Runtime.evaluate', { expression }, sessionId)
      const enable = call(session, 'Emulation.setScriptExecutionDisabled', { value: false }, sessionId)
      const canEnable = await enable.then(
        () => true,
        () => false,
      )
      await session.answer({ kind: 'finish', attempt: 1 }, () => undefined)
      await run
      return [z.looseObject({ value: z.string() }).parse(result).value, canEnable]
    }
    assert.deepEqual(await runsScripts({ kind: 'run' }), ['no', false])
    const folders = (await readdir(baseDir)).length
    assert.deepEqual(await runsScripts({ kind: 'run', runsScripts: true }), ['yes', true])
    assert.equal((await readdir(baseDir)).length, folders)
  })

  test('the browser host ignores the end of an attempt that has already ended', async () => {
    const { session, run, attempt, notices } = open()
    await attempt
    const finish = (number: number, crash?: string) =>
      session.answer({ kind: 'finish', attempt: number, ...(crash && { crash }) }, () => undefined)
    const openContext = async (number: number) =>
      Object.keys(Object(await session.answer(createContextCommand(number), () => undefined)))
    await finish(1, 'the browser crashed')
    await waitUntil(() => notices.length === 2, 'the second attempt starts')
    await finish(1)
    assert.deepEqual(await openContext(1), ['crash'])
    assert.deepEqual(await openContext(2), ['result'])
    await finish(2)
    await run
  })

  test('the browser host refuses a second run request of an engine process while an attempt is running', async () => {
    const request = { kind: 'run', runsScripts: true }
    const { session, run, attempt } = open(request)
    await attempt
    await assert.rejects(
      session.answer(request, () => undefined),
      /another attempt is running/,
    )
    await session.answer({ kind: 'finish', attempt: 1 }, () => undefined)
    await run
  })

  test('the browser host closes a page whose engine process has ended', async () => {
    const { session, run, attempt, engine } = open()
    await attempt
    const { sessionId } = await openPage(session)
    engine.abort(new Error('the engine has ended'))
    await assert.rejects(run, /the engine has ended/)
    await assert.rejects(evaluate(session, sessionId))
  })
})
