// Rules of the three batch actions.
import { SqsError } from './errors.ts'

const maxEntries = 10

interface Entry {
  readonly Id: string
}

interface Failure {
  readonly Id: string
  readonly SenderFault: boolean
  readonly Code: string
  readonly Message: string
}

/** Throws for an error of the batch itself, in which case no entry is processed. */
export function checkBatch(action: string, entries: readonly Entry[]) {
  if (entries.length === 0)
    throw new SqsError(
      'EmptyBatchRequest',
      `There should be at least one ${action}RequestEntry in the request.`,
    )
  if (entries.length > maxEntries)
    throw new SqsError(
      'TooManyEntriesInBatchRequest',
      `Maximum number of entries per request are ${maxEntries}. You have sent ${entries.length}.`,
    )
  const seenIds = new Set<string>()
  for (const { Id } of entries) {
    if (!/^[\w-]{1,80}$/.test(Id))
      throw new SqsError(
        'InvalidBatchEntryId',
        'A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.',
      )
    if (seenIds.has(Id)) throw new SqsError('BatchEntryIdsNotDistinct', `Id ${Id} repeated.`)
    seenIds.add(Id)
  }
}

/** Processes every entry; a refused entry does not affect the others. */
export function runBatch<E extends Entry, R extends object>(entries: readonly E[], run: (entry: E) => R) {
  const Successful: ({ Id: string } & R)[] = []
  const Failed: Failure[] = []
  for (const entry of entries) {
    try {
      Successful.push({ Id: entry.Id, ...run(entry) })
    } catch (error) {
      if (!(error instanceof SqsError)) throw error
      Failed.push({
        Id: entry.Id,
        SenderFault: error.fault === 'Sender',
        Code: error.code,
        Message: error.message,
      })
    }
  }
  return { Successful, Failed }
}
