import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { Browser, type BrowserJob } from '../../../lib/engines/chromium/browser.ts'
import { BrowserCrash } from '../../../lib/engines/chromium/cdp-pipe.ts'
import type { BrowserProcess } from '../../../lib/engines/chromium/process.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'

const browser = new Browser(scratchFolder('browser-crashes'))
after(() => browser.close())

const neverAborted = new AbortController().signal
const call = ({ pipe }: BrowserProcess, method: string) => pipe.call(z.looseObject({}), method)

/** Creates a job that crashes this many browsers before it succeeds. */
function createCrashingJob(crashCount: number) {
  const processes: BrowserProcess[] = []
  const job: BrowserJob<string> = {
    run: async (process) => {
      processes.push(process)
      if (processes.length <= crashCount) await call(process, 'Browser.crash')
      return 'done'
    },
    endBrowser: async () => {},
  }
  return { job, processes }
}

/** Creates a job that needs its browser for a second. */
function createLongJob() {
  const processes: BrowserProcess[] = []
  const job: BrowserJob<string> = {
    run: async (process) => {
      processes.push(process)
      for (let calls = 0; calls < 10; calls++) {
        await call(process, 'Browser.getVersion')
        await sleep(100)
      }
      return 'done'
    },
    endBrowser: async () => {},
  }
  return { job, processes }
}

test('a page that always crashes the browser interrupts other pages once, and fails after retries in new browsers', async () => {
  const [crashingRun, firstRun, secondRun] = [createCrashingJob(9), createLongJob(), createLongJob()]
  const otherRuns = [firstRun, secondRun].map(({ job }) => browser.run(job, neverAborted))
  while (secondRun.processes.length === 0) await sleep(10)
  await assert.rejects(browser.run(crashingRun.job, neverAborted), BrowserCrash)
  assert.deepEqual(await Promise.all(otherRuns), ['done', 'done'])
  assert.deepEqual(
    [crashingRun.processes.length, firstRun.processes.length, secondRun.processes.length],
    [4, 2, 2],
  )
  const retryProcesses = [...crashingRun.processes.slice(1), firstRun.processes[1], secondRun.processes[1]]
  assert.equal(
    new Set(retryProcesses).size,
    retryProcesses.length,
    'after the first crash, no two pages share a browser',
  )
})

test('a page is rendered again in a fourth browser after three browsers crashed', async () => {
  const { job, processes } = createCrashingJob(3)
  assert.equal(await browser.run(job, neverAborted), 'done')
  assert.equal(new Set(processes).size, 4)
})
