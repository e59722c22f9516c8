import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine } from '../engines/engine.ts'

const folders = ['/usr/local/bin', '/usr/bin', '/bin']

async function isInstalled({ version }: Engine): Promise<boolean> {
  if (typeof version === 'function') return true
  const found = await Promise.all(
    folders.map((folder) =>
      access(join(folder, version[0]), constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  )
  return found.includes(true)
}

/** Those engines whose program this machine has. */
export async function installedEngines(engines: readonly Engine[]): Promise<Engine[]> {
  const found = await Promise.all(engines.map(isInstalled))
  return engines.filter((_, at) => found[at])
}
