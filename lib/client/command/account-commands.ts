import { createInterface } from 'node:readline/promises'
import { Mutabor } from '../mutabor.ts'
import type { Arguments } from './arguments.ts'
import { apiKey, configFile, serviceUrl } from './environment.ts'
import { type ExitCode, exitCodes, getErrorMessage, UsageError } from './exit-codes.ts'
import { removeFile, writeJson } from './json-files.ts'
import { findRepository } from './local-service.ts'
import { type CommandSession, readClientConfig } from './session.ts'
import { formatColumns, type Terminal } from './terminal.ts'

/** `mutabor login [KEY]`: prompts for an API key if none is given, checks it with the service and stores it. */
export async function logIn({ flags, words }: Arguments, terminal: Terminal): Promise<ExitCode> {
  const config = await readClientConfig()
  const url = flags.url ?? serviceUrl ?? config.url ?? 'http://localhost:8080'
  const key = words[0] ?? apiKey ?? (await prompt(`API key of ${url}: `))
  if (!/^[sc]k_\w+$/.test(key))
    throw new UsageError('Expected an API key, which starts with sk_ or ck_. Create one in your account.')
  const account = await new Mutabor({ url, apiKey: key }).call('GET /v1/account')
  await writeJson(configFile, { url, apiKey: key })
  terminal.note(`Signed in as ${account.email} at ${url}. The key is stored in ${configFile}.`)
  return exitCodes.done
}

export async function logOut(terminal: Terminal): Promise<ExitCode> {
  await removeFile(configFile)
  terminal.note('Signed out: the key was deleted from this machine. It stays valid until you revoke it.')
  return exitCodes.done
}

async function prompt(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false })
  try {
    return (await lines.question(question)).trim()
  } finally {
    lines.close()
  }
}

/** `mutabor doctor`: checks everything that a conversion from this machine needs. */
export async function runDoctor(_args: Arguments, { client, terminal }: CommandSession): Promise<ExitCode> {
  const findings: { name: string; isRight: boolean; says: string }[] = []
  const check = async (name: string, run: () => Promise<string>) => {
    try {
      findings.push({ name, isRight: true, says: await run() })
    } catch (thrownError) {
      findings.push({ name, isRight: false, says: getErrorMessage(thrownError) })
    }
  }
  await check('node', async () => process.version)
  await check('service', async () => {
    const startedAt = performance.now()
    const { versions } = await client.call('GET /v1')
    return `${client.url} responds with version ${versions[0]?.version} in ${Math.round(performance.now() - startedAt)} ms`
  })
  const isReachable = findings.at(-1)?.isRight
  if (isReachable) {
    await check('health', async () => {
      const { status, engines } = await client.call('GET /health')
      const missingEngines = engines.filter(({ available }) => !available).map(({ id }) => id)
      if (status !== 'ok') throw new Error(`the service reports the status ${status}`)
      return missingEngines.length === 0
        ? `all ${engines.length} engines`
        : `missing engines: ${missingEngines.join(', ')}`
    })
    await check('identity', async () => {
      const { plan } = await client.call('GET /v1/account/quota')
      const keySource = (await readClientConfig()).apiKey ? configFile : 'none, not signed in'
      return `${apiKey ? 'MUTABOR_API_KEY' : keySource}; plan ${plan}`
    })
  }
  await check('repository', async () => findRepository() ?? 'not found; --local needs one')
  await check('mcp', async () => {
    await import('@modelcontextprotocol/sdk/server/index.js').catch(() => {
      throw new Error('mutabor mcp needs its SDK: npm install @modelcontextprotocol/sdk')
    })
    return '@modelcontextprotocol/sdk is installed'
  })
  if (terminal.isJson) for (const finding of findings) terminal.result(JSON.stringify(finding))
  else
    for (const line of formatColumns(
      findings.map(({ name, isRight, says }) => [isRight ? '✓' : '✗', name, says]),
    ))
      terminal.result(line)
  if (!isReachable) return exitCodes.unreachable
  // Only AI agents need the MCP SDK, so the check passes without it.
  return findings.every(({ name, isRight }) => isRight || name === 'mcp') ? exitCodes.done : exitCodes.failed
}
