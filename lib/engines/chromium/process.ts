import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { createSandboxCommand } from '../sandbox/isolation.ts'
import { makeProcessFolder, removeProcessFolder } from '../sandbox/process-folder.ts'
import { type BrowserPipe, BrowserStartFailure, connectBrowser } from './cdp-pipe.ts'

/** Name prefix of the folder of each browser process. */
export const browserFolderPrefix = 'mutabor-browser-'
const startTimeoutMs = 60_000
const maxFileBytes = 1024 ** 3
const maxDataBytes = 2 * 1024 ** 3

/**
 * Path of the browser's binary. Debian's launcher is not used, because it is a shell script. The headless shell is
 * Chromium without its user interface: it starts in a third of the time and uses half the memory. In the browser image,
 * it comes from npm (`layers/chromium`).
 */
export const browserProgram = '/usr/lib/chromium/chromium-headless-shell'

export const browserSwitches = [
  '--headless',
  // Without a locale, the npm build would send "en-US@posix" to websites, which do not know that locale.
  '--accept-lang=en-US,en',
  '--remote-debugging-pipe',
  // Chromium's sandbox needs privileges that our sandbox, which contains all of its processes, removes.
  '--no-sandbox',
  '--disable-gpu',
  // Without this argument, the browser fills the 64 MB of /dev/shm and crashes.
  '--disable-dev-shm-usage',
  // With one process per site, which neither a document nor a website needs, the browser would only use more memory.
  '--disable-site-isolation-trials',
  '--disable-breakpad',
  '--disable-crash-reporter',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-extensions',
  '--disable-sync',
  // With HttpsUpgrades, the browser would request a different URL than the given one.
  '--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,HttpsUpgrades',
  // Enables JPEG XL, which only the newer of the two browser builds enables by default.
  '--enable-features=JXLImageFormat',
  '--font-render-hinting=none',
  '--force-color-profile=srgb',
  '--hide-scrollbars',
  // Suppresses repeated messages about the missing desktop message bus.
  '--log-level=3',
  '--mute-audio',
  '--no-first-run',
  '--no-pings',
  // Defense in depth on systems without network namespaces: requests that are not intercepted resolve to nothing.
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--proxy-server=http://0.0.0.0:9',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
] as const

/** A running browser with its own folder. */
export interface BrowserProcess {
  readonly pipe: BrowserPipe
  kill(): Promise<void>
}

/** @throws BrowserStartFailure */
export async function startBrowser(baseDir: string): Promise<BrowserProcess> {
  const folder = await makeProcessFolder(baseDir, browserFolderPrefix)
  const profileFolder = join(folder, 'profile')
  await mkdir(profileFolder)
  // Address space is not limited: V8 reserves terabytes that it never touches.
  const command = await createSandboxCommand(
    browserProgram,
    [...browserSwitches, `--user-data-dir=${profileFolder}`, 'about:blank'],
    {
      workDir: folder,
      limits: { fileBytes: maxFileBytes, dataBytes: maxDataBytes },
      unixSockets: true,
      // Descriptors 3 and 4 are the DevTools pipe.
      closeFdsFrom: 5,
    },
  )
  const pipe = connectBrowser(command)
  const end = async () => {
    await pipe.kill()
    await removeProcessFolder(folder)
  }
  let exitPromise: Promise<void> | undefined
  const kill = () => {
    exitPromise ??= end()
    return exitPromise
  }
  const timer = setTimeout(() => void pipe.kill(), startTimeoutMs)
  try {
    await pipe.call(z.looseObject({ product: z.string() }), 'Browser.getVersion')
    await pipe.call(z.object({}), 'Browser.setDownloadBehavior', { behavior: 'deny' })
  } catch (cause) {
    await kill()
    throw new BrowserStartFailure('The browser did not start.', { cause })
  } finally {
    clearTimeout(timer)
  }
  return { pipe, kill }
}
