import { posix } from 'node:path'
import { describeNames } from '../../model/warning-details.ts'
import type { Tools } from '../engine.ts'
import type { KeptLink } from './kept-links.ts'
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
  if (links.length > 0) {
    const subject = links.length === 1 ? '1 link or device' : `${links.length} links or devices`
    const verb = links.length === 1 ? 'was left out' : 'were left out'
    tools.warn(
      'LINKS_DROPPED',
      `${subject} of the archive could point outside of it and ${verb}: ${listNames(links)}.`,
      describeNames(links),
    )
  }
  const duplicates = findDuplicates(entries)
  if (duplicates.length > 0) {
    const message = `Several files in the archive have the same name; only the last file of each name was kept: ${listNames(duplicates)}.`
    tools.warn('DUPLICATES_DROPPED', message, describeNames(duplicates))
  }
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
