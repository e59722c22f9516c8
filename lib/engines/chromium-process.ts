import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { type BrowserPipe, connectBrowser } from './chromium-pipe.ts'
import { sandboxed } from './sandbox.ts'

const folderPrefix = 'mutabor-browser-'
const startLimitMs = 60_000
const fileBytes = 1024 ** 3
const dataBytes = 2 * 1024 ** 3

/** Debian's launcher is a shell script that reads the user's settings; this is what it starts. */
const program = '/usr/lib/chromium/chromium'

const switches = [
  '--headless',
  '--remote-debugging-pipe',
  // Its own sandbox needs privileges that ours takes away; ours is around all of its processes.
  '--no-sandbox',
  '--disable-gpu',
  // Else it fills the 64 MB of /dev/shm and crashes.
  '--disable-dev-shm-usage',
  // Every page comes from one origin that does not exist, so a process per site would only take memory.
  '--disable-site-isolation-trials',
  '--disable-breakpad',
  '--disable-crash-reporter',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-extensions',
  '--disable-sync',
  '--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider',
  '--font-render-hinting=none',
  '--force-color-profile=srgb',
  '--hide-scrollbars',
  // It misses the message bus of a desktop at each turn, and would say so.
  '--log-level=3',
  '--mute-audio',
  '--no-first-run',
  '--no-pings',
  // Nothing has an address, should a request get past what answers them, on a system without network namespaces.
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--proxy-server=http://0.0.0.0:9',
] as const

export interface BrowserProcess {
  readonly pipe: BrowserPipe
  kill(): Promise<void>
}

/** @throws BrowserCrash when it does not start. */
export async function startBrowser(baseDir: string): Promise<BrowserProcess> {
  const folder = await mkdtemp(join(baseDir, `${folderPrefix}${process.pid}-`))
  const profile = join(folder, 'profile')
  await mkdir(profile)
  // Not by address space: V8 reserves terabytes that it never touches.
  const command = await sandboxed(program, [...switches, `--user-data-dir=${profile}`, 'about:blank'], {
    workDir: folder,
    limits: { fileBytes, dataBytes },
  })
  const pipe = connectBrowser(command)
  const end = async () => {
    await pipe.kill()
    // The last of the tree may still be dying, and write.
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
  }
  let ended: Promise<void> | undefined
  const kill = () => {
    ended ??= end()
    return ended
  }
  const timer = setTimeout(() => void pipe.kill(), startLimitMs)
  try {
    await pipe.call(z.looseObject({ product: z.string() }), 'Browser.getVersion')
    await pipe.call(z.object({}), 'Browser.setDownloadBehavior', { behavior: 'deny' })
  } catch (error) {
    await kill()
    throw error
  } finally {
    clearTimeout(timer)
  }
  return { pipe, kill }
}

/** A service that was ended by SIGKILL leaves the folders of its browsers. */
export async function removeOrphanedBrowsers(baseDir: string): Promise<void> {
  await mkdir(baseDir, { recursive: true })
  for (const name of await readdir(baseDir)) {
    const pid = name.startsWith(folderPrefix) ? Number.parseInt(name.slice(folderPrefix.length), 10) : 0
    if (pid > 0 && !isAlive(pid)) await rm(join(baseDir, name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
