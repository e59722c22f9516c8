// The embedded DynamoDB: a program of its own, with what it lacks around it.
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import type { Log } from '../../log.ts'
import { checkDatabaseFile, choosePort } from './startup-checks.ts'
import { supervise } from './supervisor.ts'
import { startTtlSweeper } from './time-to-live.ts'

const binary = join(
  dirname(createRequire(import.meta.url).resolve('@dynoxide/linux-x64/package.json')),
  'dynoxide',
)

export interface DynamoDbOptions {
  /** Path of the SQLite file. */
  readonly file: string
  /** 0 takes a free one; it stays the same over restarts of the program. */
  readonly port: number
  readonly log: Log
  /** How often it is asked whether it answers, and how long it may take; a second silence in a row ends it. */
  readonly checkEveryMs?: number
  readonly probeTimeoutMs?: number
  /** How often items whose time to live is over are looked for. */
  readonly ttlSweepEveryMs?: number
}

export interface DynamoDb {
  readonly url: string
  close(): Promise<void>
}

/**
 * Starts the embedded DynamoDB and keeps it running on its port: when it crashes or hangs, requests under way fail,
 * the SDK sends them again, and a new process answers them.
 * @throws with a sentence when the port or the file is taken, or the file is damaged.
 */
export async function openDynamoDb(options: DynamoDbOptions): Promise<DynamoDb> {
  const { file, log, checkEveryMs = 5000, probeTimeoutMs = 10_000, ttlSweepEveryMs = 60_000 } = options
  const port = await choosePort(options.port)
  checkDatabaseFile(file)
  const url = `http://127.0.0.1:${port}`
  // The program looks at the shape of a signature only, so any keys do; so it is with the region.
  const credentials = { accessKeyId: 'LOCAL', secretAccessKey: 'local' }
  const client = new DynamoDBClient({ endpoint: url, region: 'local', credentials, maxAttempts: 1 })

  const supervisor = await supervise({
    command: [binary, 'serve', '-p', String(port), '--db-path', file],
    // Reads the file, which a process can fail to do that still takes connections.
    probe: async (abortSignal) => {
      await client.send(new ListTablesCommand({ Limit: 1 }), { abortSignal })
    },
    checkEveryMs,
    probeTimeoutMs,
    log,
  }).catch((cause: unknown) => {
    client.destroy()
    throw new Error(
      `The embedded DynamoDB does not start on ${url} with the file ${file}. Look whether the disk is full and whether this user may write there.`,
      { cause },
    )
  })
  const sweeper = startTtlSweeper({ client, everyMs: ttlSweepEveryMs, log })
  return {
    url,
    close: async () => {
      await sweeper.close()
      await supervisor.close()
      client.destroy()
    },
  }
}
