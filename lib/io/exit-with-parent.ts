import { existsSync } from 'node:fs'

const setpriv = '/usr/bin/setpriv'

export type Command = readonly [string, ...string[]]

/** Wraps a command so that the kernel kills it when this process dies, even if SIGKILL ends this process. */
export function exitWithParent(command: Command): [string, ...string[]] {
  return existsSync(setpriv) ? [setpriv, '--pdeathsig', 'KILL', ...command] : [...command]
}
