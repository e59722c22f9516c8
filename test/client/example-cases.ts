import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { signatureHeaders } from '../../lib/webhooks/signatures.ts'
import { waitUntil } from '../wait-until.ts'

const run = promisify(execFile)

/** Where the package is installed, and the service. */
export interface Installed {
  readonly folder: string
  readonly url: string
}

const example = (folder: string, name: string) => join(folder, 'node_modules/@mutabor/client/examples', name)

/** Each is called as its first line says, and makes the file that it names. */
const converters = {
  'convert.sh': 'sh',
  'convert.mjs': process.execPath,
  'convert.py': '/usr/bin/python3',
  'convert.php': 'php',
}

async function convertsBy(program: string, name: string, { folder, url }: Installed): Promise<void> {
  const place = join(folder, name.replace('.', '-'))
  await mkdir(place)
  await writeFile(join(place, 'tea.md'), '# Tea\n\nA cup of it.\n')
  await writeFile(join(place, 'bad.png'), 'no picture')
  const env = { ...process.env, MUTABOR_URL: url, MUTABOR_API_KEY: '' }
  const { stdout } = await run(program, [example(folder, name), 'tea.md', 'html'], { cwd: place, env })
  assert.equal(stdout.trim().split('\n').at(-1), 'tea.html')
  assert.match(await readFile(join(place, 'tea.html'), 'utf8'), /A cup of it\./)
  const failure = run(program, [example(folder, name), 'bad.png', 'webp'], { cwd: place, env })
  await assert.rejects(failure, (error: { code: number; stderr: string }) => {
    assert.equal(error.code, 1)
    assert.match(error.stderr, /CORRUPT_FILE/)
    return true
  })
}

async function firstLine(child: ChildProcess, wanted: RegExp): Promise<string> {
  if (child.stdout)
    for await (const line of createInterface({ input: child.stdout })) if (wanted.test(line)) return line
  throw new Error('it ended without a word')
}

async function receives({ folder }: Installed): Promise<void> {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: '0' }
  const child = spawn(process.execPath, [example(folder, 'webhook-receiver.mjs')], { env })
  try {
    const told: string[] = []
    const lines = createInterface({ input: child.stdout })
    lines.on('line', (line) => told.push(line))
    await waitUntil(() => told.length > 0, 'the receiver listens')
    const port = /\d+$/.exec(told[0] ?? '')?.[0]
    const body = Buffer.from('{"event":"job.completed","id":"evt_1","job":{"id":"job_1"}}')
    const headers = signatureHeaders({ id: 'evt_1', body, at: new Date() }, [secret])
    const send = (signed: Record<string, string>) =>
      fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers: signed })
    assert.equal((await send(headers)).status, 204)
    assert.equal((await send(headers)).status, 204)
    assert.equal((await send({ ...headers, 'webhook-signature': 'v1,AAAA' })).status, 401)
    assert.deepEqual(told.slice(1), ['job.completed job_1'])
  } finally {
    child.kill()
  }
}

async function watches({ folder, url }: Installed): Promise<void> {
  const place = join(folder, 'watched')
  await mkdir(join(place, 'inbox'), { recursive: true })
  const env = { ...process.env, MUTABOR_URL: url }
  const child = spawn(process.execPath, [example(folder, 'watch-folder.mjs'), 'inbox', 'html', 'outbox'], {
    cwd: place,
    env,
  })
  try {
    const line = firstLine(child, /→/)
    await writeFile(join(place, 'inbox/tea.md'), '# Tea')
    assert.equal(await line, 'tea.md → tea.html')
    assert.match(await readFile(join(place, 'outbox/tea.html'), 'utf8'), /Tea/)
  } finally {
    child.kill()
  }
}

export const exampleCases: Readonly<Record<string, (installed: Installed) => Promise<void>>> = {
  ...Object.fromEntries(
    Object.entries(converters).map(([name, program]) => [
      `${name} converts a file and tells what is wrong with another`,
      (installed: Installed) => convertsBy(program, name, installed),
    ]),
  ),
  'webhook-receiver.mjs believes what is signed, once': receives,
  'watch-folder.mjs converts what arrives': watches,
}
