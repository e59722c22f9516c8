// node start-once.mjs PROGRAM: starts the browser and ends it; used while an image is built. It has a fontconfig of its own,
// whose form of the system's cache of fonts is not Debian's: without one it would read every font at each start.
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
const [answer] = await once(fromBrowser, 'data')
console.log(String(answer))
toBrowser.write('{"id":2,"method":"Browser.close"}\0')
const [code] = await once(browser, 'exit')
rmSync(folder, { recursive: true, force: true })
process.exit(code ?? 1)
