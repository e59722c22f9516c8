import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createCursorCodec, getPageCursors } from '../../lib/http/job-cursors.ts'
import { createPageLinks } from '../../lib/http/pagination.ts'
import { newId } from '../../lib/ids.ts'
import { idBounds } from '../../lib/jobs/list.ts'
import type { Job } from '../../lib/model/job.ts'

describe('cursors of job lists', () => {
  const secret = Buffer.from('a secret of this test')
  const codec = createCursorCodec('anon_1 failed', secret)
  const position = { direction: 'next', jobId: newId('job') } as const

  test('a cursor of a job list is valid for that list only, and a forged or truncated cursor is rejected', () => {
    const cursor = codec.write(position)
    assert.deepEqual(codec.read(cursor), position)
    const back = { ...position, direction: 'prev' } as const
    assert.deepEqual(codec.read(codec.write(back)), back)
    const forgedCursor = Buffer.from(
      Buffer.from(cursor, 'base64url').toString().replace('next', 'prev'),
    ).toString('base64url')
    const foreignCursors = [
      createCursorCodec('anon_2 failed', secret).write(position),
      createCursorCodec('anon_1 failed', Buffer.from('other')).write(position),
      codec.write({ direction: 'next', jobId: 'job_1' }),
      codec.write({ direction: 'up' as 'next', jobId: position.jobId }),
      ...[forgedCursor, cursor.slice(0, -4), '', 'x'],
    ]
    for (const foreignCursor of foreignCursors)
      assert.throws(
        () => codec.read(foreignCursor),
        { code: 'INVALID_INPUT', details: { field: 'cursor' } },
        foreignCursor,
      )
  })

  test('a page of jobs contains cursors of the next and previous page, if they exist', () => {
    const foundJobs = ['job_3', 'job_2'].map((id) => ({ id })) as unknown as Job[] // only ids are looked at
    const page = { foundJobs, next: undefined, position: undefined, isNewestFirst: true }
    const next = (jobId: string) => ({ direction: 'next', jobId })
    const createPrevCursor = (jobId: string) => ({ direction: 'prev', jobId })
    assert.deepEqual(getPageCursors(page), { next: undefined, prev: undefined })
    assert.deepEqual(getPageCursors({ ...page, next: 'job_2' }), { next: next('job_2'), prev: undefined })
    const secondPage = { ...page, position: { direction: 'next', jobId: 'job_4' } as const }
    assert.deepEqual(getPageCursors(secondPage), { next: undefined, prev: createPrevCursor('job_3') })
    assert.deepEqual(
      getPageCursors({ ...secondPage, foundJobs: [], next: 'job_1' }).prev,
      createPrevCursor('job_1'),
    )
    // The jobs of the page are gone: going back starts at the end of the list.
    assert.deepEqual(getPageCursors({ ...secondPage, foundJobs: [] }).prev, createPrevCursor(idBounds.first))
    assert.deepEqual(
      getPageCursors({ ...secondPage, foundJobs: [], isNewestFirst: false }).prev,
      createPrevCursor(idBounds.last),
    )
    const back = { ...page, position: { direction: 'prev', jobId: 'job_1' } as const }
    assert.deepEqual(getPageCursors(back), { next: next('job_2'), prev: undefined })
    assert.deepEqual(getPageCursors({ ...back, next: 'job_5' }), {
      next: next('job_2'),
      prev: createPrevCursor('job_5'),
    })
    assert.deepEqual(getPageCursors({ ...back, foundJobs: [], next: 'job_5' }).next, next('job_5'))
    assert.deepEqual(getPageCursors({ ...back, foundJobs: [] }).next, next(idBounds.last))
    assert.deepEqual(
      getPageCursors({ ...back, foundJobs: [], isNewestFirst: false }).next,
      next(idBounds.first),
    )
  })

  test('the Link header of a job list contains the URLs of the next and the previous page with the same filters', () => {
    const query = { status: 'failed', tag: undefined, limit: 5, before: 'older name' }
    const getLinks = (nextCursor: string | null, prevCursor: string | null) =>
      createPageLinks('https://a.test/v1/jobs', query, { limit: 5, hasMore: true, nextCursor, prevCursor })
    const next = '<https://a.test/v1/jobs?status=failed&limit=5&cursor=c%26d>; rel="next"'
    assert.deepEqual(getLinks('c&d', null), { headers: { link: next } })
    const prev = '<https://a.test/v1/jobs?status=failed&limit=5&cursor=b>; rel="prev"'
    assert.deepEqual(getLinks('c&d', 'b'), { headers: { link: `${next}, ${prev}` } })
    assert.deepEqual(getLinks(null, null), {})
  })
})
