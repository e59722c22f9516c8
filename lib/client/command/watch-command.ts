import { once } from 'node:events'
import { type FSWatcher, watch } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import type { Arguments } from './arguments.ts'
import { fetchOptions, requireKnownOptions } from './conversion-options.ts'
import { openRecords, parseConcurrency } from './convert-command.ts'
import { type ExitCode, exitCodes, UsageError } from './exit-codes.ts'
import { type CommandInput, findInputs, getDefaultOutput, OutputNames } from './inputs.ts'
import type { FileSnapshot } from './resume-records.ts'
import { runWorkItems } from './run-work-items.ts'
import type { CommandSession } from './session.ts'
import type { WorkItem } from './work-item.ts'

/** A file that has not changed for this long is considered complete. */
const minUnchangedMs = 1500

/** `mutabor watch FOLDER --to pdf`: converts new files into `FOLDER/converted`, or into `--out`. */
export async function watchFolder(args: Arguments, session: CommandSession): Promise<ExitCode> {
  const { flags, options, words } = args
  const [folder] = words
  const { to } = flags
  if (folder === undefined || to === undefined || words.length > 1)
    throw new UsageError('Name a folder and a target format, for example: mutabor watch inbox --to pdf')
  if (!(await stat(folder).catch(() => undefined))?.isDirectory())
    throw new UsageError(`Folder not found: ${folder}.`)
  const outputFolder = resolve(flags.out ?? join(folder, 'converted'))
  await mkdir(outputFolder, { recursive: true })
  const { conversions } = await session.client.call('GET /v1/formats/conversions', { query: { to } })
  if (conversions.length === 0) throw new UsageError(`No format can be converted to ${to}.`)
  const sources = await findExtensions(new Set(conversions.map(({ from }) => from)), session)
  const [pair] = conversions
  const knownFiles =
    pair && Object.keys(options).length > 0
      ? await fetchOptions(session.client, { from: pair.from, to })
      : undefined
  if (knownFiles) requireKnownOptions(Object.keys(options), knownFiles, `${pair?.from} → ${to}`)
  const records = openRecords(session)
  const abortEvent = once(session.signal, 'abort')
  const attemptedVersions = new Set<string>()
  const names = new OutputNames()
  const runOptions = {
    force: flags.force === true,
    maxConcurrent: parseConcurrency(args),
    // These files are retried once the service is reachable again.
    onNotDone: ({ sources: files }: WorkItem) => {
      for (const file of files) attemptedVersions.delete(getVersionKey(file))
    },
  }
  const convertNewFiles = async () => {
    const inputs = await findInputs([folder], outputFolder, async () => (extension) => sources.has(extension))
    const newInputs = inputs.filter((input) => isNew(input, outputFolder, attemptedVersions))
    for (const input of newInputs) attemptedVersions.add(getVersionKey(input))
    const items = newInputs.map((input): WorkItem => {
      const { path, size, mtimeMs, typedPath, folder: itemFolder } = input
      const output = names.next(input, to)
      return {
        sources: [{ path, size, mtimeMs }],
        label: typedPath,
        options,
        output,
        folder: itemFolder,
        request: { kind: 'convert', to },
        expectedPath: output ?? getDefaultOutput(input, to),
      }
    })
    if (items.length > 0) await runWorkItems(items, session, records, runOptions)
  }
  session.terminal.note(
    `Watching ${folder}: new files are converted to ${to} in ${outputFolder}. Press Ctrl-C to stop.`,
  )
  const stop = repeatOnChange(folder, convertNewFiles, session)
  await abortEvent
  stop()
  return exitCodes.done
}

const getVersionKey = ({ path, size, mtimeMs }: FileSnapshot) => `${path} ${size} ${mtimeMs}`

const isNew = (input: CommandInput, outputFolder: string, attemptedVersions: ReadonlySet<string>): boolean =>
  !input.path.startsWith(outputFolder + sep) &&
  Date.now() - input.mtimeMs >= minUnchangedMs &&
  !attemptedVersions.has(getVersionKey(input))

async function findExtensions(
  ids: ReadonlySet<string>,
  { client }: CommandSession,
): Promise<ReadonlySet<string>> {
  const formats = await client.formats()
  return new Set(formats.filter(({ id }) => ids.has(id)).flatMap(({ extensions }) => extensions))
}

/**
 * Calls `convertNewFiles` after each change, but never concurrently. Also calls it every five seconds, because network
 * drives report no changes.
 */
function repeatOnChange(
  folder: string,
  convertNewFiles: () => Promise<void>,
  { signal, terminal }: CommandSession,
): () => void {
  let isRunning = false
  let isPending = false
  const start = () => {
    if (signal.aborted) return
    if (isRunning) {
      isPending = true
      return
    }
    isRunning = true
    void convertNewFiles()
      .catch((error: unknown) => terminal.note(String(error)))
      .then(() => {
        isRunning = false
        const wasPending = isPending
        isPending = false
        if (wasPending) start()
      })
  }
  let timeout: NodeJS.Timeout | undefined
  let watcher: FSWatcher | undefined
  const scheduleSoon = () => {
    start()
    clearTimeout(timeout)
    timeout = setTimeout(start, minUnchangedMs + 100)
  }
  try {
    watcher = watch(folder, { recursive: true }, scheduleSoon)
  } catch {
    terminal.note('Changes to this folder are not reported by the system: checking it every five seconds.')
  }
  const timer = setInterval(start, 5000)
  scheduleSoon()
  return () => {
    watcher?.close()
    clearInterval(timer)
    clearTimeout(timeout)
  }
}
