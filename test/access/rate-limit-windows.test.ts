import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PermitBlocks } from '../../lib/access/permit-blocks.ts'
import {
  computeSecondsUntil,
  createPolicies,
  createRateLimitHeaders,
  findTightestWindow,
  getLimitRecordKey,
  getWindowEnd,
  getWindowSeconds,
  type RequestKind,
  type WindowName,
  type WindowUsage,
  windowNames,
} from '../../lib/access/rate-limit-windows.ts'
import { requireFilesPerJob } from '../../lib/accounts/plan-limits.ts'
import { defaultPlans } from '../../lib/plans.ts'

const now = Date.UTC(2026, 1, 3, 4, 5, 6)

const createUsage = (name: WindowName, used: number, limit: number, endsAt = now + 60_000): WindowUsage => ({
  policy: { name, counter: name, limit },
  used,
  endsAt,
})

describe('windows of the rate limits', () => {
  test('a rate-limit window of a minute or an hour starts with its first request, and longer windows follow the calendar', () => {
    assert.deepEqual(
      windowNames.map((name) => new Date(getWindowEnd(name, now)).toISOString()),
      [
        '2026-02-03T04:06:06.000Z',
        '2026-02-03T05:05:06.000Z',
        '2026-02-03T04:06:06.000Z',
        '2026-02-04T00:00:00.000Z',
        '2026-03-01T00:00:00.000Z',
      ],
    )
    assert.deepEqual(windowNames.map(getWindowSeconds), [60, 3600, 60, 86_400, 2_678_400])
  })

  test('limits per minute and hour are counted per client, quotas per owner, and reads separately if the plan says so', () => {
    const listPolicyNames = (plan: keyof typeof defaultPlans, kind: RequestKind) =>
      createPolicies(defaultPlans[plan], { limiterKey: 'ip:192.0.2.1' }, kind)
    assert.deepEqual(listPolicyNames('anonymous', 'work'), [
      { name: 'minute', counter: 'minute ip:192-0-2-1', limit: 5 },
      { name: 'hour', counter: 'hour ip:192-0-2-1', limit: 30 },
      { name: 'day', counter: 'day', limit: 15 },
    ])
    assert.deepEqual(
      listPolicyNames('anonymous', 'write').map(({ name }) => name),
      ['minute', 'hour'],
    )
    assert.deepEqual(listPolicyNames('anonymous', 'read'), [
      { name: 'reads', counter: 'reads ip:192-0-2-1', limit: 60 },
    ])
    const minute = { name: 'minute', counter: 'minute ip:192-0-2-1', limit: 60 }
    for (const kind of ['read', 'write'] as const)
      assert.deepEqual(listPolicyNames('starter', kind), [minute])
    assert.deepEqual(listPolicyNames('starter', 'work'), [
      minute,
      { name: 'month', counter: 'month', limit: 5000 },
    ])
    assert.deepEqual(listPolicyNames('self-hosted', 'work'), [])
    const getRecordKey = (kind: 'anonymous' | 'key' | 'session') =>
      getLimitRecordKey({ kind, ownerId: 'acc_1', limiterKey: 'key:1' })
    assert.deepEqual(getRecordKey('anonymous'), { pk: 'LIMIT#key:1', sk: 'LIMIT' })
    for (const kind of ['key', 'session'] as const)
      assert.deepEqual(getRecordKey(kind), { pk: 'LIMIT#acc_1', sk: 'LIMIT' })
  })

  test('of several rate-limit windows, the one with the fewest remaining requests is reported', () => {
    const [minute, hour, day] = [
      createUsage('minute', 9, 10),
      createUsage('hour', 5, 10),
      createUsage('day', 9, 10, now + 1),
    ]
    assert.equal(findTightestWindow([hour, minute])?.policy.name, 'minute')
    assert.equal(findTightestWindow([day, minute]), minute)
    assert.equal(findTightestWindow([minute, day]), minute)
    // A window beyond its limit has 0 remaining, like one at its limit.
    assert.equal(
      findTightestWindow([createUsage('minute', 12, 10, now), createUsage('hour', 10, 10)])?.policy.name,
      'hour',
    )
    assert.equal(findTightestWindow([]), undefined)
  })

  test('rate limits are reported in X-RateLimit-* headers and in the RateLimit and RateLimit-Policy headers', () => {
    assert.deepEqual(
      createRateLimitHeaders([createUsage('day', 12, 10, now + 1500), createUsage('minute', 3, 60)], now),
      {
        'x-ratelimit-limit': '10',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(Math.ceil((now + 1500) / 1000)),
        'ratelimit-policy': '"day";q=10;w=86400, "minute";q=60;w=60',
        ratelimit: '"day";r=0;t=2',
      },
    )
    assert.deepEqual([computeSecondsUntil(now, now), computeSecondsUntil(now + 1001, now)], [1, 2])
  })
})

