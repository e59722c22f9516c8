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
import type { Launcher } from './launchers.ts'
import { killGroup } from './process-exit.ts'

const testScript = fileURLToPath(new URL('../../../layers/sandbox/escape-test.pl', import.meta.url))

/** Checks of the escape test. A check is true if the attack failed or the process has its own namespace. */
const checks = [
  ...(['secrets', 'network', 'signals', 'files', 'kill'] as const),
  ...(['memory', 'file-size', 'processes', 'processor', 'core'] as const),
  ...(['pid', 'net'] as const),
] as const
type Check = (typeof checks)[number]
/** All checks, and `runs`, which is false if the program could not be started at all. */
export type EscapeTestResult = Readonly<Record<Check | 'runs', boolean>>

/** Time limits in milliseconds: for the start on a busy machine, and for the end of all processes after a kill. */
const [startMs, killMs] = [15_000, 5000]
const MB = 1024 * 1024
const limits = { memoryBytes: 1024 * MB, fileBytes: MB, cpuS: 60 } as const

type BuildCommand = (
  bin: string,
  args: readonly string[],
  options: SandboxOptions,
) => Promise<SandboxedCommand>

/** Runs layers/sandbox/escape-test.pl with a launcher, as engines are run, and returns which attacks it prevents. */
export async function runEscapeTest(
  { maxProcesses }: Pick<Launcher, 'maxProcesses'>,
  buildCommand: BuildCommand,
): Promise<EscapeTestResult> {
  const base = await mkdtemp(join(tmpdir(), 'mutabor-check-'))
  const targets = await openTargets()
  try {
    const [workDir, folder] = [join(base, 'job'), join(base, 'other')]
    await Promise.all([mkdir(workDir), mkdir(folder)])
    await writeFile(join(folder, 'secret'), 'secret of another job')
    const settings = {
      pid: process.pid,
      began: await readProcessStartTime(),
      folder,
      ...targets.addresses,
      api: processEnvironment['AWS_LAMBDA_RUNTIME_API'] ?? '',
      memory: limits.memoryBytes,
      file: limits.fileBytes,
      processes: maxProcesses,
      processor: limits.cpuS,
      core: 0,
    }
    const settingArgs = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
    const args = [testScript, ...settingArgs]
    const command = await buildCommand('/usr/bin/perl', args, { workDir, limits, readOnly: [testScript] })
    return await observeChecks(command, targets.reached)
  } catch {
    return failedResult
  } finally {
    targets.close()
    await rm(base, { recursive: true, force: true, maxRetries: 5 })
  }
}

// The cast is safe, because the object has all keys of the type.
const failedResult = Object.fromEntries(
  [...checks, 'runs'].map((check) => [check, false]),
) as EscapeTestResult

async function observeChecks(
  command: SandboxedCommand,
  wasReached: () => boolean,
): Promise<EscapeTestResult> {
  const child = spawn(command.file, command.args, {
    env: command.env,
    cwd: command.cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  try {
    const lines = await readLines(child)
    const isEscape = (check: Check) => lines.some((line) => line === check)
    const hasOwnNamespace = async (namespace: 'pid' | 'net') =>
      lines.includes(`${namespace} ${await readlink(`/proc/self/ns/${namespace}`)}`) === false
    const result = {
      ...Object.fromEntries(checks.map((check) => [check, !isEscape(check)])),
      runs: lines.includes('ran'),
      pid: await hasOwnNamespace('pid'),
      net: await hasOwnNamespace('net'),
    } as EscapeTestResult // all of its keys
    const network = result.network && !wasReached()
    // Skips the wait if another check already shows that the process can escape or get help from outside.
    const kill = result.runs && network && result.signals && (await diesWhenKilled(child))
    return { ...result, kill, network }
  } finally {
    killGroup(child)
    // Surviving processes keep the other end of the pipe open.
    child.stdout?.destroy()
  }
}

/** Returns the lines that the script prints until it has run all checks or has ended, or until the start times out. */
async function readLines(child: ChildProcess): Promise<string[]> {
  const lines: string[] = []
  if (!child.stdout) return lines
  const finishedEvent = Promise.withResolvers<void>()
  createInterface({ input: child.stdout })
    .on('line', (line) => {
      lines.push(line)
      if (line === 'ran') finishedEvent.resolve()
    })
    .on('close', finishedEvent.resolve)
  child.once('error', () => finishedEvent.resolve())
  const timer = setTimeout(finishedEvent.resolve, startMs)
  await finishedEvent.promise
  clearTimeout(timer)
  return lines
}

/** Whether a kill ends the process and all its children. Survivors keep its output open, so `close` does not fire. */
async function diesWhenKilled(child: ChildProcess): Promise<boolean> {
  if (child.pid === undefined) return false
  const closePromise = once(child, 'close').then(() => true)
  killGroup(child)
  const timeoutController = new AbortController()
  const isDead = await Promise.race([
    closePromise,
    sleep(killMs, false, { signal: timeoutController.signal }).catch(() => false),
  ])
  timeoutController.abort()
  child.stdout?.destroy()
  return isDead
}

/** Starts servers that only the test script connects to. */
async function openTargets() {
  let count = 0
  const name = `mutabor-${randomUUID()}`
  const onConnection = (socket?: Socket) => {
    count++
    // A surviving process would keep the connection open and delay the shutdown of the server.
    socket?.destroy()
  }
  const [tcp, local, udp] = [
    createServer(onConnection),
    createServer(onConnection),
    createSocket('udp4', () => onConnection()),
  ]
  const startListening = (server: Server, ...at: [number, string] | [string]) => {
    server.listen(...(at as [string])) // `listen` has no overload for a union of tuples
    return once(server, 'listening')
  }
  udp.bind(0, '127.0.0.1')
  await Promise.all([
    startListening(tcp, 0, '127.0.0.1'),
    startListening(local, `\0${name}`),
    once(udp, 'listening'),
  ])
  const { port } = tcp.address() as AddressInfo // `address()` returns a string only for a server on a socket path.
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

/** Returns the start time of this process in clock ticks: field 22 of /proc/self/stat, see proc(5). */
async function readProcessStartTime(): Promise<string> {
  const stat = await readFile('/proc/self/stat', 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}
