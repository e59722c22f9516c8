import type { EventBridgeEvent } from 'aws-lambda'
import * as z from 'zod'
import { lazyAsync } from '../lib/async/lazy-async.ts'
import { receiveStoredFile } from '../lib/conversion/receive-upload.ts'
import { createLambdaServices } from '../lib/services/lambda-services.ts'

const openServices = lazyAsync(createLambdaServices)

/** Format of the event: https://docs.aws.amazon.com/AmazonS3/latest/userguide/ev-events.html */
const ObjectCreated = z.object({ object: z.object({ key: z.string() }) })

/** Handles a file that arrived in the bucket: continues the task that waits for it, and deletes orphaned uploads. */
export async function handler({
  detail,
  time,
}: Pick<EventBridgeEvent<string, unknown>, 'detail' | 'time'>): Promise<void> {
  const services = await openServices()
  const { key } = ObjectCreated.parse(detail).object
  const uploadId = key.slice(key.lastIndexOf('/') + 1)
  await receiveStoredFile({ uploadId, key, createdAt: new Date(time) }, services)
}
