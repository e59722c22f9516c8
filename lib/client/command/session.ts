import { join } from 'node:path'
import { Mutabor } from '../mutabor.ts'
import type { Arguments } from './arguments.ts'
import { apiKey, configFile, serviceUrl, stateFolder } from './environment.ts'
import { readJson, writeJson } from './json-files.ts'
import { startLocalService } from './local-service.ts'
import type { Terminal } from './terminal.ts'

interface ClientConfig {
  readonly url?: string
  readonly apiKey?: string
}

/** The connection of a command to the service, and its terminal. */
export interface CommandSession {
  readonly client: Mutabor
  readonly signal: AbortSignal
  readonly terminal: Terminal
  /** Stops the service if it was started for this command. */
  close(): Promise<void>
}

export const readClientConfig = async (): Promise<ClientConfig> =>
  ((await readJson(configFile)) ?? {}) as ClientConfig // only written by this program

const identitiesFile = join(stateFolder, 'identities.json')

export async function openSession(
  { flags }: Arguments,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<CommandSession> {
  const config = await readClientConfig()
  const requestedUrl = flags.url ?? serviceUrl ?? config.url ?? 'http://localhost:8080'
  const local = flags.local ? await startLocalService(requestedUrl, terminal) : undefined
  const url = local?.url ?? requestedUrl
  // A stored key is sent only to the service that it was stored for.
  const key = apiKey ?? (config.url === undefined || config.url === url ? config.apiKey : undefined)
  const tokens = ((await readJson(identitiesFile)) ?? {}) as Record<string, string> // only written by this program
  // A local service has the same data each time, but a different port.
  const name = local ? 'local' : url
  const client = new Mutabor({
    url,
    apiKey: key,
    ownerToken: tokens[name],
    retries: 6,
    patienceS: 3700,
    onPause: createPauseReporter(terminal),
    onOwnerToken: (token) => {
      tokens[name] = token
      // If the token cannot be stored, the job cannot be found later, but the command can continue.
      void writeJson(identitiesFile, tokens).catch(() => undefined)
    },
  })
  return { client, signal, terminal, close: async () => local?.stop() }
}

/** Waits shorter than this number of seconds are not reported. */
const minReportedS = 5

/** Returns a function that reports the wait before a retry: only once, even if several items have to wait. */
function createPauseReporter(terminal: Terminal) {
  let pausedUntil = 0
  return ({ message }: Error, seconds: number) => {
    if (seconds < minReportedS || Date.now() < pausedUntil) return
    pausedUntil = Date.now() + seconds * 1000
    terminal.note(`${message} Retrying in ${Math.ceil(seconds)} s.`)
  }
}
