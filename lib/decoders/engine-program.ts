/**
 * The program of a process that runs the code of engines, which reads files of clients. The service, which holds the
 * keys, runs in another process. Programs that engines use are started by the service, in a sandbox of their own. This
 * program exits when the service closes its input.
 */
import { lstatSync, mkdirSync, writeSync } from 'node:fs'
import { copyFile, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Chunk, EngineResult, ExecOptions, OutputFile, Tools } from '../engines/engine.ts'
import { removeSpecialFiles } from '../engines/sandbox/work-folder.ts'
import { callEngine } from './call-engine.ts'
import {
  type EngineMessage,
  type EngineRequest,
  type EngineServiceMessage,
  type ImageSummary,
  outputFolder,
  truncateWarning,
} from './engine-messages.ts'
import { engineModules } from './engine-modules.ts'
import { encodeFrame, FrameReader } from './frames.ts'
import { deserializeError, serializeError } from './serialized-error.ts'

/** Messages have a separate descriptor, because libraries may print to standard output. */
const outputFd = 3
const folder = process.cwd()

let queuedFrames: Uint8Array[] = []

const maxDelayMs = 50

/** Delays progress and warnings, so that they are sent with the next message: each write wakes the service. */
function queue(message: EngineMessage): void {
  if (queuedFrames.length === 0) setTimeout(flush, maxDelayMs)
  queuedFrames.push(...encodeFrame(message))
}

function send(message: EngineMessage | { readonly type: 'ready' }): void {
  queuedFrames.push(...encodeFrame(message))
  flush()
}

function flush(): void {
  const bytes = Buffer.concat(queuedFrames)
  queuedFrames = []
  for (let at = 0; at < bytes.length; ) at += writeSync(outputFd, bytes, at, bytes.length - at)
}

interface RunningProgram extends PromiseWithResolvers<{ stdout: string; stderr: string }> {
  readonly onLine: ExecOptions['onLine']
}

const programsByCallId = new Map<number, RunningProgram>()

interface HostRequest extends PromiseWithResolvers<unknown> {
  readonly onNotice: ((notice: unknown) => void) | undefined
}

const hostRequests = new Map<number, HostRequest>()
let lastId = 0

const host: Tools['host'] = async (request, onNotice) => {
  const id = ++lastId
  const pendingRequest: HostRequest = { ...Promise.withResolvers(), onNotice }
  hostRequests.set(id, pendingRequest)
  send({ type: 'host', id, request })
  try {
    return await pendingRequest.promise
  } finally {
    hostRequests.delete(id)
  }
}

const exec: Tools['exec'] = async (bin, args, options = {}) => {
  const { onLine, signal, prestarted: _, ...rest } = options
  signal?.throwIfAborted()
  const id = ++lastId
  const call: RunningProgram = { ...Promise.withResolvers(), onLine }
  programsByCallId.set(id, call)
  send({
    type: 'exec',
    id,
    bin,
    args: [...args],
    // The options have the types of the message, but are read-only.
    options: rest as Extract<EngineMessage, { type: 'exec' }>['options'],
    sendsLines: onLine !== undefined,
  })
  const onAbort = () => send({ type: 'cancel', id })
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    return await call.promise
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    programsByCallId.delete(id)
    if (programsByCallId.size === 0) await removeSpecialFiles(folder)
    signal?.removeEventListener('abort', onAbort)
  }
}

/** Created for each call, because engines use this object as the key of the warnings that they have sent. */
const createTools = (): Tools => ({
  exec,
  host,
  progress: (ratio, stage) => queue({ type: 'progress', ratio, ...(stage !== undefined && { stage }) }),
  warn: (code, message, details) =>
    queue({ type: 'warning', code, message: truncateWarning(message), details }),
  // Never aborted: the service ends the process instead.
  signal: new AbortController().signal,
  workDir: folder,
})

type EngineCallMessage = Extract<EngineServiceMessage, { type: 'engine' }>

const listOutputs = (value: EngineResult | readonly Chunk[] | null): readonly OutputFile[] => {
  if (value === null) return []
  return 'files' in value ? value.files : value.flatMap(({ file }) => file ?? [])
}

function getInputPaths(request: EngineRequest): ReadonlySet<string> {
  const results = request.method === 'join' ? request.results.flatMap(({ files }) => files) : []
  return new Set([...request.work.inputs, ...results].map(({ path }) => path))
}

/** Summarizes the images among the inputs and results of a step. */
async function countImages({ method, work }: EngineRequest, outputs: readonly OutputFile[]) {
  if (method !== 'run' || work.chunk) return []
  // Imported on demand, so that an idle process uses little memory.
  const { countImage } = await import('./count-image.ts')
  const images: ImageSummary[] = []
  for (const { path, format = work.to } of [...work.inputs, ...outputs]) {
    const summary = await countImage(path, format)
    if (summary) images.push({ path, summary })
  }
  return images
}

/**
 * Replaces a hard link, which an archive may contain, with a copy of the file. The service refuses output files with
 * more than one link, because another link may be outside this folder.
 */
async function replaceHardLink(path: string): Promise<void> {
  if (lstatSync(path).nlink === 1) return
  const copy = join(folder, 'copy')
  await copyFile(path, copy)
  await rename(copy, path)
}

async function answer({ engine: id, request }: EngineCallMessage): Promise<void> {
  try {
    const engine = await engineModules[id]()
    const value = (await callEngine(engine, request, createTools())) ?? null
    const inputs = getInputPaths(request)
    const outputs = listOutputs(value).filter(({ path }) => !inputs.has(path))
    for (const { path } of outputs) await replaceHardLink(path)
    send({ type: 'result', value, images: await countImages(request, outputs) })
  } catch (error) {
    send({ type: 'error', error: serializeError(error) })
  }
}

async function clear(): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true })
  mkdirSync(join(folder, outputFolder))
  send({ type: 'cleared' })
}

function receive(message: EngineServiceMessage): void {
  switch (message.type) {
    case 'engine':
      void answer(message)
      break
    case 'line':
      programsByCallId.get(message.id)?.onLine?.(message.line)
      break
    case 'executed': {
      const call = programsByCallId.get(message.id)
      if (message.output) call?.resolve(message.output)
      else if (message.error) call?.reject(deserializeError(message.error))
      break
    }
    case 'notice':
      hostRequests.get(message.id)?.onNotice?.(message.notice)
      break
    case 'hosted':
      if (message.error) hostRequests.get(message.id)?.reject(deserializeError(message.error))
      else hostRequests.get(message.id)?.resolve(message.reply)
      break
    case 'clear':
      void clear()
  }
}

const frames = new FrameReader(Number.POSITIVE_INFINITY)
process.stdin.on('data', (chunk: Buffer) => {
  // Only the service writes to this stream, so the messages need no checks.
  for (const message of frames.add(chunk)) receive(message as EngineServiceMessage)
})
process.stdin.on('end', () => process.exit(0))
mkdirSync(join(folder, outputFolder))
send({ type: 'ready' })
