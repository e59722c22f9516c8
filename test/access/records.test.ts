import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { moveToAccount, resumeMove } from '../../lib/access/adopt-anonymous.ts'
import { signOwnerToken } from '../../lib/access/anonymous.ts'
import { createKeyPrincipal } from '../../lib/access/api-key-auth.ts'
import { ApiKeys } from '../../lib/access/api-keys.ts'
import { createAuditWrite, listAuditEntries } from '../../lib/access/audit.ts'
import { listAccounts, updateAccount } from '../../lib/access/manage-accounts.ts'
import { emailOwner } from '../../lib/accounts/account-emails.ts'
import { getAccountKey, readAccount } from '../../lib/accounts/accounts.ts'
import { isSameOwner } from '../../lib/accounts/same-owner.ts'
import { getOwnedCountsKey } from '../../lib/aws/owned-records.ts'
import { newId } from '../../lib/ids.ts'
import { defined } from '../../lib/validation/defined.ts'
import { after, before } from '../hooks.ts'
import { type EmbeddedApp, openApp } from '../http/embedded-app.ts'
import { newAccount } from '../support/account.ts'
import { createMailbox } from './test-browser.ts'

/** Accounts, keys and the audit trail in the table. */

let app: EmbeddedApp
before(async () => {
  app = await openApp()
})
after(() => app.close())

const dateAfter = (ms: number) => new Date(Date.now() + ms)
const dayMs = 86_400_000

