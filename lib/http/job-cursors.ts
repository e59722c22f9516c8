import { createHmac, timingSafeEqual } from 'node:crypto'
import { AppError } from '../errors.ts'
import { idPattern } from '../ids.ts'
import type { Job } from '../jobs/job.ts'
import { idBounds } from '../jobs/list.ts'

/** Where in a list of jobs a page begins: at the job behind that id, in this direction, whether it is still there or not. */
export interface ListPosition {
  readonly direction: 'next' | 'prev'
  readonly jobId: string
}

interface FoundPage {
  /** In the order of the list. */
  readonly found: readonly Job[]
  /** Id up to which the search came; undefined where it came to the end. */
  readonly next: string | undefined
  /** Where it began; undefined on the first page. */
  readonly position: ListPosition | undefined
  readonly isNewestFirst: boolean
}

/**
 * The pages before and after one, undefined where there is none. A page of a narrow filter may be empty and yet not
 * the last: it goes on where the search stopped. And what was before or after a page may be gone by the time that
 * somebody looks: the way back begins at that end of the list then.
 */
export function pageCursors({ found, next, position, isNewestFirst }: FoundPage): {
  readonly next: ListPosition | undefined
  readonly prev: ListPosition | undefined
} {
  const [top, end] = isNewestFirst ? [idBounds.last, idBounds.first] : [idBounds.first, idBounds.last]
  const onward = (jobId: string): ListPosition => ({ direction: 'next', jobId })
  const backward = (jobId: string): ListPosition => ({ direction: 'prev', jobId })
  if (position?.direction === 'prev') {
    return {
      next: onward(found.at(-1)?.id ?? next ?? top),
      prev: next === undefined ? undefined : backward(next),
    }
  }
  return {
    next: next === undefined ? undefined : onward(next),
    prev: position && backward(found[0]?.id ?? next ?? end),
  }
}

/** Cursors hold for one owner and one set of filters; anything else is refused, not misread. */
export function cursorCodec(scope: string, secret: Buffer) {
  const tag = (text: string) =>
    createHmac('sha256', secret).update(`cursor\n${scope}\n${text}`).digest('base64url')
  return {
    write: ({ direction, jobId }: ListPosition) => {
      const text = `${direction}.${jobId}`
      return Buffer.from(`${text}.${tag(text)}`).toString('base64url')
    },
    read: (cursor: string): ListPosition => {
      const [direction, jobId = '', signed = ''] = Buffer.from(cursor, 'base64url')
        .toString('utf8')
        .split('.')
      const expected = Buffer.from(tag(`${direction}.${jobId}`))
      const given = Buffer.from(signed)
      const authentic = given.length === expected.length && timingSafeEqual(given, expected)
      if (authentic && (direction === 'next' || direction === 'prev') && idPattern('job').test(jobId))
        return { direction, jobId }
      throw new AppError(
        'INVALID_INPUT',
        'cursor: expected the cursor of another page of this same list (same filters). Start again without it.',
        { field: 'cursor' },
      )
    },
  }
}
