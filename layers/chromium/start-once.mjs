// node start-once.mjs PROGRAM: starts and closes the browser while an image is built, so that it creates its font
// cache. The browser's bundled fontconfig uses another cache format than Debian's; without the cache, it would read
// every font at each start.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'

const [program] = process.argv.slice(2)
const folder = mkdtempSync('/tmp/browser-')
const switches = [
  '--headless',
  '--remote-debugging-pipe',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
]
const browser = spawn(program, [...switches, `--user-data-dir=${folder}`, 'about:blank'], {
  env: { ...process.env, HOME: folder, TMPDIR: folder },
  stdio: ['ignore', 'inherit', 'inherit', 'pipe', 'pipe'],
  timeout: 120_000,
})
const [, , , toBrowser, fromBrowser] = browser.stdio
toBrowser.write('{"id":1,"method":"Browser.getVersion"}\0')
const [response] = await once(fromBrowser, 'data')
console.log(String(response))
toBrowser.write('{"id":2,"method":"Browser.close"}\0')
const [code] = await once(browser, 'exit')
rmSync(folder, { recursive: true, force: true })
process.exit(code ?? 1)
