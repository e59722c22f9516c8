import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const sourcePath = fileURLToPath(new URL('../../lib/client/command/main.ts', import.meta.url))

export interface CommandResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs `mutabor` in a folder with its own home. */
export class CommandShell {
  readonly folder: string
  readonly #env: Record<string, string>
  readonly program: readonly string[]

  /** @param folder the working directory, which also contains the home */
  constructor(folder: string, url: string, program: readonly string[] = [process.execPath, sourcePath]) {
    this.folder = folder
    this.program = program
    const home = join(folder, '.home')
    this.#env = { MUTABOR_URL: url, XDG_STATE_HOME: home, XDG_CONFIG_HOME: home, MUTABOR_API_KEY: '' }
  }

  get env(): Readonly<Record<string, string>> {
    return this.#env
  }

  start(...args: readonly string[]) {
    const [program = '', ...firstArgs] = this.program
    return spawn(program, [...firstArgs, ...args], {
      cwd: this.folder,
      env: { ...process.env, ...this.#env },
    })
  }

  async run(args: readonly string[], input: string | Uint8Array = ''): Promise<CommandResult> {
    const child = this.start(...args)
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk
    })
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk
    })
    child.stdin.on('error', () => {
      // A command that exits early doesn't read its input.
    })
    child.stdin.end(input)
    await once(child, 'close')
    return { code: child.exitCode, stdout, stderr }
  }
}

/** Provides a shell in a new folder, without any stored state. */
export async function withShell(
  url: string,
  use: (shell: CommandShell) => Promise<void>,
  program?: readonly string[],
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'mutabor-command-'))
  await use(new CommandShell(folder, url, program))
  await rm(folder, { recursive: true })
}
