import { readdirSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type {
  Chunk,
  Engine,
  EngineResult,
  HostedStep,
  HostSession,
  OutputFile,
  Tools,
} from '../engines/engine.ts'
import { fromMessage } from '../fidelity/content-summary.ts'
import type { Call, CalledProcess, CallLimits } from './decoder-process.ts'
import { getSafeExtension, placeFile, placeInputs, takeFile } from './engine-files.ts'
import {
  Chunks,
  EngineMessage,
  EngineOutput,
  type EngineRequest,
  type ExecMessage,
  outputFolder,
} from './engine-messages.ts'
import { deserializeError, serializeError } from './serialized-error.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Maximum number of programs that run at the same time; more than any engine needs. */
const maxRunningPrograms = 64
/** Maximum number of requests to the host that wait for a reply; more than a page has links. */
const maxPendingHostRequests = 50_000
/** Maximum number of messages of one call; more than any engine sends. */
const maxMessages = 200_000

/** Names and absolute paths that are allowed for programs, which run in a sandbox of their own. */
const programNamePattern = /^(?:\/usr\/bin\/)?[a-z0-9][a-z0-9._+-]{0,99}$/i
const readableFolders = [join(root, 'layers'), join(root, 'node_modules')]

type ResultMessage = Extract<EngineMessage, { type: 'result' }>

/** The result of a process, after its files were moved out of its folder. */
export type EngineReply = EngineResult | readonly Chunk[] | undefined

/** Runs the code of an engine in a process. The process sees only the files of one step. */
export class EngineCall implements Call<EngineReply> {
  readonly limits: CallLimits
  readonly waitingSince = undefined
  readonly #engine: Engine
  readonly #request: EngineRequest
  readonly #createTools: (process: CalledProcess) => Tools
  readonly #result = Promise.withResolvers<ResultMessage>()
  readonly #folderCleared = Promise.withResolvers<void>()
  /** Programs that are running, by id. */
  readonly #runningPrograms = new Map<number, AbortController>()
  readonly #programs = new Set<Promise<void>>()
  readonly #endController = new AbortController()
  #process: CalledProcess | undefined
  #tools: Tools | undefined
  /** Original paths of the inputs by their paths in the folder. */
  #inputs: ReadonlyMap<string, string> = new Map()
  #session: HostSession | undefined
  #pendingHostRequests = 0
  #hostFileCount = 0
  #messageCount = 0

  /** @param createTools creates the tools of the step with the folder of the process. */
  constructor(
    engine: Engine,
    request: EngineRequest,
    limits: CallLimits,
    createTools: (process: CalledProcess) => Tools,
  ) {
    this.#engine = engine
    this.#request = request
    this.limits = limits
    this.#createTools = createTools
    for (const { promise } of [this.#result, this.#folderCleared]) promise.catch(() => undefined)
  }

  /** Runs the engine in a process, and takes the result files. @throws AppError, EngineCrash, or an error for a bug. */
  async run(process: CalledProcess): Promise<EngineReply> {
    this.#process = process
    this.#tools = this.#createTools(process)
    const placedInputs = await placeInputs(this.#request, process)
    this.#inputs = placedInputs.paths
    process.send({ type: 'engine', engine: this.#engine.id, request: placedInputs.request })
    try {
      const result = await this.#result.promise
      return await this.#takeResult(result, placedInputs.paths).catch((error: unknown) => {
        // If the result files cannot be taken, a file may have taken over the process.
        process.kill('crash')
        throw error
      })
    } finally {
      for (const controller of this.#runningPrograms.values())
        controller.abort(new Error('the engine has ended'))
      await Promise.all(this.#programs)
      this.#endController.abort(new Error('the engine has ended'))
      await this.#clearFolder(process, placedInputs.paths.keys())
    }
  }

  onExit(error: Error): void {
    for (const pendingPromise of [this.#result, this.#folderCleared]) pendingPromise.reject(error)
  }

  async #takeResult(
    { value, images }: ResultMessage,
    inputs: ReadonlyMap<string, string>,
  ): Promise<EngineReply> {
    const { folder } = this.#process ?? { folder: '' }
    const { outDir } = this.#request.work
    const paths = new Map(inputs)
    let count = 0
    const take = async ({ path, ...file }: OutputFile): Promise<OutputFile> => {
      const input = inputs.get(path)
      if (input !== undefined) return { ...file, path: input }
      const to = join(outDir, `output-${++count}${getSafeExtension(path)}`)
      await takeFile(folder, relative(folder, path), to)
      paths.set(path, to)
      return { ...file, path: to }
    }
    if (this.#request.method !== 'split') {
      const { files, ...rest } = EngineOutput.parse(value)
      const takenFiles: OutputFile[] = []
      for (const file of files) takenFiles.push(await take(file as OutputFile))
      const [firstFile, ...otherFiles] = takenFiles
      if (!firstFile) throw new Error('the engine returned no file')
      return {
        ...(rest as Omit<EngineResult, 'files' | 'images'>),
        files: [firstFile, ...otherFiles],
        images: new Map(
          images.flatMap(({ path, summary }) => {
            const knownPath = paths.get(path)
            return knownPath === undefined ? [] : [[knownPath, fromMessage(summary)]]
          }),
        ),
      }
    }
    const chunks: Chunk[] = []
    for (const { spec, file } of Chunks.parse(value) ?? [])
      chunks.push({ spec, ...(file && { file: await take(file as OutputFile) }) })
    return value === null ? undefined : chunks
  }

  /**
   * Clears the folder. If an engine leaves files, which few engines do, the process itself deletes them: the service
   * cannot, because a running process could redirect a walk of its folders with symbolic links.
   */
  async #clearFolder(process: CalledProcess, inputs: Iterable<string>): Promise<void> {
    for (const path of inputs) rmSync(path, { force: true })
    if (hasNoLeftovers(process.folder)) return
    process.send({ type: 'clear' })
    await this.#folderCleared.promise
    if (!hasNoLeftovers(process.folder)) process.kill('crash')
  }

  onMessage(value: unknown): void {
    if (++this.#messageCount > maxMessages) throw new Error('too many messages')
    const message = EngineMessage.parse(value)
    switch (message.type) {
      case 'exec':
        if (this.#runningPrograms.size >= maxRunningPrograms) throw new Error('too many programs')
        this.#start(message)
        break
      case 'host':
        if (++this.#pendingHostRequests > maxPendingHostRequests)
          throw new Error('too many requests to the host')
        void this.#callHost(message)
        break
      case 'cancel':
        this.#runningPrograms.get(message.id)?.abort(new Error('cancelled by the engine'))
        break
      case 'progress':
        this.#tools?.progress(message.ratio, message.stage)
        break
      case 'warning':
        this.#tools?.warn(message.code, message.message, message.details)
        break
      case 'result':
        this.#result.resolve(message)
        break
      case 'error':
        this.#result.reject(deserializeError(message.error))
        break
      case 'cleared':
        this.#folderCleared.resolve()
    }
  }

  #start(message: ExecMessage): void {
    const program = this.#exec(message).finally(() => this.#programs.delete(program))
    this.#programs.add(program)
  }

  async #exec({ id, bin, args, options, sendsLines }: ExecMessage): Promise<void> {
    const stopController = new AbortController()
    this.#runningPrograms.set(id, stopController)
    const onLine = sendsLines
      ? { onLine: (line: string) => this.#process?.send({ type: 'line', id, line }) }
      : {}
    try {
      requireAllowedProgram(bin, options.readOnly ?? [])
      // The options have these types, but may contain `undefined`.
      const execOptions = options as Parameters<Tools['exec']>[2]
      const output = await this.#tools?.exec(bin, args, {
        ...execOptions,
        ...onLine,
        signal: stopController.signal,
      })
      this.#process?.send({ type: 'executed', id, ...(output && { output }) })
    } catch (error) {
      this.#process?.send({ type: 'executed', id, error: serializeError(error) })
    } finally {
      this.#runningPrograms.delete(id)
    }
  }

  async #callHost({ id, request }: Extract<EngineMessage, { type: 'host' }>): Promise<void> {
    const notify = (notice: unknown) => this.#process?.send({ type: 'notice', id, notice })
    try {
      const reply = await this.#openSession().answer(request, notify)
      this.#process?.send({ type: 'hosted', id, reply })
    } catch (error) {
      this.#process?.send({ type: 'hosted', id, error: serializeError(error) })
    } finally {
      this.#pendingHostRequests--
    }
  }

  #openSession(): HostSession {
    const [process, tools] = [this.#process, this.#tools]
    if (!process || !tools || !this.#engine.host) throw new Error(`${this.#engine.id} has no host`)
    const createPath = (extension: string) =>
      join(this.#request.work.outDir, `host-${++this.#hostFileCount}${extension}`)
    const endSignal = this.#endController.signal
    const step: HostedStep = {
      tools: {
        ...tools,
        exec: (bin, args, options) =>
          tools.exec(bin, args, {
            ...options,
            signal: AbortSignal.any([endSignal, options?.signal ?? endSignal]),
          }),
        signal: AbortSignal.any([tools.signal, endSignal]),
      },
      createPath,
      take: async (path) => {
        endSignal.throwIfAborted()
        const input = this.#inputs.get(path)
        if (input !== undefined) return input
        const to = createPath(getSafeExtension(path))
        await takeFile(process.folder, relative(process.folder, path), to)
        return to
      },
      give: async (path, to) => {
        endSignal.throwIfAborted()
        if (dirname(to) !== process.folder) throw new Error('expected a path directly in the folder')
        await placeFile(path, to)
        await process.grant(to)
      },
    }
    this.#session ??= this.#engine.host.serve(step)
    return this.#session
  }
}

const hasNoLeftovers = (folder: string): boolean =>
  readdirSync(folder).join('/') === outputFolder && readdirSync(join(folder, outputFolder)).length === 0

/** Rejects other programs, because programs start with the permissions of the service before they are sandboxed. */
function requireAllowedProgram(bin: string, readOnly: readonly string[]): void {
  if (bin !== process.execPath && !programNamePattern.test(bin))
    throw new Error('expected the name of a program')
  for (const path of readOnly) {
    const isAllowed =
      path === process.execPath ||
      readableFolders.some((folder) => {
        const relativePath = relative(folder, path)
        return relativePath !== '' && !relativePath.startsWith('..') && !relativePath.startsWith('/')
      })
    if (!isAllowed) throw new Error(`a program may not read ${path}`)
  }
}
