// Reads log files, including those rotated by an operator's logrotate.
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import * as z from 'zod'
import type { Environment } from '../../runtime/environment.ts'

const LogRecord = z.looseObject({
  time: z.string(),
  level: z.string(),
  msg: z.string().default(''),
  requestId: z.string().optional(),
  jobId: z.string().optional(),
})
export type LogRecord = z.infer<typeof LogRecord>

/** Lists the log file and its rotated files, such as `service.log.1` and `service.log.2.gz`, oldest first. */
export async function listLogFiles(logFile: string): Promise<string[]> {
  const folder = dirname(logFile)
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.startsWith(basename(logFile)))
  const foundFiles = await Promise.all(
    names.map(async (name) => ({ path: join(folder, name), stats: await stat(join(folder, name)) })),
  )
  return foundFiles
    .filter(({ stats }) => stats.isFile())
    .sort((a, b) => a.stats.mtimeMs - b.stats.mtimeMs)
    .map(({ path }) => path)
}

/** Yields lines that contain one of the texts. Skips malformed lines, because a process may die while it writes one. */
async function* readMatchingLines(
  logFiles: readonly string[],
  texts: readonly string[],
): AsyncGenerator<LogRecord> {
  for (const path of logFiles) {
    const bytes = createReadStream(path)
    const input = path.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes
    for await (const line of createInterface({ input })) {
      const parsedLine = texts.some((text) => line.includes(text)) ? parseLine(line) : undefined
      if (parsedLine) yield parsedLine
    }
  }
}

export function parseLine(line: string): LogRecord | undefined {
  try {
    return LogRecord.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}

const serviceStartedMessage = 'service started'
const ServiceStartedRecord = z.object({
  msg: z.literal(serviceStartedMessage),
  servers: z.record(z.string(), z.string()),
})

/** Returns the URLs of the embedded servers that the service logged at its last start. */
export async function findLastServerUrls(logFiles: readonly string[]): Promise<Environment | undefined> {
  let servers: Environment | undefined
  for await (const line of readMatchingLines(logFiles, [serviceStartedMessage]))
    servers = ServiceStartedRecord.safeParse(line).data?.servers ?? servers
  return servers
}

interface JobLines {
  /** Lines in the order of their time. */
  readonly lines: readonly LogRecord[]
  /** Number of requests that only read the job. */
  readonly requestCount: number
}

/** Returns the lines that contain the job's id, and those of the request that created it. */
export async function readJobLines(
  logFiles: readonly string[],
  jobId: string,
  requestId: string | undefined,
): Promise<JobLines> {
  const lines: LogRecord[] = []
  let requestCount = 0
  for await (const line of readMatchingLines(logFiles, [jobId, ...(requestId ? [requestId] : [])])) {
    const isOtherRequest = line.msg === 'request' && line.requestId !== requestId && line['status'] !== 500
    if (isOtherRequest) requestCount++
    else lines.push(line)
  }
  return { lines: lines.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0)), requestCount }
}
