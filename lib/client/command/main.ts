import { isFailure } from '../errors.ts'
import manifest from '../package.json' with { type: 'json' }
import { type Arguments, parseArguments } from './arguments.ts'
import { getExtension } from './conversion-options.ts'
import { type ExitCode, exitCodes, getErrorMessage, getExitCode } from './exit-codes.ts'
import { commands, getHelpText } from './help.ts'
import { type CommandSession, openSession } from './session.ts'
import { openTerminal, type Terminal } from './terminal.ts'

type Command = (args: Arguments, session: CommandSession) => Promise<ExitCode>

/** Commands are loaded on demand, so that the program starts quickly. */
const commandLoaders: Readonly<Record<string, () => Promise<Command>>> = {
  convert: async () => (await import('./convert-command.ts')).convertFiles,
  merge: async () => (await import('./convert-command.ts')).mergeFiles,
  tool: async () => (await import('./convert-command.ts')).runToolCommand,
  watch: async () => (await import('./watch-command.ts')).watchFolder,
  formats: async () => (await import('./list-commands.ts')).showFormats,
  options: async () => (await import('./list-commands.ts')).showOptions,
  jobs: async () => (await import('./list-commands.ts')).showJobs,
  doctor: async () => (await import('./account-commands.ts')).runDoctor,
  mcp: async () => (await import('../mcp/serve.ts')).serveAgents,
}

async function runCommand(argv: readonly string[], signal: AbortSignal): Promise<ExitCode> {
  // The arguments of `complete` are a command line being typed, so they are not parsed as flags.
  const isCompletion = argv[0] === 'complete'
  let terminal = openTerminal({ isJson: argv.includes('--json'), isQuiet: false })
  try {
    const args = isCompletion ? { words: [], flags: {}, options: {} } : parseArguments(argv)
    terminal = openTerminal({ isJson: args.flags.json === true, isQuiet: args.flags.quiet === true })
    if (isCompletion) {
      const { printCompletions: complete } = await import('./completion.ts')
      return await withSession(args, terminal, signal, (session) =>
        complete(argv.slice(argv.indexOf('--') + 1), session),
      )
    }
    return await dispatch(args, terminal, signal)
  } catch (thrown) {
    if (signal.aborted) return exitCodes.interrupted
    reportFailure(thrown, terminal)
    return getExitCode(thrown)
  }
}

async function dispatch(args: Arguments, terminal: Terminal, signal: AbortSignal): Promise<ExitCode> {
  const [first, ...rest] = args.words
  const isCommand = first !== undefined && first in commands
  const argsWithoutCommand = { ...args, words: rest }
  if (args.flags.version) return printResult(terminal, manifest.version)
  if (first === undefined || first === 'help' || args.flags.help) {
    const words = first === 'help' || isCommand ? rest : args.words
    return help(words, args, terminal, signal)
  }
  if (first === 'login') return (await import('./account-commands.ts')).logIn(argsWithoutCommand, terminal)
  if (first === 'logout') return (await import('./account-commands.ts')).logOut(terminal)
  if (first === 'completion')
    return printResult(terminal, (await import('./completion.ts')).getCompletionScript(rest[0]))
  const loadCommand = commandLoaders[first]
  return withSession(args, terminal, signal, async (session) => {
    if (loadCommand) return (await loadCommand())(argsWithoutCommand, session)
    return (await import('./convert-command.ts')).convertFiles(args, session)
  })
}

/** Prints the general help, or the options of a conversion. */
async function help(
  words: readonly string[],
  args: Arguments,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ExitCode> {
  const [file, to] = words
  if (file === undefined || (to === undefined && file in commands))
    return printResult(terminal, getHelpText())
  const pair = to === undefined ? [file] : [getExtension(file) || file, to]
  const { showOptions } = await import('./list-commands.ts')
  return withSession(args, terminal, signal, (session) => showOptions({ ...args, words: pair }, session))
}

function printResult(terminal: Terminal, text: string): ExitCode {
  terminal.result(text)
  return exitCodes.done
}

async function withSession(
  args: Arguments,
  terminal: Terminal,
  signal: AbortSignal,
  loadCommand: (session: CommandSession) => Promise<ExitCode>,
): Promise<ExitCode> {
  const session = await openSession(args, terminal, signal)
  try {
    return await loadCommand(session)
  } finally {
    await session.close()
  }
}

function reportFailure(thrown: unknown, terminal: Terminal): void {
  const code = isFailure(thrown) ? thrown.code : 'USAGE'
  if (terminal.isJson)
    terminal.result(JSON.stringify({ status: 'failed', error: { code, message: getErrorMessage(thrown) } }))
  else terminal.note(getErrorMessage(thrown))
}

/** Entry point of the executable. */
async function main(): Promise<void> {
  // Suppresses warnings, because Node 20 warns that `openAsBlob` is experimental.
  process.removeAllListeners('warning')
  const controller = new AbortController()
  const onInterrupt = () => {
    // A second signal exits immediately.
    if (controller.signal.aborted) process.exit(exitCodes.interrupted)
    controller.abort(new Error('interrupted'))
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onInterrupt)
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      controller.abort(error)
      // The reader, such as `head`, closed the pipe.
      if (error.code === 'EPIPE') return
      if (stream === process.stdout) process.stderr.write(`${error.message}\n`)
      process.once('exit', () => {
        process.exitCode = exitCodes.failed
      })
    })
  process.exitCode = await runCommand(process.argv.slice(2), controller.signal)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, onInterrupt)
}

await main()
