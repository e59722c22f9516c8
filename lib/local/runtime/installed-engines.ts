import { access, constants } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import type { Engine } from '../../engines/engine.ts'
import { engineVersion } from '../../engines/version.ts'

const folders = ['/usr/local/bin', '/usr/bin', '/bin']

async function isInstalled(engine: Engine): Promise<boolean> {
  const { version } = engine
  if (typeof version === 'function') return true
  // An absolute path names an interpreter of the system. Its existence does not show that the engine's library
  // is installed, so the version of the library is queried.
  if (isAbsolute(version[0]))
    return engineVersion(engine).then(
      () => true,
      () => false,
    )
  const foundFlags = await Promise.all(
    folders.map((folder) =>
      access(join(folder, version[0]), constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  )
  return foundFlags.includes(true)
}

/** Returns the engines whose program is installed on this machine. */
export async function findInstalledEngines(engines: readonly Engine[]): Promise<Engine[]> {
  const installedFlags = await Promise.all(engines.map(isInstalled))
  return engines.filter((_, at) => installedFlags[at])
}
