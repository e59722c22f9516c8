// Tries to create and change keys and accounts with the role of each function, on the embedded DynamoDB, which checks
// every request against the deployed policies.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { CreateTableCommand, type CreateTableCommandInput, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { BatchWriteCommand, DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { ownedKinds } from '../../lib/aws/owned-records.ts'
import { createRoleStatements } from '../../lib/deployment/roles.ts'
import { openEmbedded } from '../../lib/embedded-aws/embedded.ts'
import { partitions } from '../../lib/resources/partitions.ts'
import { table } from '../../lib/resources/storage.ts'
import { silentLog } from '../embedded-aws/dynamodb/start-dynamodb.ts'
import { after, before } from '../hooks.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { findMatchingGrants, listGrants } from './policy.ts'

const region = 'eu-central-1'
const roles = Object.keys(createRoleStatements())
const createRoleKey = (role: string) => ({
  accessKeyId: `ROLE${role.toUpperCase()}`,
  secretAccessKey: `of ${role}`,
})
const operatorCredentials = { accessKeyId: 'OPERATOR', secretAccessKey: 'of the operator' }

let embedded: Awaited<ReturnType<typeof openEmbedded>>
const createClient = (credentials: typeof operatorCredentials) =>
  DynamoDBDocumentClient.from(
    new DynamoDBClient({ region, credentials, endpoint: embedded.urls.DYNAMODB, maxAttempts: 1 }),
  )
before(async () => {
  const grants = listGrants()
  const rolesByKeyId = new Map(roles.map((role) => [createRoleKey(role).accessKeyId, role]))
  embedded = await openEmbedded({
    dir: scratchFolder('permissions'),
    region,
    credentials: operatorCredentials,
    callers: {
      credentials: roles.map(createRoleKey),
      authorize: (accessRequest) =>
        findMatchingGrants(grants, rolesByKeyId.get(accessRequest.accessKeyId) ?? '', accessRequest).length >
        0,
    },
    invoke: () => Promise.resolve(),
    log: silentLog,
  })
  const { TimeToLiveAttribute: _ttl, ...shape } = table
  // The cast is safe: the declaration of the table is deeply readonly, and the SDK does not modify its input, although
  // its type is mutable.
  await createClient(operatorCredentials).send(
    new CreateTableCommand({ ...shape, TableName: 'mutabor' } as unknown as CreateTableCommandInput),
  )
})
after(() => embedded.close())

type Attempt = (prefix: string) => PutCommand | UpdateCommand | BatchWriteCommand
const TableName = 'mutabor'
const Key = (prefix: string) => ({ pk: `${prefix}stolen`, sk: 'KEY' })
const put: Attempt = (prefix) =>
  new PutCommand({ TableName, Item: { ...Key(prefix), owner: 'acc_1', role: 'ADMIN' } })
const update: Attempt = (prefix) =>
  new UpdateCommand({
    TableName,
    Key: Key(prefix),
    UpdateExpression: 'SET #role = :admin',
    ExpressionAttributeNames: { '#role': 'role' },
    ExpressionAttributeValues: { ':admin': 'ADMIN' },
  })
const batch: Attempt = (prefix) =>
  new BatchWriteCommand({ RequestItems: { [TableName]: [{ PutRequest: { Item: Key(prefix) } }] } })

async function findRolesThatCan(attempt: Attempt, prefix: string): Promise<string[]> {
  const results = await Promise.all(
    roles.map(async (role) => {
      try {
        // One type for all three commands would not match the overloads.
        await createClient(createRoleKey(role)).send(attempt(prefix) as PutCommand)
        return [role]
      } catch (error) {
        assert.equal((error as Error).name, 'AccessDeniedException', `${role}: ${error}`)
        return []
      }
    }),
  )
  return results.flat().sort()
}

/** Functions that sign people in or manage their accounts. */
const accountRoles = ['access', 'account', 'admin']
/** Functions that authenticate requests, which records when a key was used and renews sessions. */
const requestRoles = [
  ...['api', 'automation', 'conversion', 'drives', 'facade', 'job-events', 'jobs', 'sockets', 'uploads'],
]

for (const prefix of [...partitions.credentials, 'ACCOUNT#', 'EMAIL#'])
  test(`only functions for accounts and requests, and the sweep, can write records whose key starts with ${prefix}`, async () => {
    assert.deepEqual(await findRolesThatCan(put, prefix), accountRoles)
    assert.deepEqual(
      await findRolesThatCan(update, prefix),
      [...accountRoles, ...requestRoles, 'sweep'].sort(),
    )
    // The sweep deletes accounts in batches.
    assert.deepEqual(await findRolesThatCan(batch, prefix), ['sweep'])
  })

test('the table of record permissions contains the prefix of every partition key in the code', () => {
  const prefixes: readonly string[] = Object.values(partitions).flat()
  const sources = globSync('{lib,functions}/**/*.ts').map((path) => readFileSync(path, 'utf8'))
  const foundPrefixes = sources.flatMap((source) =>
    [...source.matchAll(/\bpk: ['`]([A-Z]+#?)/g)].map(([, prefix = '']) => prefix),
  )
  const kinds = ownedKinds.map((kind) => `${kind}#`)
  assert.ok(foundPrefixes.length > 15)
  assert.deepEqual(
    [...new Set([...foundPrefixes, ...kinds])].filter((prefix) => !prefixes.includes(prefix)),
    [],
  )
})

test('functions that run engines can write only job records', async () => {
  const engines = roles.filter((role) => role.startsWith('convert-') || role === 'capture')
  assert.ok(engines.length >= 9)
  for (const prefix of Object.values(partitions).flat()) {
    const expectedEngines = (partitions.jobs as readonly string[]).includes(prefix) ? engines.sort() : []
    for (const attempt of [put, update])
      assert.deepEqual(
        (await findRolesThatCan(attempt, prefix)).filter((role) => engines.includes(role)),
        expectedEngines,
        prefix,
      )
  }
})
