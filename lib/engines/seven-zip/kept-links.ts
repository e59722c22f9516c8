import { writeFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { maxDepth } from '../../formats/archive-limits.ts'
import type { Tools } from '../engine.ts'
import type { ArchiveEntry } from './list-entries.ts'

/**
 * A symbolic link that is also written to the new archive. It is never created in the folder, where a program could
 * follow it.
 */
export interface KeptLink {
  readonly name: string
  readonly target: string
}

const normalizeEntryName = (name: string) => posix.normalize(name).replace(/\/$/, '')

/** Returns the links to files or folders of the archive, except those that lead through other links. */
export function findSafeLinks(entries: readonly ArchiveEntry[]): KeptLink[] {
  const links = new Set(
    entries.flatMap(({ kind, name }) => (kind === 'link' ? [normalizeEntryName(name)] : [])),
  )
  const names = new Set(
    entries.flatMap(({ kind, name }) => (kind === 'link' ? [] : listParentPaths(normalizeEntryName(name)))),
  )
  return entries.flatMap(({ kind, name, linkTarget }) => {
    if (kind !== 'link' || !linkTarget || posix.isAbsolute(linkTarget)) return []
    if (linkTarget.split('/').length > maxDepth) return []
    const target = normalizeEntryName(posix.join(posix.dirname(name), linkTarget))
    const leadsThroughLink = [
      ...listParentPaths(target),
      ...listParentPaths(posix.dirname(normalizeEntryName(name))),
    ].some((path) => links.has(path))
    return names.has(target) && !leadsThroughLink
      ? [{ name: normalizeEntryName(name), target: linkTarget }]
      : []
  })
}

/** Returns a path and the folders above it. */
function listParentPaths(path: string): string[] {
  const segments = path.split('/')
  return segments.map((_, index) => segments.slice(0, index + 1).join('/'))
}

/** Writes the links as a list that bsdtar adds to an archive (mtree(5)) and returns its arguments. */
export async function writeLinkList(links: readonly KeptLink[], tools: Tools): Promise<string[]> {
  if (links.length === 0) return []
  const linkListPath = join(tools.workDir, 'links.mtree')
  const lines = links.map(
    ({ name, target }) =>
      `${escapeBytes(name)} type=link mode=0777 uid=0 gid=0 time=0.0 link=${escapeBytes(target)}\n`,
  )
  await writeFile(linkListPath, `#mtree\n${lines.join('')}`)
  return [`@${linkListPath}`]
}

/** Writes bytes that may have a meaning in the list as octal codes. */
const escapeBytes = (text: string) =>
  Buffer.from(text)
    .toString('latin1')
    .replaceAll(/[^\w./-]/g, (byte) => `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`)
