import { getWarningCount } from './quota-thresholds.ts'
import type { WindowUsage } from './rate-limit-windows.ts'

/**
 * For a client that sends many requests to one process, the process counts a block of future requests along with the
 * current one, and then allows them without a write. Limits are never exceeded. Permits that are not used are lost
 * until the window ends, so blocks are small and shrink as the window fills.
 */

interface PermitBlock {
  readonly pk: string
  /** Usage of the windows including the whole block. */
  readonly usages: readonly WindowUsage[]
  /** Unused permits. */
  permitsLeft: number
}

interface RequestRate {
  readonly from: number
  readonly count: number
}

const maxBlockSize = 16
/** Maximum block size as a share of the remaining requests. */
const blockFraction = 1 / 8
const rateWindowMs = 1000
const maxBlocks = 10_000

export class PermitBlocks {
  /** Blocks by limiter name. */
  readonly #blocksByName = new Map<string, PermitBlock>()
  readonly #ratesByName = new Map<string, RequestRate>()

  /** Takes a permit and returns the usage including this permit; undefined if no block has a permit left. */
  takePermit(name: string, now: number): readonly WindowUsage[] | undefined {
    this.#countTowardsRate(name, now)
    const block = this.#blocksByName.get(name)
    if (!block || block.permitsLeft === 0 || isExpired(block, now)) return undefined
    block.permitsLeft--
    return reduceUsed(block.usages, block.permitsLeft)
  }

  /** Returns how many requests to count in one write: at most the number that arrived within the current second. */
  getBlockSize(name: string, now: number): number {
    const block = this.#blocksByName.get(name)
    if (!block || isExpired(block, now)) return 1
    const permitsLeft = block.usages.map(({ policy: { limit }, used }) => {
      // A block ends before the warning threshold, so that an actual request triggers the warning.
      const permitsBeforeWarning = getWarningCount(limit) - used - 1
      return Math.min(
        (limit - used) * blockFraction,
        permitsBeforeWarning >= 0 ? permitsBeforeWarning : maxBlockSize,
      )
    })
    return Math.max(
      1,
      Math.floor(Math.min(maxBlockSize, this.#ratesByName.get(name)?.count ?? 1, ...permitsLeft)),
    )
  }

  /** Stores the permits of `count` requests counted in one write. Returns the usage for the first of them. */
  addBlock(name: string, pk: string, count: number, usages: readonly WindowUsage[]): readonly WindowUsage[] {
    if (this.#blocksByName.size >= maxBlocks) this.#blocksByName.clear()
    this.#blocksByName.set(name, { pk, usages, permitsLeft: count - 1 })
    return reduceUsed(usages, count - 1)
  }

  /** Returns the usage without unused permits. */
  subtractUnused(pk: string, usages: readonly WindowUsage[]): WindowUsage[] {
    const blocks = [...this.#blocksByName.values()].filter((block) => block.pk === pk)
    const isInWindow =
      ({ policy: { counter }, endsAt }: WindowUsage) =>
      (block: PermitBlock) =>
        block.usages.some((usage) => usage.policy.counter === counter && usage.endsAt === endsAt)
    return usages.map((usage) => {
      const unusedPermits = blocks
        .filter(isInWindow(usage))
        .reduce((sum, { permitsLeft }) => sum + permitsLeft, 0)
      return { ...usage, used: usage.used - unusedPermits }
    })
  }

  #countTowardsRate(name: string, now: number): void {
    const rate = this.#ratesByName.get(name)
    const isCurrent = rate !== undefined && now - rate.from < rateWindowMs
    if (this.#ratesByName.size >= maxBlocks) this.#ratesByName.clear()
    this.#ratesByName.set(name, isCurrent ? { ...rate, count: rate.count + 1 } : { from: now, count: 1 })
  }
}

/** Whether a window of the block has ended, so that its permits are no longer valid. */
const isExpired = ({ usages }: PermitBlock, now: number) => usages.some(({ endsAt }) => endsAt <= now)

const reduceUsed = (usages: readonly WindowUsage[], permits: number): WindowUsage[] =>
  usages.map((usage) => ({ ...usage, used: usage.used - permits }))
