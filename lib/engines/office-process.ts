import { type ChildProcess, spawn } from 'node:child_process'
import { constants, createWriteStream } from 'node:fs'
import { copyFile, lstat, mkdir, mkdtemp, open, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import * as z from 'zod'
import type { PageSetup } from './office-page.ts'
import { TextEnds } from './output.ts'
import { type SandboxedCommand, sandboxed } from './sandbox.ts'

/** The office or its bridge died, hung or could not start: another process may well convert the same document. */
export class OfficeCrash extends Error {
  override readonly name = 'OfficeCrash'
}

/** The office says that it cannot convert this document; another try would end the same way. */
export class OfficeRefusal extends Error {
  override readonly name = 'OfficeRefusal'
  readonly reason: 'password' | 'corrupt' | 'margins' | 'export'

  constructor(reason: OfficeRefusal['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

export interface OfficeRequest {
  readonly family: 'text' | 'sheet' | 'slides' | 'drawing'
  /** Import filters, tried in this order. */
  readonly sources: readonly OfficeFilter[]
  readonly target: OfficeFilter
  readonly page?: PageSetup
}

/** Names and options as LibreOffice's filter registry has them. */
export interface OfficeFilter {
  readonly filter: string
  readonly options?: string
  /** Bytes of an unknown encoding, to be made UTF-8 first. */
  readonly isText?: boolean
  /** The target shows pages on top of each other, so only the first is left. */
  readonly firstPageOnly?: boolean
  readonly data?: Readonly<Record<string, string | number | boolean>>
}

const OfficeFacts = z.object({
  pages: z.int().min(0).optional(),
  sheets: z.int().min(0).optional(),
  /** The document has brought fonts along, which stay loaded: the process must not see another document. */
  staleFonts: z.boolean(),
})
export type OfficeFacts = z.infer<typeof OfficeFacts>

export interface OfficeJob {
  readonly request: OfficeRequest
  readonly inputPath: string
  readonly inputExtension: string
  readonly outputPath: string
  readonly outputExtension: string
  readonly onLoaded: () => void
}

const BridgeEvent = z.discriminatedUnion('event', [
  z.object({ event: z.literal('ready'), residentKb: z.int() }),
  z.object({ event: z.literal('loaded') }),
  z.object({ event: z.literal('stalled') }),
  z.object({ event: z.literal('done'), facts: OfficeFacts }),
  z.object({
    event: z.literal('failed'),
    reason: z.enum(['password', 'corrupt', 'margins', 'export']),
    message: z.string(),
  }),
])
type BridgeEvent = z.infer<typeof BridgeEvent>

export interface OfficeProcess {
  readonly residentKb: number
  readonly alive: boolean
  /** One document; the caller waits for the end before it gives the next. @throws OfficeCrash, OfficeRefusal */
  convert(job: OfficeJob): Promise<OfficeFacts>
  /** Removes what the last document left. @throws OfficeCrash */
  clear(): Promise<void>
  /** Ends the whole tree, a conversion in progress included, and removes its folder. */
  kill(): Promise<void>
}

export interface OfficeSettings {
  /** Folder under which each process gets one of its own. */
  readonly baseDir: string
  /** Folder of the bridge, `layers/office`. */
  readonly bridgeDir: string
  /** Seconds without any computing after which a document counts as stuck. */
  readonly stallS: number
}

const startLimitMs = 60_000

/** Address space: the office maps about 1.3 GB before any document; a page-sized picture may take 400 MB. */
const memoryBytes = 4 * 1024 ** 3
const fileBytes = 2 * 1024 ** 3

/** A hundred documents take some 20 kB; more comes only from a bridge that is no longer ours. */
const maxEventBytes = 1024 * 1024

export const folderPrefix = 'mutabor-office-'

/** @throws OfficeCrash when the office cannot be reached in time. */
export async function startOffice(settings: OfficeSettings): Promise<OfficeProcess> {
  const folder = await mkdtemp(join(settings.baseDir, `${folderPrefix}${process.pid}-`))
  try {
    return await startIn(folder, settings)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

async function startIn(folder: string, { bridgeDir, stallS }: OfficeSettings): Promise<OfficeProcess> {
  await mkdir(join(folder, 'profile', 'user'), { recursive: true })
  const profile = 'registrymodifications.xcu'
  await copyFile(join(bridgeDir, profile), join(folder, 'profile', 'user', profile))
  const pipeName = basename(folder)
  const args = ['-B', join(bridgeDir, 'bridge.py'), folder, pipeName, String(stallS)]
  const command = await sandboxed('/usr/bin/python3', args, {
    workDir: folder,
    readOnly: [bridgeDir],
    limits: { memoryBytes, fileBytes },
  })
  const bridge = connect(command)
  const end = async () => {
    await bridge.kill()
    await rm(folder, { recursive: true, force: true })
    // Where the sandbox has no /tmp of its own the office's pipe outlives a kill.
    await rm(`/tmp/OSL_PIPE_${process.getuid?.()}_${pipeName}`, { force: true })
  }
  let ended: Promise<void> | undefined
  const kill = () => {
    ended ??= end()
    return ended
  }
  const timer = setTimeout(() => void bridge.kill(), startLimitMs)
  let residentKb: number
  try {
    residentKb = await bridge.ready()
  } catch (error) {
    await kill()
    throw error
  } finally {
    clearTimeout(timer)
  }
  return {
    get residentKb() {
      return residentKb
    },
    get alive() {
      return bridge.alive
    },
    convert: (job) => convert(bridge, command, folder, job),
    clear: async () => {
      bridge.send({ kind: 'clear' })
      residentKb = await bridge.ready()
    },
    kill,
  }
}

async function convert(
  bridge: Bridge,
  command: SandboxedCommand,
  folder: string,
  job: OfficeJob,
): Promise<OfficeFacts> {
  const input = `document.${job.inputExtension}`
  const output = `result.${job.outputExtension}`
  const inputPath = join(folder, input)
  // Never onto something that is there: an office under foreign control could have left a link.
  await copyFile(job.inputPath, inputPath, constants.COPYFILE_EXCL)
  await command.grant(inputPath)
  bridge.send({ kind: 'convert', input, output, ...job.request })
  for (;;) {
    const event = await bridge.next()
    switch (event.event) {
      case 'loaded':
        job.onLoaded()
        break
      case 'done':
        await takeOver(join(folder, output), job.outputPath)
        return event.facts
      case 'failed':
        throw new OfficeRefusal(event.reason, event.message)
      case 'stalled':
        throw new OfficeCrash('The office has stopped computing in the middle of a document.')
      case 'ready':
        throw new OfficeCrash('The bridge sent an event out of turn.')
    }
  }
}

/** Moves a result out of the sandbox's folder; what is no plain file there is not followed. */
async function takeOver(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EXDEV')) throw error
    await copyOut(from, to)
  }
  const stats = await lstat(to)
  if (stats.isFile() && stats.nlink === 1) return
  await rm(to, { recursive: true })
  throw new OfficeCrash('The result is no plain file.')
}

async function copyOut(from: string, to: string): Promise<void> {
  await using source = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  if (!(await source.stat()).isFile()) throw new OfficeCrash('The result is no plain file.')
  await pipeline(source.createReadStream({ autoClose: false }), createWriteStream(to))
}

interface Bridge {
  readonly alive: boolean
  send(message: object): void
  /** @throws OfficeCrash when the bridge ends before its next event. */
  next(): Promise<BridgeEvent>
  /** Waits for "ready" and gives the memory of the office in KiB. */
  ready(): Promise<number>
  kill(): Promise<void>
}

function connect(command: SandboxedCommand): Bridge {
  const child = spawn(command.file, command.args, {
    env: command.env,
    cwd: command.cwd,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const stderr = new TextEnds(16 * 1024)
  child.stderr.on('data', (chunk: Buffer) => stderr.add(chunk))
  // A dead reader is noticed by the end of its output; writing to it must not end us.
  child.stdin.on('error', () => undefined)
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', (error) => {
      stderr.add(Buffer.from(error.message))
      resolve()
    })
  })
  const reader = createInterface({ input: child.stdout })
  const lines = reader[Symbol.asyncIterator]()
  let alive = true
  void ended.then(() => {
    alive = false
    killGroup(child)
    // Not left to the end of the stream: whoever inherited it could keep it open.
    reader.close()
    child.stdout.destroy()
  })
  let heard = 0
  child.stdout.on('data', (chunk: Buffer) => {
    heard += chunk.length
    if (heard > maxEventBytes) killGroup(child)
  })
  const next = async (): Promise<BridgeEvent> => {
    const line = await lines.next()
    if (line.done === true) throw new OfficeCrash(`The office ended: ${stderr.toString().slice(-2000)}`)
    return BridgeEvent.parse(JSON.parse(line.value))
  }
  return {
    get alive() {
      return alive
    },
    send: (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    next,
    ready: async () => {
      const event = await next()
      if (event.event === 'ready') return event.residentKb
      throw new OfficeCrash(`The bridge sent "${event.event}" instead of "ready".`)
    },
    kill: async () => {
      if (alive) killGroup(child)
      await ended
    },
  }
}

/** What the leader of the group leaves behind goes with it. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
