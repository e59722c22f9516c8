import type { ImageId } from '../../component-ids.ts'
import type { Services } from '../../services/services.ts'

/** Assumed number of workers if there is no limit: Lambda starts a worker for each message. */
const unlimitedWorkers = 100

/** Returns how many workers of this container image could start work immediately, including the calling worker. */
export async function countIdleWorkers(
  image: ImageId,
  { config, queues }: Pick<Services, 'config' | 'queues'>,
): Promise<number> {
  const { PARALLEL } = config
  if (PARALLEL === undefined) return unlimitedWorkers
  if (PARALLEL === 1) return 1
  // The load of the queue includes the message of the calling worker.
  return Math.max(1, PARALLEL + 1 - (await queues.load(image)))
}
