import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Shell } from './run-command.ts'

const run = promisify(execFile)

/** The installed command line, where it stands, and the service. */
export interface Terminal {
  readonly program: readonly string[]
  readonly folder: string
  readonly url: string
}

export async function place({ program, folder, url }: Terminal, name: string): Promise<Shell> {
  const own = join(folder, name)
  await mkdir(own)
  return new Shell(own, url, program)
}

/** A terminal that somebody looks at. */
export async function screen(
  shell: Shell,
  [node = '', main = '']: readonly string[],
  act: (tmux: Tmux) => Promise<void>,
) {
  const socket = `mutabor-${process.pid}`
  const call = (...args: readonly string[]) => run('tmux', ['-L', socket, ...args])
  const env = Object.entries(shell.env).flatMap(([name, value]) => ['-e', `${name}=${value}`])
  await call(
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
    await act({
      type: (line) => call('send-keys', '-t', 't', line.replace(/^mutabor/, `${node} ${main}`), 'Enter'),
      press: (key) => call('send-keys', '-t', 't', key),
      seen: async () => (await call('capture-pane', '-p', '-J', '-t', 't', '-S', '-300')).stdout,
    })
  } finally {
    await call('kill-server')
  }
}

export interface Tmux {
  type(line: string): Promise<unknown>
  press(key: string): Promise<unknown>
  seen(): Promise<string>
}
