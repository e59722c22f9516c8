import { createHash } from 'node:crypto'
import type { Key } from '../aws/table.ts'
import type { TaskRef } from '../model/task-message.ts'
import { wakeShards } from '../resources/storage.ts'

/** Keys of a job's records: a hundred tasks per partition, so that no single partition gets all the traffic. */

/** Maximum size of a set of numbers, and tasks per bucket. */
export const bucketSize = 100

const padNumber = (number: number) => String(number).padStart(5, '0')
export const bucketNumber = (number: number) => Math.floor(number / bucketSize)
export const jobPartition = (jobId: string, bucket = 0) =>
  bucket === 0 ? `JOB#${jobId}` : `JOB#${jobId}#${bucket}`

export const jobKey = (jobId: string): Key => ({ pk: jobPartition(jobId), sk: 'JOB' })
export const keyOfFixedTasks = (jobId: string): Key => ({ pk: jobPartition(jobId), sk: 'FIXED' })

export const taskKey = ({ jobId, task, part }: TaskRef): Key =>
  part === undefined
    ? { pk: jobPartition(jobId, bucketNumber(task)), sk: `TASK#${padNumber(task)}` }
    : { pk: jobPartition(jobId, bucketNumber(task)), sk: `${chunkKeyPrefix(task)}${part}` }

/** Prefix of the sort keys of a task's chunks. */
export const chunkKeyPrefix = (task: number) => `PART#${padNumber(task)}.`

export const dependentsKey = (jobId: string, task: number, page: number): Key => ({
  pk: jobPartition(jobId, bucketNumber(task)),
  sk: `EDGES#${padNumber(task)}#${page}`,
})

export const joinBucketKey = (jobId: string, task: number, index: number): Key => ({
  pk: jobPartition(jobId, bucketNumber(task)),
  sk: `LATCH#${padNumber(task)}#${index}`,
})

/** Record that counts the unfinished tasks of a bucket. */
export const bucketCountKey = (jobId: string, bucket: number): Key => ({
  pk: jobPartition(jobId, bucket),
  sk: 'LATCH#count',
})

/** Always the same shard for the same job; shards spread due jobs over the index. */
export const wakeShardOf = (id: string): string =>
  `wake#${(createHash('sha256').update(id).digest()[0] ?? 0) % wakeShards}`

/** Name of the sequence number of the first file that a task imported or waited for. */
export const numberOfFiles = (task: number) => `files${task}`
