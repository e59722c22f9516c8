import { once } from 'node:events'
import { type FSWatcher, watch } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Arguments } from './arguments.ts'
import { atOnceOf, openRecords } from './convert-command.ts'
import { type ExitCode, exit, UsageError } from './exit.ts'
import { findInputs, type Input, OutputNames, usualOutput } from './inputs.ts'
import { optionsOf, requireKnown } from './pair-options.ts'
import type { Seen } from './records.ts'
import { runWorks } from './run-works.ts'
import type { Session } from './session.ts'
import type { Work } from './work.ts'

/** A file that has not grown for so long is whole. */
const quietMs = 1500

/** `mutabor watch FOLDER --to pdf`: whatever arrives there is converted into `FOLDER/converted`, or `--out`. */
export async function watchFolder(given: Arguments, session: Session): Promise<ExitCode> {
  const { flags, options, words } = given
  const [folder] = words
  const { to } = flags
  if (folder === undefined || to === undefined || words.length > 1)
    throw new UsageError('Which folder, and what shall become of its files? As: mutabor watch inbox --to pdf')
  if (!(await stat(folder).catch(() => undefined))?.isDirectory())
    throw new UsageError(`There is no folder ${folder}.`)
  const out = resolve(flags.out ?? join(folder, 'converted'))
  await mkdir(out, { recursive: true })
  const { conversions } = await session.client.call('GET /v1/formats/conversions', { query: { to } })
  if (conversions.length === 0) throw new UsageError(`Nothing becomes ${to}.`)
  const sources = await readable(new Set(conversions.map(({ from }) => from)), session)
  const [pair] = conversions
  const known =
    pair && Object.keys(options).length > 0
      ? await optionsOf(session.client, { from: pair.from, to })
      : undefined
  if (known) requireKnown(Object.keys(options), known, `${pair?.from} → ${to}`)
  const records = openRecords(session)
  const ended = once(session.signal, 'abort')
  const tried = new Set<string>()
  const names = new OutputNames()
  const running = {
    ...{ force: flags.force === true, atOnce: atOnceOf(given) },
    // A service that is away for a while comes back.
    onUndone: ({ sources: files }: Work) => {
      for (const file of files) tried.delete(version(file))
    },
  }
  const look = async () => {
    const inputs = await findInputs([folder], out, async () => (extension) => sources.has(extension))
    const fresh = inputs.filter((input) => isNew(input, out, tried))
    for (const input of fresh) tried.add(version(input))
    const works = fresh.map((input): Work => {
      const { path, size, mtimeMs, shown, folder: place } = input
      const output = names.next(input, to)
      return {
        ...{ sources: [{ path, size, mtimeMs }], shown, options, output, folder: place },
        ...{ wish: { kind: 'convert', to }, expected: output ?? usualOutput(input, to) },
      }
    })
    if (works.length > 0) await runWorks(works, session, records, running)
  }
  session.terminal.note(`Watching ${folder}: what arrives becomes ${to} in ${out}. Ctrl-C ends it.`)
  const stop = repeat(folder, look, session)
  await ended
  stop()
  return exit.done
}

const version = ({ path, size, mtimeMs }: Seen) => `${path} ${size} ${mtimeMs}`

const isNew = (input: Input, out: string, tried: ReadonlySet<string>): boolean =>
  !input.path.startsWith(`${out}/`) && Date.now() - input.mtimeMs >= quietMs && !tried.has(version(input))

async function readable(ids: ReadonlySet<string>, { client }: Session): Promise<ReadonlySet<string>> {
  const formats = await client.formats()
  return new Set(formats.filter(({ id }) => ids.has(id)).flatMap(({ extensions }) => extensions))
}

/** Looks when something has happened, one look at a time, and now and then where nothing is told, as on network drives. */
function repeat(folder: string, look: () => Promise<void>, { signal, terminal }: Session): () => void {
  let isRunning = false
  let again = false
  const start = () => {
    if (signal.aborted) return
    if (isRunning) {
      again = true
      return
    }
    isRunning = true
    void look()
      .catch((error: unknown) => terminal.note(String(error)))
      .then(() => {
        isRunning = false
        const missed = again
        again = false
        if (missed) start()
      })
  }
  let later: NodeJS.Timeout | undefined
  let watcher: FSWatcher | undefined
  const soon = () => {
    start()
    clearTimeout(later)
    later = setTimeout(start, quietMs + 100)
  }
  try {
    watcher = watch(folder, { recursive: true }, soon)
  } catch {
    terminal.note('This folder does not tell of changes: it is looked at every five seconds.')
  }
  const timer = setInterval(start, 5000)
  soon()
  return () => {
    watcher?.close()
    clearInterval(timer)
    clearTimeout(later)
  }
}
