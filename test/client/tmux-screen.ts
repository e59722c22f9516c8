import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CommandShell } from './run-command.ts'

const execute = promisify(execFile)

/** The installed command line, a folder for the cases, and the URL of the service. */
export interface InstalledCommand {
  readonly program: readonly string[]
  readonly folder: string
  readonly url: string
}

export async function createShell(
  { program, folder, url }: InstalledCommand,
  name: string,
): Promise<CommandShell> {
  const shellFolder = join(folder, name)
  await mkdir(shellFolder)
  return new CommandShell(shellFolder, url, program)
}

/** Provides a real terminal, in tmux. */
export async function withTmux(
  shell: CommandShell,
  [node = '', main = '']: readonly string[],
  use: (tmux: Tmux) => Promise<void>,
) {
  const socket = `mutabor-${process.pid}`
  const runTmux = (...args: readonly string[]) => execute('tmux', ['-L', socket, ...args])
  const env = Object.entries(shell.env).flatMap(([name, value]) => ['-e', `${name}=${value}`])
  await runTmux(
    '-f',
    '/dev/null',
    'new-session',
    '-d',
    '-s',
    't',
    '-x',
    '100',
    '-y',
    '30',
    '-c',
    shell.folder,
    ...env,
    'sh',
  )
  try {
    await use({
      type: (line) => runTmux('send-keys', '-t', 't', line.replace(/^mutabor/, `${node} ${main}`), 'Enter'),
      press: (key) => runTmux('send-keys', '-t', 't', key),
      capture: async () => (await runTmux('capture-pane', '-p', '-J', '-t', 't', '-S', '-300')).stdout,
    })
  } finally {
    await runTmux('kill-server')
  }
}

export interface Tmux {
  type(line: string): Promise<unknown>
  press(key: string): Promise<unknown>
  capture(): Promise<string>
}
