// Rights that are used are those that are granted.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { decisionsIn, summarizeUse } from './used-permissions.ts'

/** Rights to what only happens when something is lost, breaks or is very large, which no flow sets off for certain. */
const rarelyUsed: readonly (readonly [rights: RegExp, why: string])[] = [
  [
    /^(api|access|admin|uploads): (events:PutEvents|dynamodb:(BatchGetItem|Query) on \S+mutabor$)/,
    'a plan that runs out is told of',
  ],
  [
    /^convert-(av|pdf): dynamodb:BatchWriteItem/,
    'what takes long is shared out: video.slow.ts, chunks.slow.ts',
  ],
  [/^count-usage: dynamodb:BatchGetItem/, 'many ends of jobs are counted at once'],
  [
    /^prepare: (dynamodb:(Query|UpdateItem|DeleteItem)|events|sqs:SendMessage on \S+ready$)/,
    'a task that cannot be planned ends, and the next of its owner is called',
  ],
  [/^prepare: s3:(ListBucket|PutObject on \S+work)/, 'an input is gone; a message is too large'],
  [/^receive-upload: s3:ListBucket/, 'a file is gone before it is looked at'],
  [/^automation: s3:DeleteObject/, 'a run that cannot begin leaves nothing'],
  [
    /^sweep: (sqs:SendMessage|execute-api|dynamodb:(DeleteItem|Query on \S+byList)|s3:(GetObject|DeleteObject) on \S+uploads)/,
    'it makes up for what was lost',
  ],
  [/^transfer: s3:(AbortMultipartUpload|DeleteObject) on \S+uploads/, 'an import into an upload breaks off'],
  [
    /^(sockets|broadcast): (execute-api\S+ on \S+(DELETE|GET)|dynamodb:(BatchGetItem|Query on \S+byList))/,
    'a client is too slow, or asks while events are told',
  ],
]

/** Of these roles, when all that uses them has run. */
export function assertExact(t: TestContext, folder: string, isIncluded: (role: string) => boolean): void {
  const { granted, used, refused } = summarizeUse(decisionsIn(folder))
  const isUsed = new Set(used)
  assert.deepEqual(refused, [], 'no function wanted what its role does not allow')
  const included = granted.filter((one) => isIncluded(one.slice(0, one.indexOf(':'))))
  assert.notEqual(included.length, 0)
  const unused = included.filter((one) => !isUsed.has(one))
  for (const one of unused) {
    const why = rarelyUsed.find(([rights]) => rights.test(one))?.[1]
    t.diagnostic(`${one}: ${why ?? 'NOT USED'}`)
  }
  assert.deepEqual(
    unused.filter((one) => !rarelyUsed.some(([rights]) => rights.test(one))),
    [],
    'no role allows what its function does not do',
  )
}

/** Roles of what runs tasks, and of who signs for them. */
export const runsTasks = (role: string) =>
  role.startsWith('convert-') || ['capture', 'transfer', 'prepare'].includes(role)
