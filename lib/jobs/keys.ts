import { createHash } from 'node:crypto'
import type { Key } from '../aws/table.ts'
import type { TaskRef } from '../model/task-message.ts'
import { wakeShardCount } from '../resources/storage.ts'

/**
 * Keys of a job's records. A partition has a hundred tasks, so that no partition gets all the traffic of a large job.
 */

/** Number of tasks in a bucket, which is also the maximum size of a record's set of task numbers. */
export const bucketSize = 100

const padNumber = (number: number) => String(number).padStart(5, '0')
export const getBucketNumber = (number: number) => Math.floor(number / bucketSize)
export const getJobPartition = (jobId: string, bucket = 0) =>
  bucket === 0 ? `JOB#${jobId}` : `JOB#${jobId}#${bucket}`

export const getJobKey = (jobId: string): Key => ({ pk: getJobPartition(jobId), sk: 'JOB' })
export const getFixedTasksKey = (jobId: string): Key => ({ pk: getJobPartition(jobId), sk: 'FIXED' })

export const getTaskKey = ({ jobId, task, part }: TaskRef): Key =>
  part === undefined
    ? { pk: getJobPartition(jobId, getBucketNumber(task)), sk: `TASK#${padNumber(task)}` }
    : { pk: getJobPartition(jobId, getBucketNumber(task)), sk: `${getChunkKeyPrefix(task)}${part}` }

/** Prefix of the sort keys of a task's chunks. */
export const getChunkKeyPrefix = (task: number) => `PART#${padNumber(task)}.`

export const getDependentsKey = (jobId: string, task: number, page: number): Key => ({
  pk: getJobPartition(jobId, getBucketNumber(task)),
  sk: `EDGES#${padNumber(task)}#${page}`,
})

export const getJoinBucketKey = (jobId: string, task: number, bucketNumber: number): Key => ({
  pk: getJobPartition(jobId, getBucketNumber(task)),
  sk: `LATCH#${padNumber(task)}#${bucketNumber}`,
})

/** Returns the key of the record that counts the unfinished tasks of a bucket. */
export const getBucketCountKey = (jobId: string, bucket: number): Key => ({
  pk: getJobPartition(jobId, bucket),
  sk: 'LATCH#count',
})

/** Returns the shard of the wake-up index that contains a job or another record. The shard of an id never changes. */
export const getWakeShard = (id: string): string =>
  `wake#${(createHash('sha256').update(id).digest()[0] ?? 0) % wakeShardCount}`

/**
 * Returns the name under which a job stores the sequence number of the first file that a task imported or waited for.
 */
export const getFileSequenceName = (task: number) => `files${task}`
