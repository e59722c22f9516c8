import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'

/** A command of setup that failed, with its output. */
export class CommandError extends Error {
  /** @param {string} message @param {string} output */
  constructor(message, output) {
    super(message)
    this.output = output
  }
}

const maxOutputChars = 64 * 1024

/**
 * Runs a command to its end without showing its output, which is kept in case it fails.
 *
 * @param {readonly string[]} command
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, lockFd?: number, onLine?: (line: string) => void }} options
 * @returns {Promise<string>} the end of its output
 */
export function runQuietly([bin, ...args], { cwd, env, lockFd, onLine } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(bin, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe', lockFd ?? 'ignore'] })
    let output = ''
    let rest = ''
    const collectOutput = (chunk) => {
      output = (output + chunk).slice(-maxOutputChars)
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) onLine?.(line)
    }
    child.stdout.setEncoding('utf8').on('data', collectOutput)
    child.stderr.setEncoding('utf8').on('data', collectOutput)
    child.on('error', (error) => reject(new CommandError(`${bin} did not start: ${error.message}`, '')))
    child.on('close', (code, signal) => {
      if (code === 0) resolve(output)
      else reject(new CommandError(`${bin} failed with ${signal ?? `exit code ${code}`}`, output))
    })
  })
}

/** Returns the id of the npm process that started this one: npm starts a shell, which starts the script. */
function findParentNpm() {
  let pid = process.ppid
  try {
    for (let step = 0; step < 3 && pid > 1; step += 1) {
      // npm sets its process title to its command, for example "npm start".
      if (readFileSync(`/proc/${pid}/cmdline`, 'latin1').startsWith('npm ')) return pid
      pid = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1])
    }
  } catch {
    // The process exited meanwhile, or this system has no /proc.
  }
  return undefined
}

/**
 * Runs the program that the user requested and exits with its exit code. The program never outlives this process:
 * signals are forwarded, and if this process is killed, the kernel sends the program a SIGTERM.
 *
 * @param {readonly string[]} command
 * @param {{ cwd: string, env: NodeJS.ProcessEnv, startedByNpm: boolean }} options
 * @returns {Promise<never>}
 */
export async function runInForeground(command, { cwd, env, startedByNpm }) {
  const exitWithParentPrefix = existsSync('/usr/bin/setpriv')
    ? ['/usr/bin/setpriv', '--pdeathsig', 'TERM', '--']
    : []
  const [bin, ...args] = [...exitWithParentPrefix, ...command]
  const child = spawn(bin, args, { cwd, env, stdio: 'inherit' })

  let forwardedMs = 0
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) {
    process.on(signal, () => {
      // Ctrl-C reaches every process of the terminal's foreground group, and npm forwards it again. The program would
      // treat the second signal as a request to exit immediately.
      if (signal === 'SIGINT' && process.stdin.isTTY) return
      if (Date.now() - forwardedMs < 1000) return
      forwardedMs = Date.now()
      child.kill(signal)
    })
  }
  const npm = startedByNpm ? findParentNpm() : undefined
  if (npm) {
    // If npm is killed by SIGKILL, it cannot forward the signal, and the shell in between forwards nothing.
    const parent = process.ppid
    const isOrphan = () => process.ppid !== parent || !existsSync(`/proc/${npm}`)
    setInterval(() => isOrphan() && child.kill('SIGTERM'), 1000).unref()
  }

  const [code, signal] = await new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (...result) => resolve(result))
  })
  process.exit(signal ? 128 + constants.signals[signal] : code)
}
