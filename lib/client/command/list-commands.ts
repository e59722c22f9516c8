import { isFailure } from '../errors.ts'
import type { Arguments } from './arguments.ts'
import { fetchOptions, formatOptions } from './conversion-options.ts'
import { type ExitCode, exitCodes, UsageError } from './exit-codes.ts'
import type { CommandSession } from './session.ts'
import { formatBytes, formatColumns } from './terminal.ts'

/**
 * `mutabor formats [FORMAT]`: lists the formats, or shows one. Other words are searched for: `mutabor formats excel`,
 * `mutabor formats combine pdf`.
 */
export async function showFormats(
  { words }: Arguments,
  { client, terminal }: CommandSession,
): Promise<ExitCode> {
  const [formatId] = words
  const format = words.length === 1 && formatId !== undefined && (await findFormat(formatId, client))
  if (format) {
    if (terminal.isJson) terminal.result(JSON.stringify(format))
    else {
      const { id, name, category, extensions, targets } = format
      terminal.result(`${id}: ${name} (${category}), .${extensions.join(', .')}`)
      terminal.result(`converts to ${targets.join(', ')}`)
    }
    return exitCodes.done
  }
  const query = words.length > 0 ? { q: words.join(' ') } : {}
  const { formats } = await client.call('GET /v1/formats', { query })
  if (formats.length === 0) return showFoundConversions(words.join(' '), { client, terminal })
  if (terminal.isJson) for (const found of formats) terminal.result(JSON.stringify(found))
  else {
    const rows = formats.map(({ id, category, name, canRead, canWrite }) => [
      ...[id, category, `${canRead ? 'reads' : '     '} ${canWrite ? 'writes' : ''}`, name],
    ])
    for (const line of formatColumns(rows)) terminal.result(line)
  }
  return exitCodes.done
}

async function findFormat(formatId: string, client: CommandSession['client']) {
  try {
    return await client.call('GET /v1/formats/{formatId}', { path: { formatId } })
  } catch (thrownError) {
    if (isFailure(thrownError, 'FORMAT_NOT_FOUND')) return undefined
    throw thrownError
  }
}

const maxFoundConversions = 50

/** Shows conversions and tools for words that are not the name of a format: `word to pdf`, `combine pdf`. */
async function showFoundConversions(
  q: string,
  { client, terminal }: Pick<CommandSession, 'client' | 'terminal'>,
): Promise<ExitCode> {
  const { conversions } = await client.call('GET /v1/formats/conversions', {
    query: { q, limit: maxFoundConversions },
  })
  if (conversions.length === 0) throw new UsageError(`No format or tool is called ${q}.`)
  if (terminal.isJson) for (const pair of conversions) terminal.result(JSON.stringify(pair))
  else
    for (const line of formatColumns(
      conversions.map(({ operation, from, to }) => [operation, `${from} → ${to}`]),
    ))
      terminal.result(line)
  return exitCodes.done
}

/** `mutabor options png webp` lists the options of a conversion, `mutabor options split-pdf` those of a tool. */
export async function showOptions(
  { words }: Arguments,
  { client, terminal }: CommandSession,
): Promise<ExitCode> {
  const [from, to] = words
  if (from === undefined)
    throw new UsageError('Name two formats or a tool, for example: mutabor options png webp')
  const options =
    to === undefined ? await fetchToolOptions(from, client) : await fetchOptions(client, { from, to })
  if (!options)
    throw new UsageError(
      `The conversion ${words.join(' → ')} is not supported. mutabor formats ${from} lists the supported targets.`,
    )
  if (terminal.isJson) terminal.result(JSON.stringify(options))
  else if (options.length === 0) terminal.result(`${words.join(' → ')} has no options.`)
  else for (const line of formatOptions(options)) terminal.result(line)
  return exitCodes.done
}

async function fetchToolOptions(name: string, client: CommandSession['client']) {
  try {
    return await fetchOptions(client, { operation: name })
  } catch (thrown) {
    if (!isFailure(thrown, 'INVALID_INPUT')) throw thrown
    throw new UsageError(
      `Unknown tool ${name}. For a conversion, name both formats: mutabor options ${name} pdf`,
    )
  }
}

/** `mutabor jobs [JOB]`: shows a job, or lists jobs, newest first. */
export async function showJobs(
  { words: [jobId] }: Arguments,
  { client, terminal }: CommandSession,
): Promise<ExitCode> {
  if (jobId !== undefined) {
    const job = await client.status(jobId)
    if (terminal.isJson) terminal.result(JSON.stringify(job))
    else {
      terminal.result(`${job.jobId}  ${job.status}  ${job.progress.percent} %`)
      if (job.error) terminal.result(`${job.error.code}: ${job.error.message}`)
      for (const file of job.result?.files ?? [])
        terminal.result(`${file.filename}  ${formatBytes(file.size)}  ${file.downloadUrl}`)
    }
    return exitCodes.done
  }
  const { jobs } = await client.call('GET /v1/jobs', { query: { limit: 20 } })
  if (terminal.isJson) for (const job of jobs) terminal.result(JSON.stringify(job))
  else {
    const rows = jobs.map(({ jobId: id, status, createdAt, source, target }) => [
      ...[id, status, createdAt, `${source?.filename ?? ''} → ${target?.format ?? ''}`],
    ])
    for (const line of formatColumns(rows)) terminal.result(line)
  }
  return exitCodes.done
}
