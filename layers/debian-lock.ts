import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { findContainerProgram, getLocalName, getRunArgs, runCommand } from './containers.ts'

/** Versions by Debian package, including those of the base image. */
type Versions = Readonly<Record<string, string>>

const file = fileURLToPath(new URL('debian-lock.json', import.meta.url))

export const readLockedVersions = (): Versions => JSON.parse(readFileSync(file, 'utf8')) as Versions // written below

export function lockVersions(versions: Versions): void {
  const sortedVersions = Object.entries(versions).sort(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(sortedVersions), undefined, 2)}\n`)
}

/** Returns the versions of the packages in a local image. */
export function readVersions(target: string): Versions {
  const program = findContainerProgram()
  const inspectArgs = ['--network=none', '--entrypoint=dpkg-query', getLocalName(program, target), '--show']
  const lines = runCommand(program, [...getRunArgs(program), ...inspectArgs]).split('\n')
  // Some names end with the architecture: `libc6:amd64`.
  return Object.fromEntries(lines.map((line) => line.split(/(?::\w+)?\t/) as [string, string])) // two in each line
}

/** Returns a message if an image has other package versions than the lock, otherwise undefined. */
export function describeLockMismatch(
  target: string,
  versions: Versions,
  locked: Versions,
): string | undefined {
  const otherVersions = Object.entries(versions).filter(([name, version]) => locked[name] !== version)
  if (otherVersions.length === 0) return undefined
  const list = otherVersions.map(
    ([name, version]) => `${name} ${version} (locked: ${locked[name] ?? 'none'})`,
  )
  const shownPackages = list.length > 10 ? [...list.slice(0, 10), `${list.length - 10} more`] : list
  return (
    `The packages of mutabor-${target} differ from layers/debian-lock.json: ${shownPackages.join(', ')}. ` +
    'Build it from a snapshot of the day of the lock (DEBIAN_SNAPSHOT), or accept these versions with ' +
    '`npm run images:lock` and commit the file.'
  )
}
