// The embedded DynamoDB: runs a separate program and adds what it lacks.
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import type { Log } from '../../log.ts'
import { checkDatabaseFile, choosePort } from './startup-checks.ts'
import { supervise } from './supervisor.ts'
import { startTtlSweeper } from './time-to-live.ts'

const binaryPath = join(
  dirname(createRequire(import.meta.url).resolve('@dynoxide/linux-x64/package.json')),
  'dynoxide',
)

export interface DynamoDbOptions {
  /** Path of the SQLite file. */
  readonly file: string
  /** Port to listen on; 0 chooses a free one. Restarts of the database keep the port. */
  readonly port: number
  readonly log: Log
  /** Interval of health checks. After two failures in a row, the program is killed and restarted. */
  readonly checkEveryMs?: number
  /** Timeout of a health check. */
  readonly probeTimeoutMs?: number
  /** Interval of the sweeps for expired items. */
  readonly ttlSweepEveryMs?: number
}

interface DynamoDb {
  readonly url: string
  close(): Promise<void>
}

/**
 * Starts the embedded DynamoDB and keeps it running on its port. If it crashes or hangs, requests in progress fail, the
 * SDK retries them, and a new process serves them.
 * @throws if the port or the file is in use, or the file is damaged
 */
export async function openDynamoDb(options: DynamoDbOptions): Promise<DynamoDb> {
  const { file, log, checkEveryMs = 5000, probeTimeoutMs = 10_000, ttlSweepEveryMs = 60_000 } = options
  const port = await choosePort(options.port)
  checkDatabaseFile(file)
  const url = `http://127.0.0.1:${port}`
  // The database only checks the format of a signature, so any keys and region work.
  const credentials = { accessKeyId: 'LOCAL', secretAccessKey: 'local' }
  const client = new DynamoDBClient({ endpoint: url, region: 'local', credentials, maxAttempts: 1 })

  const supervisor = await supervise({
    command: [binaryPath, 'serve', '-p', String(port), '--db-path', file],
    // The probe reads the file, which can fail even if the process accepts connections.
    probe: async (abortSignal) => {
      await client.send(new ListTablesCommand({ Limit: 1 }), { abortSignal })
    },
    checkEveryMs,
    probeTimeoutMs,
    log,
  }).catch((cause: unknown) => {
    client.destroy()
    throw new Error(
      `The embedded DynamoDB does not start on ${url} with the file ${file}. Check whether the disk is full and whether this user may write there.`,
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
