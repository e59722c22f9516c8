import { existsSync } from 'node:fs'

const setpriv = '/usr/bin/setpriv'

/** The same command, but killed by the kernel when this process dies, even by SIGKILL: nothing is left behind. */
export function withParentDeath(command: readonly [string, ...string[]]): [string, ...string[]] {
  return existsSync(setpriv) ? [setpriv, '--pdeathsig', 'KILL', ...command] : [...command]
}
