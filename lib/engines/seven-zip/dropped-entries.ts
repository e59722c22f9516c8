import { posix } from 'node:path'
import { describeNames } from '../../model/warning-details.ts'
import type { Tools } from '../engine.ts'
import { findSafeLinks, type KeptLink } from './kept-links.ts'
import { type ArchiveEntry, findUnsafeEntries } from './list-entries.ts'

/** Maximum number of names in a warning, and maximum characters of a name. */
const maxNames = 10
const maxNameCharacters = 100

/** Warns about entries of the archive that are not in the result. */
export function warnAboutDroppedEntries(
  entries: readonly ArchiveEntry[],
  tools: Tools,
  keptLinks: readonly KeptLink[] = [],
): void {
  const keptNames = new Set(keptLinks.map(({ name }) => name))
  const links = findUnsafeEntries(entries).flatMap(({ kind, name }) =>
    kind === 'link' && keptNames.has(posix.normalize(name)) ? [] : [name],
  )
  const safeNames = new Set(findSafeLinks(entries).map(({ name }) => name))
  const isSafe = (name: string) => safeNames.has(posix.normalize(name))
  const noLinksReason = 'the result contains only files and folders'
  warnAboutLinks(links.filter(isSafe), ['link to a file', 'links to files'], noLinksReason, tools)
  const unsafeLinks = links.filter((name) => !isSafe(name))
  const unsafeReason = 'only those that lead to a file of the archive are kept'
  warnAboutLinks(unsafeLinks, ['link or device', 'links or devices'], unsafeReason, tools)
  const duplicates = findDuplicates(entries)
  if (duplicates.length > 0) {
    const message = `Several files in the archive have the same name; only the last file of each name was kept: ${listNames(duplicates)}.`
    tools.warn('DUPLICATES_DROPPED', message, describeNames(duplicates))
  }
}

function warnAboutLinks(
  names: readonly string[],
  [singular, plural]: readonly [string, string],
  reason: string,
  tools: Tools,
): void {
  if (names.length === 0) return
  const subject =
    names.length === 1 ? `1 ${singular} of the archive was` : `${names.length} ${plural} of the archive were`
  tools.warn(
    'LINKS_DROPPED',
    `${subject} left out, because ${reason}: ${listNames(names)}.`,
    describeNames(names),
  )
}

/** Returns the names that several files share, but not repeated folder entries, which are normal. */
function findDuplicates(entries: readonly ArchiveEntry[]): string[] {
  const files = entries
    .filter(({ kind }) => kind === 'file')
    .map(({ name }) => name.replace(/^(?:\.\/)+/, ''))
  const seenNames = new Set<string>()
  return [...new Set(files.filter((name) => seenNames.has(name) || !seenNames.add(name)))]
}

function listNames(names: readonly string[]): string {
  const shownNames = names
    .slice(0, maxNames)
    .map((name) => JSON.stringify(name.toWellFormed().slice(0, maxNameCharacters)))
  const hiddenCount = names.length - shownNames.length
  return `${shownNames.join(', ')}${hiddenCount > 0 ? ` and ${hiddenCount} more` : ''}`
}
