import { spawnSync } from 'node:child_process'

/**
 * Returns the files that differ between the commit and its first parent; moved files count with both paths. Undefined
 * if the parent is not there, as in a shallow clone.
 */
export function listChangedFiles(folder = process.cwd()): string[] | undefined {
  const args = ['diff', '--name-only', '--no-renames', '-z', 'HEAD^1', 'HEAD']
  const { status, stdout } = spawnSync('git', args, { cwd: folder, encoding: 'utf8', maxBuffer: 1e8 })
  return status === 0 ? stdout.split('\0').filter((name) => name !== '') : undefined
}