describe('permit blocks of the rate limits', () => {
  /** Adds a block of `count` permits and returns the usage that each request sees. */
  function addBlock(count: number, used: number, limit = 1000, at = now) {
    const blocks = new PermitBlocks()
    const usages = [blocks.addBlock('one', 'LIMIT#1', count, [createUsage('minute', used, limit)])]
    for (;;) {
      const nextUsages = blocks.takePermit('one', at)
      if (!nextUsages) return { blocks, used: usages.map(([first]) => first?.used) }
      usages.push(nextUsages)
    }
  }

  test('each permit of a rate-limit block reports the usage up to that permit, until the block or its window ends', () => {
    assert.deepEqual(addBlock(4, 20).used, [17, 18, 19, 20])
    assert.deepEqual(addBlock(1, 20).used, [20])
    assert.deepEqual(addBlock(4, 20, 1000, now + 60_000).used, [17], 'the window has ended')
    assert.equal(new PermitBlocks().takePermit('one', now), undefined)
  })

  /** Returns the block size after a number of requests within a second. */
  function getBlockSizeAfter(requestCount: number, used: number, limit: number, requestedAtMs = now) {
    const blocks = new PermitBlocks()
    blocks.addBlock('one', 'LIMIT#1', 1, [createUsage('minute', used, limit)])
    for (let each = 0; each < requestCount; each++) blocks.takePermit('one', now)
    return blocks.getBlockSize('one', requestedAtMs)
  }

  test('a block of rate-limit permits is as large as the number of requests within a second, from one to sixteen', () => {
    assert.deepEqual(
      [getBlockSizeAfter(0, 0, 10_000), getBlockSizeAfter(3, 0, 10_000), getBlockSizeAfter(40, 0, 10_000)],
      [1, 3, 16],
    )
    assert.equal(new PermitBlocks().getBlockSize('one', now), 1)
    const blocks = new PermitBlocks()
    blocks.addBlock('one', 'LIMIT#1', 1, [createUsage('minute', 0, 10_000)])
    for (const ms of [0, 400, 999, 1000, 1100]) blocks.takePermit('one', now + ms)
    assert.equal(
      blocks.getBlockSize('one', now + 1100),
      2,
      'a second after the first request, the pace is measured again',
    )
    assert.equal(getBlockSizeAfter(9, 0, 10_000, now + 60_000), 1, 'the window has ended')
  })

  test('a rate-limit permit block covers at most an eighth of the remaining requests and ends before the quota warning', () => {
    assert.equal(getBlockSizeAfter(40, 900, 1000), 12)
    assert.equal(getBlockSizeAfter(40, 995, 1000), 1)
    // The warning is triggered at 800.
    assert.deepEqual(
      [getBlockSizeAfter(40, 790, 1000), getBlockSizeAfter(40, 798, 1000), getBlockSizeAfter(40, 799, 1000)],
      [9, 1, 1],
    )
    assert.equal(getBlockSizeAfter(40, 800, 1000), 16)
  })

  test('unused permits of a rate-limit block are not reported as used requests', () => {
    const { blocks } = addBlock(1, 20)
    blocks.addBlock('two', 'LIMIT#1', 5, [createUsage('minute', 25, 1000), createUsage('day', 25, 1000)])
    blocks.addBlock('three', 'LIMIT#2', 9, [createUsage('minute', 9, 1000)])
    const countUsed = (of: WindowUsage) => {
      const [listedUsage] = blocks.subtractUnused('LIMIT#1', [of])
      assert.deepEqual({ ...listedUsage, used: of.used }, of)
      return listedUsage?.used
    }
    assert.equal(countUsed(createUsage('minute', 25, 1000)), 21)
    assert.equal(countUsed(createUsage('hour', 25, 1000)), 25, 'another window')
    assert.equal(countUsed(createUsage('minute', 25, 1000, now + 61_000)), 25, 'the next window')
    blocks.takePermit('two', now)
    assert.equal(countUsed(createUsage('minute', 25, 1000)), 22)
  })

  test('a block of prepaid permits ends with the first of its rate-limit windows, and reports the usage of each window', () => {
    const usages = [createUsage('minute', 9, 1000), createUsage('day', 19, 1000, now + 90_000)]
    const blocks = new PermitBlocks()
    blocks.addBlock('one', 'LIMIT#1', 3, usages)
    assert.deepEqual(
      blocks.takePermit('one', now),
      usages.map((one) => ({ ...one, used: one.used - 1 })),
    )
    assert.equal(blocks.takePermit('one', now + 60_000), undefined)
    assert.ok(blocks.takePermit('one', now + 59_999))
  })

  test('at most ten thousand rate-limit permit blocks are stored', () => {
    const blocks = new PermitBlocks()
    const wide = [createUsage('minute', 0, 1_000_000)]
    const begin = (name: string) => blocks.addBlock(name, name, 5, wide)
    begin('one')
    for (let at = 1; at < 10_000; at++) begin(`${at}`)
    assert.ok(blocks.takePermit('one', now))
    begin('one too many')
    assert.equal(blocks.takePermit('one', now), undefined)
  })

  test('the request rate is remembered for at most ten thousand rate-limited clients', () => {
    const blocks = new PermitBlocks()
    blocks.addBlock('one', 'LIMIT#1', 1, [createUsage('minute', 0, 1_000_000)])
    for (let permitsLeft = 3; permitsLeft > 0; permitsLeft--) blocks.takePermit('one', now)
    for (let at = 1; at < 10_000; at++) blocks.takePermit(`${at}`, now)
    assert.equal(blocks.getBlockSize('one', now), 3)
    blocks.takePermit('one too many', now)
    assert.equal(blocks.getBlockSize('one', now), 1)
  })
})

test('the error for a job with more files than the plan allows names the limit and the number of files', () => {
  const bounds = {
    plan: 'free',
    maxFileBytes: 1,
    retentionHours: 1,
    concurrentJobs: 1,
    hasFewJobs: true,
  } as const
  requireFilesPerJob(5, 'file', { ...bounds, filesPerJob: 5 })
  const requireFiles = (fileCount: number, filesPerJob: number) => () =>
    requireFilesPerJob(fileCount, 'file', { ...bounds, filesPerJob })
  assert.throws(requireFiles(6, 5), {
    message: /^file: expected at most 5 files per job with the plan free, got 6\./,
    details: { field: 'file', max: 5, got: 6, plan: 'free' },
  })
  assert.throws(requireFiles(2, 1), /at most 1 file per job/)
})
