// Checks that roles grant exactly the permissions that their functions use.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { readDecisions, summarizeUse } from './used-permissions.ts'

/**
 * Permissions that may stay unused in the tests, each with the situation that needs it. Tests do not reliably cause
 * these situations, many of which are losses, failures or very large data.
 */
const rarelyUsed: readonly (readonly [rights: RegExp, why: string])[] = [
  [
    /^(api|conversion|jobs|job-events|uploads|automation|drives|access|admin|facade|account|sweep|sockets|broadcast): partition /,
    'functions that serve requests have the partitions of all requests',
  ],
  [
    /^(prepare|receive-upload): partition (ACCOUNT|OWNER|WEBHOOK|SLOTS)#/,
    'a task that cannot be planned or inspected fails, and its owner is notified',
  ],
  [
    /^(prepare|jobs|facade): s3:GetObject on \S+uploads/,
    'a job of a version that left files where they were uploaded',
  ],
  [/^transfer: partition UPLOAD#/, 'an import into an upload'],
  [/^deliver: partition ACCOUNT#/, 'an email about a webhook that was disabled'],
  [
    /^(conversion|dispatch|drives|job-events|receive-upload|sweep): dynamodb:BatchGetItem/,
    'an owner has several webhooks',
  ],
  [
    /^(api|access|admin|uploads|job-events): (events:PutEvents|dynamodb:(BatchGetItem|Query) on \S+mutabor$)/,
    'the event for a quota that is used up',
  ],
  [
    /^convert-(av|pdf): dynamodb:BatchWriteItem/,
    'long tasks are split into chunks: video.slow.ts, chunks.slow.ts',
  ],
  [/^job-events: dynamodb:UpdateItem/, 'requests are limited, or an owner watches several jobs'],
  [/^count-usage: dynamodb:BatchGetItem/, 'many finished jobs are counted at once'],
  [
    /^prepare: (dynamodb:(Query|UpdateItem|DeleteItem)|events|sqs:SendMessage on \S+ready$)/,
    'a task that cannot be planned fails, and the next task of its owner is started',
  ],
  [/^prepare: s3:(ListBucket|PutObject on \S+work)/, 'an input was deleted; a message is too large'],
  [
    /^receive-upload: s3:(ListBucket|DeleteObject on \S+received)/,
    'a file is deleted before it is inspected, or overwritten while its task takes it',
  ],
  [
    /^(conversion|jobs|facade|sweep|receive-upload): s3:AbortMultipartUpload on \S+received/,
    'a large upload is overwritten while its job takes it',
  ],
  [/^automation: s3:DeleteObject/, 'a workflow run that cannot start deletes its files'],
  [
    /^sweep: (sqs:SendMessage|execute-api|dynamodb:(DeleteItem|Query on \S+byList)|s3:(GetObject|DeleteObject) on \S+uploads)/,
    'it repairs what was lost',
  ],
  [/^transfer: s3:(AbortMultipartUpload|DeleteObject) on \S+uploads/, 'an import into an upload is aborted'],
  [/^broadcast: events:PutEvents/, 'it hands over to a new invocation after sending for others for long'],
  [
    /^(sockets|broadcast): (execute-api\S+ on \S+(DELETE|GET)|dynamodb:(BatchGetItem|Query on \S+byList))/,
    'a client is too slow, or sends a request while events are delivered',
  ],
]

/** Checks the roles that `isIncluded` selects, after all tests that use them have run. */
export function assertExact(t: TestContext, folder: string, isIncluded: (role: string) => boolean): void {
  const { granted, used, refused } = summarizeUse(readDecisions(folder))
  const usedPermissions = new Set(used)
  assert.deepEqual(refused, [], 'no function needed a permission that its role does not grant')
  const includedPermissions = granted.filter((permission) =>
    isIncluded(permission.slice(0, permission.indexOf(':'))),
  )
  assert.notEqual(includedPermissions.length, 0)
  const unusedPermissions = includedPermissions.filter(
    (includedPermission) => !usedPermissions.has(includedPermission),
  )
  for (const unusedPermission of unusedPermissions) {
    const why = rarelyUsed.find(([rights]) => rights.test(unusedPermission))?.[1]
    t.diagnostic(`${unusedPermission}: ${why ?? 'NOT USED'}`)
  }
  assert.deepEqual(
    unusedPermissions.filter(
      (unusedPermission) => !rarelyUsed.some(([rights]) => rights.test(unusedPermission)),
    ),
    [],
    'no role grants a permission that its function does not use',
  )
}

/** Returns whether a role belongs to a function that runs or prepares tasks. */
export const isTaskRole = (role: string) =>
  role.startsWith('convert-') || ['capture', 'transfer', 'prepare'].includes(role)
