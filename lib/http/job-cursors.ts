import { createHmac, timingSafeEqual } from 'node:crypto'
import { AppError } from '../errors.ts'
import { idPattern } from '../ids.ts'
import { idBounds } from '../jobs/list.ts'
import type { Job } from '../model/job.ts'

/** Where a page of a job list starts: after this id, in this direction, even if the job no longer exists. */
export interface ListPosition {
  readonly direction: 'next' | 'prev'
  readonly jobId: string
}

interface FoundPage {
  /** The jobs found, in list order. */
  readonly foundJobs: readonly Job[]
  /** Id at which the search stopped; undefined if it reached the end. */
  readonly next: string | undefined
  /** Start of this page; undefined for the first page. */
  readonly position: ListPosition | undefined
  readonly isNewestFirst: boolean
}

/**
 * Returns the cursors of the next and previous page; undefined if there is none. With a narrow filter a page may be
 * empty without being the last one: the next page starts where the search stopped. If the jobs before a page have been
 * deleted when a client goes back, the cursor starts at that end of the list.
 */
export function getPageCursors({ foundJobs, next, position, isNewestFirst }: FoundPage): {
  readonly next: ListPosition | undefined
  readonly prev: ListPosition | undefined
} {
  const [firstId, lastId] = isNewestFirst ? [idBounds.last, idBounds.first] : [idBounds.first, idBounds.last]
  const createNextPosition = (jobId: string): ListPosition => ({ direction: 'next', jobId })
  const createPreviousPosition = (jobId: string): ListPosition => ({ direction: 'prev', jobId })
  if (position?.direction === 'prev') {
    return {
      next: createNextPosition(foundJobs.at(-1)?.id ?? next ?? firstId),
      prev: next === undefined ? undefined : createPreviousPosition(next),
    }
  }
  return {
    next: next === undefined ? undefined : createNextPosition(next),
    prev: position && createPreviousPosition(foundJobs[0]?.id ?? next ?? lastId),
  }
}

/**
 * Encodes and decodes signed cursors. A cursor is valid for one owner and one set of filters; any other cursor is
 * rejected.
 */
export function createCursorCodec(scope: string, secret: Buffer) {
  const tag = (text: string) =>
    createHmac('sha256', secret).update(`cursor\n${scope}\n${text}`).digest('base64url')
  const write = ({ direction, jobId }: ListPosition) => {
    const text = `${direction}.${jobId}`
    return Buffer.from(`${text}.${tag(text)}`).toString('base64url')
  }
  return {
    write,
    read: (cursor: string): ListPosition => {
      const [direction, jobId = ''] = Buffer.from(cursor, 'base64url').toString('utf8').split('.', 2)
      if ((direction === 'next' || direction === 'prev') && idPattern('job').test(jobId)) {
        // The whole text is compared, because base64 has several spellings of the same bytes.
        const [expectedCursor, givenCursor] = [Buffer.from(write({ direction, jobId })), Buffer.from(cursor)]
        if (givenCursor.length === expectedCursor.length && timingSafeEqual(givenCursor, expectedCursor))
          return { direction, jobId }
      }
      throw new AppError(
        'INVALID_INPUT',
        'cursor: expected a cursor of this list with the same filters. Omit it to start from the first page.',
        { field: 'cursor' },
      )
    },
  }
}
