import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  app,
  createJob,
  createOwner,
  fetchPage,
  getMinutes,
  idAt,
  listPages,
  minutesUpTo,
  newestFirst,
  setStatus,
} from './support/job-lists.ts'

test('pages of a job list do not shift when jobs are created, finish, expire or are deleted', async () => {
  const owner = await createOwner(...minutesUpTo(60).map((minute) => ({ minute })))
  const firstPage = await fetchPage(owner, { limit: '20' })
  await createJob(owner, { minute: 1000 })
  for (const minute of [25, 30, 39]) await setStatus(owner, minute, 'completed')
  await setStatus(owner, 40, 'failed')
  await setStatus(owner, 33, 'expired')
  await app.services.jobs.store.deleteJob(idAt(owner, 34))
  const laterPages = await listPages(owner, { limit: '20' }, 'next', firstPage.next ?? '')
  const remainingMinutes = minutesUpTo(60).filter((minute) => minute !== 33 && minute !== 34)
  assert.deepEqual(
    newestFirst([...firstPage.minutes, ...getMinutes(laterPages)]),
    newestFirst(remainingMinutes),
  )
  const back = await listPages(owner, { limit: '20' }, 'prev', laterPages[0]?.prev ?? '')
  assert.deepEqual(
    getMinutes(back.toReversed()),
    newestFirst([...remainingMinutes.filter((minute) => minute >= 40), 1000]),
  )
})

test('the previous page of a job list still links to the next page if all jobs of the previous page have expired', async () => {
  const owner = await createOwner(...minutesUpTo(20).map((minute) => ({ minute })))
  const firstPage = await fetchPage(owner, { limit: '10' })
  const secondPage = await fetchPage(owner, { limit: '10', cursor: firstPage.next ?? '' })
  for (const minute of minutesUpTo(20).slice(10)) await setStatus(owner, minute, 'expired')
  const back = await fetchPage(owner, { limit: '10', cursor: secondPage.prev ?? '' })
  assert.deepEqual([back.minutes, back.prev], [[], null])
  const pageAgain = await fetchPage(owner, { limit: '10', cursor: back.next ?? '' })
  assert.deepEqual(pageAgain.minutes, secondPage.minutes)
})

test('the next page of a job list still links to the previous page if all jobs of the next page have expired', async () => {
  const owner = await createOwner(...minutesUpTo(20).map((minute) => ({ minute })))
  const firstPage = await fetchPage(owner, { limit: '10' })
  for (const minute of minutesUpTo(10)) await setStatus(owner, minute, 'expired')
  const secondPage = await fetchPage(owner, { limit: '10', cursor: firstPage.next ?? '' })
  assert.deepEqual([secondPage.minutes, secondPage.next, secondPage.hasMore], [[], null, false])
  assert.deepEqual(
    (await fetchPage(owner, { limit: '10', cursor: secondPage.prev ?? '' })).minutes,
    firstPage.minutes,
  )
})

test('a job list whose filter matches few jobs may have empty pages, but its pages together contain all matches', async () => {
  const owner = await createOwner(
    ...minutesUpTo(620).map((minute) => ({ minute, target: minute === 3 ? 'webp' : 'pdf' })),
  )
  const newestFirstQuery = { targetFormat: 'webp', limit: '5' }
  const forwardPages = await listPages(owner, newestFirstQuery)
  assert.deepEqual(
    forwardPages.map(({ minutes, hasMore }) => [minutes, hasMore]),
    [
      [[], true],
      [[3], false],
    ],
  )
  const back = await listPages(owner, newestFirstQuery, 'prev', forwardPages.at(-1)?.prev ?? '')
  assert.deepEqual(
    back.map(({ minutes, next }) => [minutes, next !== null]),
    [
      [[], true],
      [[], true],
    ],
  )
  assert.deepEqual(getMinutes(await listPages(owner, newestFirstQuery, 'next', back.at(-1)?.next ?? '')), [3])
  const oldestFirstQuery = { ...newestFirstQuery, sort: 'createdAt' }
  const pages = await listPages(owner, oldestFirstQuery)
  assert.deepEqual(
    pages.map(({ minutes, hasMore }) => [minutes, hasMore]),
    [
      [[3], true],
      [[], false],
    ],
  )
  assert.deepEqual(
    getMinutes(await listPages(owner, oldestFirstQuery, 'prev', pages.at(-1)?.prev ?? '')),
    [3],
  )
  const emptyPages = await listPages(owner, { operation: 'thumbnail', limit: '100' })
  assert.deepEqual(
    emptyPages.map(({ minutes, hasMore }) => [minutes, hasMore]),
    [
      [[], true],
      [[], false],
    ],
  )
})

test('pages of a job list with include=tasks are shorter if the jobs have many tasks', async () => {
  const owner = await createOwner(...minutesUpTo(5).map((minute) => ({ minute, tasks: 900 })))
  const pages = await listPages(owner, { include: 'tasks', limit: '100' })
  assert.deepEqual(
    pages.map(({ minutes }) => minutes),
    [[4, 3], [2, 1], [0]],
  )
  assert.deepEqual((await fetchPage(owner)).minutes, [4, 3, 2, 1, 0])
})
