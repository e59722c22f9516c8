import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import nodeEnvironment from '../../lib/local/node-environment.json' with { type: 'json' }
import nodeFlags from '../../lib/local/node-flags.json' with { type: 'json' }
import type { Fidelity } from '../../lib/model/fidelity.ts'
import { watch } from './openapi-checker.ts'
import { fetchWithRetries } from './retrying-fetch.ts'

/** Log of authorization decisions: if set, each function is a separate process with the permissions of its role. */
const rightsLog = process.env['RIGHTS_LOG']
const start = fileURLToPath(
  new URL(
    rightsLog ? '../permissions/start-isolated.ts' : '../../lib/local/commands/start.ts',
    import.meta.url,
  ),
)
/** Settings that isolate functions as in a deployment. */
const isolatedSettings = { REQUEST_BODIES: 'whole', TASK_FILES: 'signed' }

export interface TestService {
  readonly url: string
  readonly dataDir: string
  readonly pid: number
  /** Stops the service as an operator would, and deletes its data. */
  stop(): Promise<void>
  /** Stops the service as an operator would; the data stays. */
  end(): Promise<void>
  /** Kills the service with SIGKILL; the data stays. */
  kill(): Promise<void>
}

/**
 * Starts the real service as a separate process, or as a child of `wrapper`, with an empty data folder and free ports.
 */
export async function startService(
  env: Record<string, string> = {},
  dataDir?: string,
  wrapper: readonly string[] = [],
): Promise<TestService> {
  const dir = dataDir ?? (await mkdtemp(join(tmpdir(), 'mutabor-test-')))
  const [program = '', ...args] = [...wrapper, process.execPath, ...nodeFlags, start]
  const child = spawn(program, args, {
    env: {
      ...nodeEnvironment,
      ...process.env,
      PORT: '0',
      MIN_FREE_DISK_GB: '1',
      DATA_DIR: dir,
      ...(rightsLog && isolatedSettings),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    child.kill(signal)
    await exit
  }
  const url = await waitForReadyUrl(child).catch(async (error: unknown) => {
    await end('SIGKILL')
    if (dataDir === undefined) await rm(dir, { recursive: true })
    throw error
  })
  watch(url)
  // Each function starts when first called, and its first table calls may take longer than the request timeout.
  if (rightsLog) globalThis.fetch = fetchWithRetries(globalThis.fetch)
  return {
    url,
    dataDir: dir,
    pid: child.pid ?? 0,
    stop: async () => {
      await end('SIGTERM')
      await rm(dir, { recursive: true, force: true })
    },
    end: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  }
}

async function waitForReadyUrl(child: ChildProcess): Promise<string> {
  let errors = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk
  })
  if (!child.stdout) throw new Error('no stdout')
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /ready: (\S+)/.exec(line)?.[1]
    if (url) {
      child.stdout.resume()
      return url
    }
  }
  throw new Error(`the service did not start: ${errors}`)
}

/** A client with one identity, like a browser or script. */
export class Client {
  readonly #url: string
  #token: string | undefined

  constructor(service: Pick<TestService, 'url'>) {
    this.#url = service.url
  }

  /** Returns a client with the same identity for another service. */
  at(service: Pick<TestService, 'url'>): Client {
    const movedClient = new Client(service)
    movedClient.#token = this.#token
    return movedClient
  }

  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    if (this.#token) headers.set('x-owner-token', this.#token)
    const response = await fetch(new URL(path, this.#url), { redirect: 'manual', ...init, headers })
    this.#token = response.headers.get('x-owner-token') ?? this.#token
    return response
  }

  /** Sends JSON, like a script. */
  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return this.fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  }

  /** Creates an upload for a declared file. */
  async presign(announcedFile: Readonly<Record<string, unknown>>): Promise<Presigned> {
    const response = await this.post('/v1/uploads/presign', announcedFile)
    const body = (await response.json()) as { data: Presigned }
    assert.equal(response.status, 201, JSON.stringify(body))
    return body.data
  }

  /** Sends a file to POST /v1/convert. */
  convert(
    file: { readonly name: string; readonly bytes: Uint8Array<ArrayBuffer> } | undefined,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const form = new FormData()
    if (file) form.set('file', new Blob([file.bytes]), file.name)
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    return this.fetch('/v1/convert', { method: 'POST', body: form, headers })
  }

  /** Returns the finished job. */
  async finishedJob(jobId: string): Promise<JobData> {
    for (;;) {
      const response = await this.fetch(`/v1/status/${jobId}`, { headers: { prefer: 'wait=25' } })
      const body = (await response.json()) as { data?: JobData }
      // All function processes start at the same time, which takes long on a busy machine.
      if (rightsLog && response.status >= 500) continue
      if (!body.data) throw new Error(`status answered ${response.status}: ${JSON.stringify(body)}`)
      if (['completed', 'failed', 'cancelled', 'expired'].includes(body.data.status)) return body.data
    }
  }

  async download(jobId: string): Promise<Buffer> {
    const response = await this.fetch(`/v1/download/${jobId}`, { redirect: 'follow' })
    if (!response.ok) throw new Error(`download answered ${response.status}: ${await response.text()}`)
    return Buffer.from(await response.arrayBuffer())
  }

  /** Downloads the result of a completed job to a file in this folder. */
  async saved(job: JobData, folder: string): Promise<string> {
    assert.equal(job.status, 'completed', JSON.stringify(job.error))
    const path = join(folder, `${job.jobId}-${job.result?.filename}`)
    await writeFile(path, await this.download(job.jobId))
    return path
  }

  /** Returns the finished job of a 202 reply. */
  async accepted(response: Response): Promise<JobData> {
    const body = (await response.json()) as { data: JobData }
    assert.equal(response.status, 202, JSON.stringify(body))
    return this.finishedJob(body.data.jobId)
  }
}

export interface Presigned {
  readonly uploadId: string
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  /** Form fields, if a form was requested. */
  readonly fields: Readonly<Record<string, string>>
}

export interface JobData {
  readonly jobId: string
  readonly status: string
  readonly progress: { readonly percent: number; readonly stage: string }
  readonly result: {
    readonly downloadUrl: string
    readonly filename: string
    readonly format: string
    readonly size: number
    readonly mimeType: string
    readonly sha256: string
    readonly engine?: string
    readonly method?: string
    readonly fidelity?: Fidelity
  } | null
  readonly warnings: readonly { readonly code: string; readonly field?: string; readonly message: string }[]
  readonly error: { readonly code: string; readonly message: string; readonly details?: unknown } | null
}
