import { join } from 'node:path'
import { Mutabor } from '../mutabor.ts'
import type { Arguments } from './arguments.ts'
import { apiKey, configFile, serviceUrl, stateFolder } from './environment.ts'
import { readJson, writeJson } from './json-files.ts'
import { startLocalService } from './local-service.ts'
import type { Terminal } from './terminal.ts'

export interface Config {
  readonly url?: string
  readonly apiKey?: string
}

/** Whom a command talks to, as whom. */
export interface Session {
  readonly client: Mutabor
  readonly signal: AbortSignal
  readonly terminal: Terminal
  /** Ends the service that was started for it. */
  close(): Promise<void>
}

export const readConfig = async (): Promise<Config> => ((await readJson(configFile)) ?? {}) as Config // our own file

const identitiesFile = join(stateFolder, 'identities.json')

export async function openSession(
  { flags }: Arguments,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<Session> {
  const config = await readConfig()
  const requestedUrl = flags.url ?? serviceUrl ?? config.url ?? 'http://localhost:8080'
  const local = flags.local ? await startLocalService(requestedUrl, terminal) : undefined
  const url = local?.url ?? requestedUrl
  // A key goes to the service that it was given for, and to no other.
  const key = apiKey ?? (config.url === undefined || config.url === url ? config.apiKey : undefined)
  const tokens = ((await readJson(identitiesFile)) ?? {}) as Record<string, string> // our own file
  // One that was started for this command has the same data each time, whatever its address.
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
      // What cannot be kept is a job that cannot be found again, and no reason to stop.
      void writeJson(identitiesFile, tokens).catch(() => undefined)
    },
  })
  return { client, signal, terminal, close: async () => local?.stop() }
}

/** Seconds that nobody has to be told of. */
const minReportedS = 5

/** Several at work are told to wait as one. */
function createPauseReporter(terminal: Terminal) {
  let until = 0
  return ({ message }: Error, seconds: number) => {
    if (seconds < minReportedS || Date.now() < until) return
    until = Date.now() + seconds * 1000
    terminal.note(`${message} Going on in ${Math.ceil(seconds)} s.`)
  }
}
