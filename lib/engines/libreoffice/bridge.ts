import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import * as z from 'zod'
import type { SandboxedCommand } from '../sandbox/command.ts'
import { TruncatedOutput } from '../sandbox/output-buffers.ts'
import { killGroup } from '../sandbox/process-exit.ts'

/** LibreOffice or its bridge crashed, hung or did not start: another process may convert the same document. */
export class OfficeCrash extends Error {
  override readonly name = 'OfficeCrash'
}

/** LibreOffice could not start, because it is not installed or memory is short. The document is not the cause. */
export class OfficeStartFailure extends OfficeCrash {}

export const OfficeFacts = z.object({
  pages: z.int().min(0).optional(),
  sheets: z.int().min(0).optional(),
  /** Number of text shapes that are lost because a sheet is converted to a text table. */
  shapes: z.int().min(0).optional(),
  /** Number of words in these shapes. */
  shapeWords: z.int().min(0).optional(),
  /** Hidden sheets, rows and columns that are not empty; for a table target, only those of the converted sheet. */
  hidden: z.object({ sheets: z.int(), rows: z.int(), columns: z.int() }).optional(),
  /** Fonts that the document uses but that are not installed, with their substitutes. */
  fonts: z.array(z.object({ name: z.string(), replacement: z.string() })).optional(),
  /** Parts of a Word document with text that are missing, or of which only the beginning could be read. */
  damagedParts: z.array(z.string()).optional(),
  /** Number of characters for which no font has a glyph, and the first few of them. */
  missingGlyphs: z
    .object({
      total: z.int(),
      characters: z.array(z.object({ character: z.string(), count: z.int() })),
    })
    .optional(),
})
export type OfficeFacts = z.infer<typeof OfficeFacts>

const OfficeCondition = z.object({
  /** Resident memory of LibreOffice in KiB. */
  residentKb: z.int(),
  /** Whether a document had embedded fonts, which stay loaded and could appear in the next document. */
  staleFonts: z.boolean(),
})
export type OfficeCondition = z.infer<typeof OfficeCondition>

const BridgeEvent = z.discriminatedUnion('event', [
  OfficeCondition.extend({ event: z.literal('ready') }),
  z.object({ event: z.literal('loaded') }),
  z.object({ event: z.literal('stalled') }),
  z.object({ event: z.literal('done'), facts: OfficeFacts }),
  z.object({
    event: z.literal('failed'),
    reason: z.enum(['password', 'corrupt', 'margins', 'export', 'wide']),
    message: z.string(),
  }),
])
type BridgeEvent = z.infer<typeof BridgeEvent>

/** A hundred documents produce about 20 kB; only a compromised bridge sends this much. */
const maxEventBytes = 1024 * 1024

/** Connection to `layers/office/bridge.py`: JSON messages, one per line. */
export interface Bridge {
  readonly isAlive: boolean
  send(message: object): void
  /** @throws OfficeCrash when the bridge ends before its next event. */
  next(): Promise<BridgeEvent>
  /** Waits for the next event, which must be "ready". */
  ready(): Promise<OfficeCondition>
  kill(): Promise<void>
}

/** Starts a bridge and connects to it. */
export function connectBridge(command: SandboxedCommand): Bridge {
  const child = spawn(command.file, command.args, {
    env: command.env,
    cwd: command.cwd,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const stderr = new TruncatedOutput(16 * 1024)
  child.stderr.on('data', (chunk: Buffer) => stderr.add(chunk))
  // When the bridge dies, the end of its output reports that. A write error must not crash this process.
  child.stdin.on('error', () => undefined)
  const exitPromise = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', (error) => {
      stderr.add(Buffer.from(error.message))
      resolve()
    })
  })
  const reader = createInterface({ input: child.stdout })
  const lines = reader[Symbol.asyncIterator]()
  let isAlive = true
  void exitPromise.then(() => {
    isAlive = false
    killGroup(child)
    // Don't wait for the end of the stream: a child process that inherited it could keep it open.
    reader.close()
    child.stdout.destroy()
  })
  let receivedBytes = 0
  child.stdout.on('data', (chunk: Buffer) => {
    receivedBytes += chunk.length
    if (receivedBytes > maxEventBytes) killGroup(child)
  })
  const next = async (): Promise<BridgeEvent> => {
    const line = await lines.next()
    if (line.done === true) throw new OfficeCrash(`LibreOffice exited: ${stderr.toString().slice(-2000)}`)
    return parseEvent(line.value)
  }
  return {
    get isAlive() {
      return isAlive
    },
    send: (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    next,
    ready: async () => {
      const event = await next()
      if (event.event === 'ready') return event
      throw new OfficeCrash(`The bridge sent "${event.event}" instead of "ready".`)
    },
    kill: async () => {
      if (isAlive) killGroup(child)
      await exitPromise
    },
  }
}

function parseEvent(line: string): BridgeEvent {
  try {
    return BridgeEvent.parse(JSON.parse(line))
  } catch (cause) {
    throw new OfficeCrash('The bridge sent an invalid event.', { cause })
  }
}
