import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { sandboxCommand } from '../sandbox/isolation.ts'
import { makeProcessFolder, removeProcessFolder } from '../sandbox/process-folder.ts'
import { type BrowserPipe, connectBrowser } from './cdp-pipe.ts'

/** Of the folder that each browser has. */
export const browserFolderPrefix = 'mutabor-browser-'
const startLimitMs = 60_000
const fileBytes = 1024 ** 3
const dataBytes = 2 * 1024 ** 3

/**
 * Debian's launcher is a shell script that reads the user's settings; this is what it starts. In the image of browsers it
 * is the one of npm (`layers/chromium`), which has the headless part alone.
 */
export const browserProgram = '/usr/lib/chromium/chromium'

export const browserSwitches = [
  '--headless',
  // Where there is no locale, the one of npm would tell websites that it speaks "en-US@posix", which none of them knows.
  '--accept-lang=en-US,en',
  '--remote-debugging-pipe',
  // Its own sandbox needs privileges that ours takes away; ours is around all of its processes.
  '--no-sandbox',
  '--disable-gpu',
  // Else it fills the 64 MB of /dev/shm and crashes.
  '--disable-dev-shm-usage',
  // A document comes from one origin that does not exist, and a website has a browser to itself: a process per site
  // would only take memory.
  '--disable-site-isolation-trials',
  '--disable-breakpad',
  '--disable-crash-reporter',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-extensions',
  '--disable-sync',
  // The last keeps it from asking for another address than it was told.
  '--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,HttpsUpgrades',
  // JPEG XL, which the newer of the two browsers shows anyway.
  '--enable-features=JXLImageFormat',
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
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
] as const

/** A browser that answers, in a folder of its own. */
export interface BrowserProcess {
  readonly pipe: BrowserPipe
  kill(): Promise<void>
}

/** @throws BrowserCrash when it does not start. */
export async function startBrowser(baseDir: string): Promise<BrowserProcess> {
  const folder = await makeProcessFolder(baseDir, browserFolderPrefix)
  const profile = join(folder, 'profile')
  await mkdir(profile)
  // Not by address space: V8 reserves terabytes that it never touches.
  const command = await sandboxCommand(
    browserProgram,
    [...browserSwitches, `--user-data-dir=${profile}`, 'about:blank'],
    {
      workDir: folder,
      limits: { fileBytes, dataBytes },
      unixSockets: true,
      // The last two are its pipe.
      closeFdsFrom: 5,
    },
  )
  const pipe = connectBrowser(command)
  const end = async () => {
    await pipe.kill()
    await removeProcessFolder(folder)
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