describe('API keys in the table', () => {
  const input = { name: 'One', kind: 'secret', scopes: ['CONVERT_READ' as const] } as const
  const createKey = async (owner: string, moreFields = {}) => {
    const { key } =
      (await new ApiKeys(app.services).create(owner, {
        ...input,
        scopes: [...input.scopes],
        ...moreFields,
      })) ?? {}
    return key ?? assert.fail('it was not made')
  }

  test('an account with fifty API keys cannot create or rotate a key until it revokes one', async () => {
    const { table } = app.services
    const keys = new ApiKeys(app.services)
    const owner = await newAccount(app.services)
    await createKey(owner)
    await table.update(getOwnedCountsKey(owner), { set: { KEY: 49 } })
    const lastKey = await createKey(owner)
    assert.equal(await keys.create(owner, { ...input, scopes: [] }), undefined)
    assert.equal(await keys.rotate(lastKey), 'full')
    assert.equal((await keys.find(lastKey.id))?.validUntil, undefined, 'the key was not rotated')
    assert.equal((await keys.list(owner)).length, 2)
    assert.equal(await keys.revoke(lastKey), true)
    await createKey(owner)
  })

  test('the replacement of a rotated API key has the same name, scopes, restrictions and expiry', async () => {
    const keys = new ApiKeys(app.services)
    const bounds = {
      kind: 'public',
      expiresAt: dateAfter(3 * dayMs).toISOString(),
      allowedIps: ['192.0.2.1'],
      allowedOrigins: ['https://www.example.com'],
    }
    const key = await createKey(await newAccount(app.services), bounds)
    const rotatedKey = await keys.rotate(key)
    assert.ok(typeof rotatedKey === 'object')
    assert.partialDeepStrictEqual(rotatedKey.key, {
      ...bounds,
      name: 'One',
      scopes: ['CONVERT_READ'],
      earlier: [key.id],
    })
    assert.match(rotatedKey.text, /^ck_/)
    assert.deepEqual(
      (await keys.list(key.owner)).map(({ id }) => id),
      [rotatedKey.key.id, key.id],
    )
  })

  test('a rotated API key stays valid for a day, or until it expires if that is earlier', async () => {
    const keys = new ApiKeys(app.services)
    const owner = await newAccount(app.services)
    const now = new Date()
    const validUntil = async (expiresInMs: number) => {
      const key = await createKey(owner, { expiresAt: new Date(now.getTime() + expiresInMs).toISOString() })
      const rotatedKey = await keys.rotate(key, () => [], now)
      assert.ok(typeof rotatedKey === 'object')
      return Date.parse(rotatedKey.previous.validUntil ?? '') - now.getTime()
    }
    assert.deepEqual([await validUntil(3_600_000), await validUntil(2 * dayMs)], [3_600_000, dayMs])
  })

  test('concurrent rotations of an API key create one new key, which lists the ids of the last twenty rotated keys', async () => {
    const keys = new ApiKeys(app.services)
    const owner = await newAccount(app.services)
    const earlierIds = Array.from({ length: 20 }, (_, at) => `key_${at}`)
    const key = await createKey(owner, { earlier: earlierIds })
    const allRotations = await Promise.all([keys.rotate(key), keys.rotate(key), keys.rotate(key)])
    const rotatedKeys = allRotations.flatMap((rotation) =>
      typeof rotation === 'object' ? [rotation.key] : [],
    )
    assert.deepEqual(
      rotatedKeys.map((rotatedKey) => rotatedKey.earlier),
      [[...earlierIds.slice(1), key.id]],
    )
    assert.equal((await keys.list(owner)).length, 2, 'the old and the new key')
  })

  test('a revoked API key cannot be revoked again, changed or rotated', async () => {
    const keys = new ApiKeys(app.services)
    const key = await createKey(await newAccount(app.services))
    assert.deepEqual([await keys.revoke(key), await keys.revoke(key)], [true, false])
    assert.equal(await keys.change(key, { name: 'Two' }), undefined)
    assert.equal(await keys.rotate(key), undefined)
    assert.deepEqual(await keys.list(key.owner), [])
    const hashItem = await app.services.table.get({ pk: `KEYHASH#${key.digest}`, sk: 'KEY' })
    const ttlS = Number(hashItem?.['ttl']) - Date.now() / 1000
    assert.ok(Math.abs(ttlS - 90 * 86_400) < 60, 'the reason is remembered for 90 days')
  })

  test('the last use of an API key is stored at most once a minute', async () => {
    const key = await createKey(await newAccount(app.services))
    const keys = new ApiKeys(app.services)
    const useFrom = async (sourceIp: string, lastUsedAt?: Date) => {
      const usedKey = { ...key, ...defined({ lastUsedAt: lastUsedAt?.toISOString() }) }
      await createKeyPrincipal(usedKey, { headers: {}, method: 'GET', sourceIp }, app.services)
      return (await keys.find(key.id))?.lastUsedIp
    }
    assert.equal(await useFrom('192.0.2.1'), '192.0.2.1')
    assert.equal(await useFrom('192.0.2.2', dateAfter(-50_000)), '192.0.2.1')
    assert.equal(await useFrom('192.0.2.3', dateAfter(-61_000)), '192.0.2.3')
    const { lastUsedAt = '' } = (await keys.find(key.id)) ?? {}
    assert.ok(Math.abs(Date.parse(lastUsedAt) - Date.now()) < 10_000)
  })

  test('authentication with an API key returns its account, plan and scopes, and fails if the account does not exist', async () => {
    const owner = await newAccount(app.services, { plan: 'enterprise' })
    const request = { headers: { origin: 'https://www.example.com' }, method: 'GET', sourceIp: '192.0.2.1' }
    const key = await createKey(owner, { kind: 'public', allowedOrigins: ['https://www.example.com'] })
    assert.deepEqual(await createKeyPrincipal(key, request, app.services), {
      ownerId: owner,
      kind: 'key',
      plan: 'business',
      role: 'USER',
      scopes: new Set(['CONVERT_READ']),
      limiterKey: `key:${key.id}`,
      keyId: key.id,
      isPublic: true,
      credential: [
        { pk: `ACCOUNT#${owner}`, sk: 'ACCOUNT' },
        { pk: `KEYHASH#${key.digest}`, sk: 'KEY' },
      ],
    })
    const goneKey = { ...key, owner: newId('acc') }
    await assert.rejects(createKeyPrincipal(goneKey, request, app.services), {
      details: { reason: 'unknown' },
    })
  })
})

