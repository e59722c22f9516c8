import { spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import * as z from 'zod'
import type { SandboxedCommand } from '../sandbox/command.ts'
import { TruncatedOutput } from '../sandbox/output-buffers.ts'
import { killGroup } from '../sandbox/process-exit.ts'

/** The browser or one of its pages crashed or sent an invalid message; the document may work in another browser. */
export class BrowserCrash extends Error {
  override readonly name = 'BrowserCrash'
}

/** The browser could not start, for example because memory is short. The document is not the cause. */
export class BrowserStartFailure extends Error {
  override readonly name = 'BrowserStartFailure'
}

/** The browser replied that a command failed. */
export class BrowserRefusal extends Error {
  override readonly name = 'BrowserRefusal'
}

const Message = z.object({
  id: z.int().optional(),
  sessionId: z.string().optional(),
  method: z.string().optional(),
  params: z.record(z.string(), z.unknown()).default({}),
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
})

/** Enough for the largest screenshot; only a compromised browser sends more. */
const maxMessageBytes = 512 * 1024 * 1024

type EventListener = (method: string, params: Readonly<Record<string, unknown>>) => void

/** The DevTools protocol over two pipes, so that nothing on the network can control this browser. */
export interface BrowserPipe {
  readonly isAlive: boolean
  /** @throws BrowserCrash, BrowserRefusal. */
  call<T>(schema: z.ZodType<T>, method: string, params?: object, sessionId?: string): Promise<T>
  /** Receives events of one session, or of the browser itself for `''`, until the returned function is called. */
  listen(sessionId: string, listener: EventListener): () => void
  kill(): Promise<void>
}

interface PendingCall {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

/** Starts a browser and connects to it through its descriptors 3 and 4 (--remote-debugging-pipe). */
export function connectBrowser(command: SandboxedCommand): BrowserPipe {
  const child = spawn(command.file, command.args, {
    env: command.env,
    cwd: command.cwd,
    detached: true,
    // The browser reads from descriptor 3 and writes to 4.
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  })
  // Node's types allow either direction for these two descriptors.
  const [, , , toBrowser, fromBrowser] = child.stdio as unknown as [null, null, Readable, Writable, Readable]
  const stderr = new TruncatedOutput(16 * 1024)
  child.stderr?.on('data', (chunk: Buffer) => stderr.add(chunk))
  // The process's exit event reports a dead browser, so write errors are ignored.
  toBrowser.on('error', () => undefined)
  fromBrowser.on('error', () => undefined)
  const pendingCalls = new Map<number, PendingCall>()
  const listeners = new Map<string, EventListener>()
  let isAlive = true
  let lastId = 0

  const endedPromise = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', (error) => {
      stderr.add(Buffer.from(error.message))
      resolve()
    })
  }).then(() => {
    isAlive = false
    killGroup(child)
    fromBrowser.destroy()
    const crash = new BrowserCrash(`The browser exited: ${stderr.toString().slice(-2000)}`)
    for (const { reject } of pendingCalls.values()) reject(crash)
    pendingCalls.clear()
  })

  const receive = (text: string) => {
    const { id, sessionId, method, params, result, error } = Message.parse(JSON.parse(text))
    if (id === undefined) {
      if (method !== undefined) listeners.get(sessionId ?? '')?.(method, params)
      return
    }
    const call = pendingCalls.get(id)
    pendingCalls.delete(id)
    if (error) call?.reject(new BrowserRefusal(error.message))
    else call?.resolve(result)
  }
  readMessages(fromBrowser, receive, (reason) => {
    stderr.add(Buffer.from(reason))
    killGroup(child)
  })

  return {
    get isAlive() {
      return isAlive
    },
    call: async (schema, method, params = {}, sessionId) => {
      if (!isAlive) throw new BrowserCrash('The browser has exited.')
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      const id = ++lastId
      pendingCalls.set(id, { resolve, reject })
      toBrowser.write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
      return schema.parse(await promise)
    },
    listen: (sessionId, listener) => {
      listeners.set(sessionId, listener)
      return () => void listeners.delete(sessionId)
    },
    kill: async () => {
      if (isAlive) killGroup(child)
      await endedPromise
    },
  }
}

/** Splits the stream into messages, which end with a zero byte; the chunks of a large message are joined only once. */
function readMessages(
  stream: Readable,
  receive: (text: string) => void,
  giveUp: (reason: string) => void,
): void {
  let chunks: Buffer[] = []
  let size = 0
  stream.on('data', (chunk: Buffer) => {
    let remainingBytes = chunk
    try {
      for (let end = remainingBytes.indexOf(0); end >= 0; end = remainingBytes.indexOf(0)) {
        receive(Buffer.concat([...chunks, remainingBytes.subarray(0, end)]).toString('utf8'))
        chunks = []
        size = 0
        remainingBytes = remainingBytes.subarray(end + 1)
      }
    } catch (error) {
      // The message violates the protocol. Killing the browser rejects the waiting calls.
      giveUp(String(error))
      return
    }
    chunks.push(remainingBytes)
    size += remainingBytes.length
    if (size > maxMessageBytes) giveUp('A message from the browser was too long.')
  })
}
