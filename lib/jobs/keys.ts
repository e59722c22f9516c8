import { createHash } from 'node:crypto'
import type { Key } from '../aws/table.ts'
import { wakeShards } from '../resources/storage.ts'

/** Where the records of a job stand: a hundred tasks to a partition, so that no key of the table has to carry them all. */

/** Most numbers of one set, and tasks of one bucket. */
export const bucketSize = 100

const padNumber = (number: number) => String(number).padStart(5, '0')
export const bucketNumber = (number: number) => Math.floor(number / bucketSize)
export const jobPartition = (jobId: string, bucket = 0) =>
  bucket === 0 ? `JOB#${jobId}` : `JOB#${jobId}#${bucket}`

export const jobKey = (jobId: string): Key => ({ pk: jobPartition(jobId), sk: 'JOB' })
export const fixedKey = (jobId: string): Key => ({ pk: jobPartition(jobId), sk: 'FIXED' })

/** A task of a job, or a part of one. */
export interface TaskRef {
  readonly jobId: string
  readonly task: number
  readonly part?: number | undefined
}

export const taskKey = ({ jobId, task, part }: TaskRef): Key =>
  part === undefined
    ? { pk: jobPartition(jobId, bucketNumber(task)), sk: `TASK#${padNumber(task)}` }
    : { pk: jobPartition(jobId, bucketNumber(task)), sk: `${chunkKeyPrefix(task)}${part}` }

/** What the sort keys of a task's parts begin with. */
export const chunkKeyPrefix = (task: number) => `PART#${padNumber(task)}.`

export const dependentsKey = (jobId: string, task: number, page: number): Key => ({
  pk: jobPartition(jobId, bucketNumber(task)),
  sk: `EDGES#${padNumber(task)}#${page}`,
})

export const joinBucketKey = (jobId: string, task: number, index: number): Key => ({
  pk: jobPartition(jobId, bucketNumber(task)),
  sk: `LATCH#${padNumber(task)}#${index}`,
})

/** Counts the tasks of a bucket that are not over. */
export const bucketCountKey = (jobId: string, bucket: number): Key => ({
  pk: jobPartition(jobId, bucket),
  sk: 'LATCH#count',
})

/** The same for the same job, so that those whose time has come are spread over the index. */
export const wakeShardOf = (id: string): string =>
  `wake#${(createHash('sha256').update(id).digest()[0] ?? 0) % wakeShards}`
