import type { Tools } from '../engine.ts'
import { type Entry, unwanted } from './list-entries.ts'

/** Names that a warning lists, and letters of each. */
const mostNames = 10
const mostLetters = 100

/** Tells the client what of an archive is not in the result. */
export function tellWhatIsDropped(entries: readonly Entry[], tools: Tools): void {
  const links = unwanted(entries).map(({ name }) => name)
  if (links.length > 0) {
    const what = links.length === 1 ? '1 link or device' : `${links.length} links or devices`
    const end = links.length === 1 ? 'was left out' : 'were left out'
    tools.warn('LINKS_DROPPED', `${what} of the archive could lead out of it and ${end}: ${listed(links)}.`)
  }
  const twice = repeated(entries)
  if (twice.length > 0) {
    const what = twice.length === 1 ? 'One name stands' : `${twice.length} names stand`
    const sentence = `${what} in the archive more than once, and the last file of each was kept: ${listed(twice)}.`
    tools.warn('DUPLICATES_DROPPED', sentence)
  }
}

/** Each name once that several files have; a folder may well be named again. */
function repeated(entries: readonly Entry[]): string[] {
  const files = entries
    .filter(({ kind }) => kind === 'file')
    .map(({ name }) => name.replace(/^(?:\.\/)+/, ''))
  const seen = new Set<string>()
  return [...new Set(files.filter((name) => seen.has(name) || !seen.add(name)))]
}

function listed(names: readonly string[]): string {
  const some = names
    .slice(0, mostNames)
    .map((name) => JSON.stringify(name.toWellFormed().slice(0, mostLetters)))
  const rest = names.length - some.length
  return `${some.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}
