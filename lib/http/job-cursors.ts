import { createHmac, timingSafeEqual } from 'node:crypto'
import { AppError } from '../errors.ts'
import { idPattern } from '../ids.ts'
import { idBounds } from '../jobs/list.ts'
import type { Job } from '../model/job.ts'

/** Where a page of a job list starts: after that id, in this direction, even if the job no longer exists. */
export interface ListPosition {
  readonly direction: 'next' | 'prev'
  readonly jobId: string
}

interface FoundPage {
  /** Jobs in list order. */
  readonly found: readonly Job[]
  /** Id at which the search stopped; undefined if it reached the end. */
  readonly next: string | undefined
  /** Where the page starts; undefined for the first page. */
  readonly position: ListPosition | undefined
  readonly isNewestFirst: boolean
}

/**
 * Returns the cursors of the next and previous page, undefined if there is none. With a narrow filter a page may be
 * empty without being the last: the next page starts where the search stopped. The jobs around a page may be gone by
 * the time that a client goes back; the cursor then starts at that end of the list.
 */
export function pageCursors({ found, next, position, isNewestFirst }: FoundPage): {
  readonly next: ListPosition | undefined
  readonly prev: ListPosition | undefined
} {
  const [top, end] = isNewestFirst ? [idBounds.last, idBounds.first] : [idBounds.first, idBounds.last]
  const nextPosition = (jobId: string): ListPosition => ({ direction: 'next', jobId })
  const previousPosition = (jobId: string): ListPosition => ({ direction: 'prev', jobId })
  if (position?.direction === 'prev') {
    return {
      next: nextPosition(found.at(-1)?.id ?? next ?? top),
      prev: next === undefined ? undefined : previousPosition(next),
    }
  }
  return {
    next: next === undefined ? undefined : nextPosition(next),
    prev: position && previousPosition(found[0]?.id ?? next ?? end),
  }
}

/** Encodes signed cursors. They are valid for one owner and one set of filters; all others are rejected. */
export function cursorCodec(scope: string, secret: Buffer) {
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
        // The whole text is compared: base64 has several spellings of the same bytes.
        const [expected, givenSignature] = [Buffer.from(write({ direction, jobId })), Buffer.from(cursor)]
        if (givenSignature.length === expected.length && timingSafeEqual(givenSignature, expected))
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
