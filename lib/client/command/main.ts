import { isFailure } from '../failure.ts'
import manifest from '../package.json' with { type: 'json' }
import { type Arguments, parseArguments } from './arguments.ts'
import { codeOf, type ExitCode, exit, sentenceOf } from './exit.ts'
import { commands, helpText } from './help.ts'
import { extensionOf } from './pair-options.ts'
import { openSession, type Session } from './session.ts'
import { openTerminal, type Terminal } from './terminal.ts'

type Command = (given: Arguments, session: Session) => Promise<ExitCode>

/** Loaded when they are called for: a command starts in a blink. */
const works: Readonly<Record<string, () => Promise<Command>>> = {
  convert: async () => (await import('./convert-command.ts')).convertFiles,
  merge: async () => (await import('./convert-command.ts')).mergeFiles,
  tool: async () => (await import('./convert-command.ts')).runTool,
  watch: async () => (await import('./watch-command.ts')).watchFolder,
  formats: async () => (await import('./look-commands.ts')).showFormats,
  options: async () => (await import('./look-commands.ts')).showOptions,
  jobs: async () => (await import('./look-commands.ts')).showJobs,
  doctor: async () => (await import('./account-commands.ts')).examine,
  mcp: async () => (await import('../mcp/serve.ts')).serveAgents,
}

export async function runCommand(argv: readonly string[], signal: AbortSignal): Promise<ExitCode> {
  // What is being typed is completed, not obeyed.
  const isCompletion = argv[0] === 'complete'
  let terminal = openTerminal({ isJson: argv.includes('--json'), isQuiet: false })
  try {
    const given = isCompletion ? { words: [], flags: {}, options: {} } : parseArguments(argv)
    terminal = openTerminal({ isJson: given.flags.json === true, isQuiet: given.flags.quiet === true })
    if (isCompletion) {
      const { complete } = await import('./completion.ts')
      return await within(given, terminal, signal, (session) =>
        complete(argv.slice(argv.indexOf('--') + 1), session),
      )
    }
    return await dispatch(given, terminal, signal)
  } catch (thrown) {
    if (signal.aborted) return exit.interrupted
    tell(thrown, terminal)
    return codeOf(thrown)
  }
}

async function dispatch(given: Arguments, terminal: Terminal, signal: AbortSignal): Promise<ExitCode> {
  const [first, ...rest] = given.words
  const isNamed = first !== undefined && first in commands
  const named = { ...given, words: rest }
  if (given.flags.version) return said(terminal, manifest.version)
  if (first === undefined || first === 'help' || given.flags.help) {
    const words = first === 'help' || isNamed ? rest : given.words
    return help(words, given, terminal, signal)
  }
  if (first === 'login') return (await import('./account-commands.ts')).logIn(named, terminal)
  if (first === 'logout') return (await import('./account-commands.ts')).logOut(terminal)
  if (first === 'completion')
    return said(terminal, (await import('./completion.ts')).completionScript(rest[0]))
  const work = works[first]
  return within(given, terminal, signal, async (session) => {
    if (work) return (await work())(named, session)
    return (await import('./convert-command.ts')).convertFiles(given, session)
  })
}

/** Of nothing in particular, or of the pair that is about to be converted. */
async function help(
  words: readonly string[],
  given: Arguments,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ExitCode> {
  const [file, to] = words
  if (file === undefined || (to === undefined && file in commands)) return said(terminal, helpText())
  const pair = to === undefined ? [file] : [extensionOf(file) || file, to]
  const { showOptions } = await import('./look-commands.ts')
  return within(given, terminal, signal, (session) => showOptions({ ...given, words: pair }, session))
}

function said(terminal: Terminal, text: string): ExitCode {
  terminal.result(text)
  return exit.done
}

async function within(
  given: Arguments,
  terminal: Terminal,
  signal: AbortSignal,
  work: (session: Session) => Promise<ExitCode>,
): Promise<ExitCode> {
  const session = await openSession(given, terminal, signal)
  try {
    return await work(session)
  } finally {
    await session.close()
  }
}

function tell(thrown: unknown, terminal: Terminal): void {
  const code = isFailure(thrown) ? thrown.code : 'USAGE'
  if (terminal.isJson)
    terminal.result(JSON.stringify({ status: 'failed', error: { code, message: sentenceOf(thrown) } }))
  else terminal.note(sentenceOf(thrown))
}

/** How a shell calls it. */
async function main(): Promise<void> {
  // Node 20 says of `openAsBlob` that it is new.
  process.removeAllListeners('warning')
  const stop = new AbortController()
  const interrupted = () => {
    // Who asks twice does not want to wait.
    if (stop.signal.aborted) process.exit(exit.interrupted)
    stop.abort(new Error('interrupted'))
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupted)
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      stop.abort(error)
      // Whoever read it, as `head`, has read enough.
      if (error.code === 'EPIPE') return
      if (stream === process.stdout) process.stderr.write(`${error.message}\n`)
      process.once('exit', () => {
        process.exitCode = exit.failed
      })
    })
  process.exitCode = await runCommand(process.argv.slice(2), stop.signal)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupted)
}

await main()
