import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { createSignatureHeaders } from '../../lib/webhooks/signatures.ts'
import { waitUntil } from '../support/wait-until.ts'

const execute = promisify(execFile)

/** The folder where the package is installed, and the URL of the service. */
export interface Installation {
  readonly folder: string
  readonly url: string
}

const examplePath = (folder: string, name: string) =>
  join(folder, 'node_modules/@mutabor/client/examples', name)

/**
 * Programs that run the convert examples, called as the first line of each example says. The examples print the name of
 * the result.
 */
const converters = {
  'convert.sh': 'sh',
  'convert.mjs': process.execPath,
  'convert.py': '/usr/bin/python3',
  'convert.php': 'php',
}

async function checkConverter(program: string, name: string, { folder, url }: Installation): Promise<void> {
  const workFolder = join(folder, name.replace('.', '-'))
  await mkdir(workFolder)
  await writeFile(join(workFolder, 'tea.md'), '# Tea\n\nA cup of it.\n')
  await writeFile(join(workFolder, 'bad.png'), 'not an image')
  const env = { ...process.env, MUTABOR_URL: url, MUTABOR_API_KEY: '' }
  const { stdout } = await execute(program, [examplePath(folder, name), 'tea.md', 'html'], {
    cwd: workFolder,
    env,
  })
  assert.equal(stdout.trim().split('\n').at(-1), 'tea.html')
  assert.match(await readFile(join(workFolder, 'tea.html'), 'utf8'), /A cup of it\./)
  const failure = execute(program, [examplePath(folder, name), 'bad.png', 'webp'], { cwd: workFolder, env })
  await assert.rejects(failure, (error: { code: number; stderr: string }) => {
    assert.equal(error.code, 1)
    assert.match(error.stderr, /CORRUPT_FILE/)
    return true
  })
}

async function readMatchingLine(child: ChildProcess, pattern: RegExp): Promise<string> {
  if (child.stdout)
    for await (const line of createInterface({ input: child.stdout })) if (pattern.test(line)) return line
  throw new Error('the example exited without printing the expected line')
}

async function checkWebhookReceiver({ folder }: Installation): Promise<void> {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: '0' }
  const child = spawn(process.execPath, [examplePath(folder, 'webhook-receiver.mjs')], { env })
  try {
    const printedLines: string[] = []
    const lines = createInterface({ input: child.stdout })
    lines.on('line', (line) => printedLines.push(line))
    await waitUntil(() => printedLines.length > 0, 'the receiver is listening')
    const port = /\d+$/.exec(printedLines[0] ?? '')?.[0]
    const body = Buffer.from('{"event":"job.completed","id":"evt_1","job":{"id":"job_1"}}')
    const headers = createSignatureHeaders({ id: 'evt_1', body, at: new Date() }, [secret])
    const sendWebhook = (signatureHeaders: Record<string, string>) =>
      fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers: signatureHeaders })
    assert.equal((await sendWebhook(headers)).status, 204)
    assert.equal((await sendWebhook(headers)).status, 204)
    assert.equal((await sendWebhook({ ...headers, 'webhook-signature': 'v1,AAAA' })).status, 401)
    assert.deepEqual(printedLines.slice(1), ['job.completed job_1'])
  } finally {
    child.kill()
  }
}

async function checkFolderWatcher({ folder, url }: Installation): Promise<void> {
  const workFolder = join(folder, 'watched')
  await mkdir(join(workFolder, 'inbox'), { recursive: true })
  const env = { ...process.env, MUTABOR_URL: url }
  const child = spawn(
    process.execPath,
    [examplePath(folder, 'watch-folder.mjs'), 'inbox', 'html', 'outbox'],
    {
      cwd: workFolder,
      env,
    },
  )
  try {
    const line = readMatchingLine(child, /→/)
    await writeFile(join(workFolder, 'inbox/tea.md'), '# Tea')
    assert.equal(await line, 'tea.md → tea.html')
    assert.match(await readFile(join(workFolder, 'outbox/tea.html'), 'utf8'), /Tea/)
  } finally {
    child.kill()
  }
}

export const exampleCases: Readonly<Record<string, (installed: Installation) => Promise<void>>> = {
  ...Object.fromEntries(
    Object.entries(converters).map(([name, program]) => [
      `${name} converts a file and reports the error of a broken file`,
      (installed: Installation) => checkConverter(program, name, installed),
    ]),
  ),
  'webhook-receiver.mjs processes a repeated webhook once and rejects a wrong signature':
    checkWebhookReceiver,
  'watch-folder.mjs converts new files': checkFolderWatcher,
}