describe('the audit trail of accounts', () => {
  test('the audit trail lists the entries from the last 400 days, newest first', async () => {
    const { table } = app.services
    const now = new Date('2020-03-01T00:00:00Z')
    const at = ['2018-11-30', '2019-02-01', '2019-12-31', '2020-02-29T23:59:59.999Z', '2020-03-01']
    for (const [index, time] of at.entries()) {
      const write = createAuditWrite(
        { actor: 'acc_1', action: 'key.create', subject: `${index}` },
        new Date(time),
      )
      assert.ok('put' in write)
      const { ttl, ...entry } = write.put
      assert.equal(ttl, Math.floor(Date.parse(time) / 1000) + 400 * 86_400)
      await table.put({ ...entry, id: `aud_${index}`, sk: `aud_${index}` })
    }
    const pages: string[][] = []
    let cursorBefore: string | undefined
    do {
      const { entries, next } = await listAuditEntries(table, { limit: 2, before: cursorBefore }, now)
      pages.push(entries.map(({ subject }) => subject))
      cursorBefore = next ?? undefined
    } while (cursorBefore !== undefined)
    assert.deepEqual(pages, [
      ['4', '3'],
      ['2', '1'],
    ])
    const { entries } = await listAuditEntries(table, { limit: 5, before: 'aud_2' }, now)
    const [auditEntry] = entries
    assert.deepEqual(auditEntry, {
      id: 'aud_1',
      at: '2019-02-01T00:00:00.000Z',
      actor: 'acc_1',
      action: 'key.create',
      subject: '1',
      before: null,
      after: null,
      ip: null,
    })
    assert.equal(entries.length, 1)
  })
})

describe('accounts', () => {
  const listIds = async (filter: Omit<Parameters<typeof listAccounts>[0], 'limit'>, limit = 100) => {
    const { accounts, next } = await listAccounts({ ...filter, limit }, app.services)
    return { ids: accounts.map(({ id }) => id), next }
  }

  test('an account search matches part of the email address or name regardless of case, and can be limited to a plan', async () => {
    const ids = [
      await newAccount(app.services, { name: 'Grace Hopper', plan: 'business' }),
      await newAccount(app.services, { name: 'hopper', email: 'one@example.com' }),
      await newAccount(app.services, { name: 'Ann', email: 'hopper@example.com', plan: 'business' }),
    ]
    const [graceId = '', , annId = ''] = ids
    assert.deepEqual(await listIds({ q: 'HOPPER' }), { ids: ids.toReversed(), next: null })
    assert.deepEqual(await listIds({ q: 'hopper', plan: 'business' }), { ids: [annId, graceId], next: null })
    assert.deepEqual(await listIds({ q: 'hopper', before: annId }, 1), { ids: [ids[1]], next: ids[1] })
    assert.deepEqual(await listIds({ q: 'no account has this name' }), { ids: [], next: null })
    // A match cannot span the email address and the name.
    assert.deepEqual(await listIds({ q: 'comAnn' }), { ids: [], next: null })
  })

  test('an account search with few matches scans at most a thousand accounts per page', async () => {
    const [firstId] = [await newAccount(app.services, { name: 'The very first' })]
    const { table } = app.services
    const account = await table.get(getAccountKey(await newAccount(app.services)))
    const ids = Array.from({ length: 1000 }, () => newId('acc'))
    await table.writeAll(ids.map((id) => ({ ...account, id, ...getAccountKey(id) })))
    const foundIds = await listIds({ q: 'the very first' })
    assert.deepEqual(foundIds, { ids: [], next: ids.toSorted()[0] })
    assert.deepEqual(await listIds({ q: 'the very first', before: foundIds.next ?? '' }), {
      ids: [firstId],
      next: null,
    })
  })

  test('three concurrent changes to an account all take effect and are audited', async () => {
    const id = await newAccount(app.services)
    const allIds = await Promise.all(
      [{ plan: 'business' }, { role: 'ADMIN' as const }, { status: 'suspended' as const }].map((change) =>
        updateAccount(id, change, { id: 'command' }, app.services),
      ),
    )
    assert.ok(allIds.every((one) => one?.before.id === id))
    assert.partialDeepStrictEqual(await readAccount(app.services, id), {
      plan: 'business',
      role: 'ADMIN',
      status: 'suspended',
    })
    const { entries } = await listAuditEntries(app.services.table, { limit: 100 })
    assert.deepEqual(
      entries
        .filter(({ subject }) => subject === id)
        .map(({ action }) => action)
        .toSorted(),
      ['user.plan', 'user.role', 'user.status'],
    )
  })

  test('emails are only sent to active accounts with a confirmed address', async () => {
    const box = createMailbox()
    const write = async (moreFields: Parameters<typeof newAccount>[1]) =>
      emailOwner(
        app.services,
        await newAccount(app.services, moreFields),
        (name) => ({ subject: name, text: 'a' }),
        box,
      )
    await write({ emailVerified: false })
    await write({ status: 'suspended' })
    await emailOwner(app.services, newId('anon'), () => assert.fail('this owner has no account'), box)
    assert.deepEqual(box.emails, [])
    await write({ email: 'ann@example.com', name: 'Ann' })
    assert.deepEqual(box.emails, [{ to: 'ann@example.com', subject: 'Ann', text: 'a' }])
    const failingMailer = { ...box, send: () => Promise.reject(new Error('the mail server is away')) }
    await emailOwner(
      app.services,
      await newAccount(app.services),
      () => ({ subject: 'a', text: 'a' }),
      failingMailer,
    )
  })
})

