import { existsSync } from 'node:fs'

const setpriv = '/usr/bin/setpriv'

export type Command = readonly [string, ...string[]]

/** The same command, but killed by the kernel when this process dies, even by SIGKILL: nothing is left behind. */
export function exitWithParent(command: Command): [string, ...string[]] {
  return existsSync(setpriv) ? [setpriv, '--pdeathsig', 'KILL', ...command] : [...command]
}
