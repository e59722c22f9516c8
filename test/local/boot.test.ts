import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { type AnyStep, startSteps } from '../../lib/local/runtime/boot.ts'
import { findPidsWithEnvironment } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

interface Parts {
  disk: string
  server: string
  port: number
}

interface Inputs {
  readonly events: string[]
}

const names = ['disk', 'server', 'port'] as const

/** Creates steps that record their calls. `changes` replaces methods of some steps. */
function createSteps(
  changes: { [Name in keyof Parts]?: Partial<AnyStep<Inputs, Parts>> } = {},
): AnyStep<Inputs, Parts>[] {
  const values: Parts = { disk: 'open', server: 'running', port: 80 }
  return names.map(
    (name) =>
      ({
        name,
        start: ({ events }: Inputs) => {
          events.push(`start ${name}`)
          return values[name]
        },
        stop: ({ events }: Inputs) => events.push(`stop ${name}`),
        ...changes[name],
      }) as AnyStep<Inputs, Parts>, // `values` has the right type for each name
  )
}

const fail = (message: string) => () => Promise.reject(new Error(message))

test('service components start in the order of their list and stop in reverse order', async () => {
  const events: string[] = []
  const { parts, stop } = await startSteps(createSteps(), { events })
  assert.deepEqual(parts, { events, disk: 'open', server: 'running', port: 80 })
  assert.deepEqual(events.splice(0), ['start disk', 'start server', 'start port'])
  await stop()
  assert.deepEqual(events, ['stop port', 'stop server', 'stop disk'])
})

test('if a service component fails to start, the components started before it are stopped', async () => {
  const events: string[] = []
  const steps = createSteps({ port: { start: fail('port in use') } })
  await assert.rejects(startSteps(steps, { events }), { message: 'port in use' })
  assert.deepEqual(events, ['start disk', 'start server', 'stop server', 'stop disk'])
})

test('all other service components stop even if one component fails to stop', async () => {
  const events: string[] = []
  const { stop } = await startSteps(createSteps({ server: { stop: fail('hangs') } }), { events })
  await assert.rejects(stop(), { message: 'hangs' })
  assert.deepEqual(events.slice(3), ['stop port', 'stop disk'])
})

test('a service component can wait for one that starts later', async () => {
  let laterPort: Promise<number> | undefined
  const start: AnyStep<Inputs, Parts>['start'] = (_, wait) => {
    laterPort = wait('port')
    return 'open'
  }
  await startSteps(createSteps({ disk: { start } }), { events: [] })
  assert.equal(await laterPort, 80)
})

test('a service whose port is in use reports it, leaves no process behind and can start again', async (t) => {
  const dir = scratchFolder('boot')
  const portServer = createServer().listen(0, '127.0.0.1')
  await once(portServer, 'listening')
  t.after(() => portServer.close())
  const { port } = portServer.address() as AddressInfo
  const start = async (env: Record<string, string>) => {
    const child = spawn(process.execPath, ['lib/local/commands/start.ts'], {
      env: { ...process.env, DATA_DIR: dir, MIN_FREE_DISK_GB: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk
        if (output.includes('Mutabor is ready')) child.kill('SIGTERM')
      })
    const [code] = await once(child, 'close')
    return { code, output }
  }
  const refusedStart = await start({ PORT: String(port), HOST: '127.0.0.1' })
  assert.match(refusedStart.output, new RegExp(`Port ${port} on 127.0.0.1 is in use`))
  assert.equal(refusedStart.code, 1)
  assert.deepEqual(findPidsWithEnvironment(dir), [])
  assert.equal((await start({ PORT: '0' })).code, 0)
  assert.deepEqual(findPidsWithEnvironment(dir), [])
})