describe('moving anonymous jobs to a new account', () => {
  const tasks = {
    text: { operation: 'import/raw', filename: 'a.txt', file: 'words' },
    pdf: { operation: 'convert', input: 'text', output_format: 'pdf' },
    out: { operation: 'export/url', input: 'pdf' },
  }
  const createJob = async (owner: string, moreFields = {}): Promise<string> => {
    const headers = { 'x-owner-token': signOwnerToken(owner, app.services.keys.owner) }
    const reply = await app.send('POST', '/v1/jobs', { headers, body: { tasks, ...moreFields } })
    assert.equal(reply.status, 202, reply.text)
    return reply.json.data.jobId
  }
  const getOwner = async (jobId: string) => (await app.services.jobs.store.getJob(jobId))?.owner
  const getAdoptionRecord = (account: string) => app.services.table.get({ pk: `MOVE#${account}`, sk: 'MOVE' })

  test('the move of anonymous jobs to an account is repeated until none is left, and excludes jobs created after the first move', async () => {
    const [anon, account] = [newId('anon'), newId('acc')]
    const job = await createJob(anon, { tag: 'mine' })
    await moveToAccount(anon, account, app.services)
    assert.equal(await getOwner(job), account)
    // A user signed out and continues in the same browser.
    const otherJob = await createJob(anon)
    const { wakeAt = '' } = (await getAdoptionRecord(account)) ?? {}
    assert.ok(Math.abs(Date.parse(String(wakeAt)) - Date.now() - 60_000) < 20_000)
    // A worker that read the job before the move lists it under its old owner again.
    await app.services.jobs.store.changeJob(job, { set: { listKey: `${anon}#live` } })
    const minute = dateAfter(60_000)
    await resumeMove(account, minute, app.services)
    assert.equal(
      (await getAdoptionRecord(account))?.['wakeAt'],
      new Date(minute.getTime() + 60_000).toISOString(),
    )
    assert.deepEqual([await getOwner(job), await getOwner(otherJob)], [account, anon])
    await resumeMove(account, minute, app.services)
    assert.equal(await getAdoptionRecord(account), undefined, 'no job is left under the old owner')
    await resumeMove(account, minute, app.services)
  })

  test('moving anonymous jobs to an account stops after 25 hours', async () => {
    const [anon, account] = [newId('anon'), newId('acc')]
    const job = await createJob(anon)
    await moveToAccount(anon, account, app.services)
    const relist = () => app.services.jobs.store.changeJob(job, { set: { listKey: `${anon}#live` } })
    await relist()
    const endsAt = Number((await getAdoptionRecord(account))?.['ttl']) * 1000
    assert.ok(Math.abs(endsAt - Date.now() - 25 * 3_600_000) < 20_000)
    await resumeMove(account, new Date(endsAt), app.services)
    assert.ok(await getAdoptionRecord(account))
    await relist()
    await resumeMove(account, new Date(endsAt + 1), app.services)
    assert.equal(await getAdoptionRecord(account), undefined)
  })

  test('resources of an anonymous owner belong to the account that took them over, but not the other way round', async () => {
    const [anon, account] = [newId('anon'), newId('acc')]
    await moveToAccount(anon, account, app.services)
    const isSame = (owner: string, of: string) => isSameOwner(owner, of, app.services)
    assert.deepEqual(
      [await isSame(anon, anon), await isSame(anon, account), await isSame(account, account)],
      [true, true, true],
    )
    assert.deepEqual(
      [
        ...[await isSame(newId('anon'), account), await isSame(anon, newId('acc'))],
        ...[await isSame(account, anon), await isSame(newId('acc'), account)],
      ],
      [false, false, false, false],
    )
  })
})
