import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { processEnvironment } from '../../config.ts'
import type { SandboxedCommand, SandboxOptions } from './command.ts'
import type { Way } from './launchers.ts'
import { killGroup } from './process-exit.ts'

const program = fileURLToPath(new URL('../../../layers/sandbox/escape-test.pl', import.meta.url))

/** What an intruder can get; true where it was held, or stands in a namespace of its own. */
const things = [
  ...(['secrets', 'network', 'signals', 'files', 'kill'] as const),
  ...(['memory', 'file-size', 'processes', 'processor', 'core'] as const),
  ...(['pid', 'net'] as const),
] as const
type Thing = (typeof things)[number]
/** `runs` is whether a program could be started at all. */
export type Findings = Readonly<Record<Thing | 'runs', boolean>>

/** For a start on a machine that has much else to do, and for the end of all that was started. */
const [startMs, killMs] = [15_000, 5000]
const MB = 1024 * 1024
const limits = { memoryBytes: 1024 * MB, fileBytes: MB, cpuS: 60 } as const

type Start = (bin: string, args: readonly string[], options: SandboxOptions) => Promise<SandboxedCommand>

/** Sends layers/sandbox/escape-test.pl the way that engines go, and sees how far it comes. */
export async function intrude({ processes }: Pick<Way, 'processes'>, start: Start): Promise<Findings> {
  const base = await mkdtemp(join(tmpdir(), 'mutabor-check-'))
  const targets = await openTargets()
  try {
    const [workDir, folder] = [join(base, 'job'), join(base, 'other')]
    await Promise.all([mkdir(workDir), mkdir(folder)])
    await writeFile(join(folder, 'secret'), 'of another job')
    const wishes = {
      ...{ pid: process.pid, began: await beganAt(), folder, ...targets.addresses },
      api: processEnvironment['AWS_LAMBDA_RUNTIME_API'] ?? '',
      ...{ memory: limits.memoryBytes, file: limits.fileBytes },
      ...{ processes, processor: limits.cpuS, core: 0 },
    }
    const words = Object.entries(wishes).map(([name, value]) => `${name}=${value}`)
    const args = [program, ...words]
    const command = await start('/usr/bin/perl', args, { workDir, limits, readOnly: [program] })
    return await watch(command, targets.reached)
  } catch {
    return nothingHeld
  } finally {
    targets.close()
    await rm(base, { recursive: true, force: true, maxRetries: 5 })
  }
}

const nothingHeld = Object.fromEntries([...things, 'runs'].map((thing) => [thing, false])) as Findings // all of its keys

async function watch(command: SandboxedCommand, reached: () => boolean): Promise<Findings> {
  const child = spawn(command.file, command.args, {
    ...{ env: command.env, cwd: command.cwd, detached: true },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  try {
    const said = await wordsOf(child)
    const got = (thing: Thing) => said.some((line) => line === thing)
    const isOwn = async (namespace: 'pid' | 'net') =>
      said.includes(`${namespace} ${await readlink(`/proc/self/ns/${namespace}`)}`) === false
    const findings = {
      ...Object.fromEntries(things.map((thing) => [thing, !got(thing)])),
      runs: said.includes('ran'),
      ...{ pid: await isOwn('pid'), net: await isOwn('net') },
    } as Findings // all of its keys
    const network = findings.network && !reached()
    // Who could leave or be helped by others needs not be waited for.
    const kill = findings.runs && network && findings.signals && (await diesOf(child))
    return { ...findings, kill, network }
  } finally {
    killGroup(child)
    // Who survives it holds the other end.
    child.stdout?.destroy()
  }
}

/** What it says until it has tried all. */
async function wordsOf(child: ChildProcess): Promise<string[]> {
  const lines: string[] = []
  if (!child.stdout) return lines
  const all = Promise.withResolvers<void>()
  createInterface({ input: child.stdout })
    .on('line', (line) => {
      lines.push(line)
      if (line === 'ran') all.resolve()
    })
    .on('close', all.resolve)
  child.once('error', () => all.resolve())
  const late = setTimeout(all.resolve, startMs)
  await all.promise
  clearTimeout(late)
  return lines
}

/** Whether a kill ends it with all that it has started: what lives on holds its output open. */
async function diesOf(child: ChildProcess): Promise<boolean> {
  if (child.pid === undefined) return false
  const closed = once(child, 'close').then(() => true)
  killGroup(child)
  const late = new AbortController()
  const outcome = await Promise.race([
    closed,
    sleep(killMs, false, { signal: late.signal }).catch(() => false),
  ])
  late.abort()
  child.stdout?.destroy()
  return outcome
}

/** Servers that nobody knows but the intruder. */
async function openTargets() {
  let count = 0
  const name = `mutabor-${randomUUID()}`
  const onConnection = (socket?: Socket) => {
    count++
    // Who survives would keep it open, and us waiting.
    socket?.destroy()
  }
  const [tcp, local, udp] = [
    createServer(onConnection),
    createServer(onConnection),
    createSocket('udp4', () => onConnection()),
  ]
  const listening = (server: Server, ...at: [number, string] | [string]) => {
    server.listen(...(at as [string]))
    return once(server, 'listening')
  }
  udp.bind(0, '127.0.0.1')
  await Promise.all([listening(tcp, 0, '127.0.0.1'), listening(local, `\0${name}`), once(udp, 'listening')])
  const { port } = tcp.address() as AddressInfo // it listens on a port, not on a path
  return {
    addresses: { tcp: port, udp: udp.address().port, name },
    reached: () => count > 0,
    close: () => {
      tcp.close()
      local.close()
      udp.close()
    },
  }
}

/** When this process began: proc(5), field 22 of its stat. */
async function beganAt(): Promise<string> {
  const stat = await readFile('/proc/self/stat', 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}
