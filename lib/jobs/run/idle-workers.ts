import type { ImageId } from '../../engines/engine.ts'
import type { Services } from '../../services.ts'

/** As many as it takes: Lambda starts one for each message. */
const unlimitedWorkers = 100

/** Workers that could begin at once with work for this image, the one that asks among them. */
export async function countIdleWorkers(
  image: ImageId,
  { config, queues }: Pick<Services, 'config' | 'queues'>,
): Promise<number> {
  const { PARALLEL } = config
  if (PARALLEL === undefined) return unlimitedWorkers
  if (PARALLEL === 1) return 1
  // The message of the one that asks is among them.
  return Math.max(1, PARALLEL + 1 - (await queues.load(image)))
}
