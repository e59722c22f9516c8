import { warningCount } from './quota-thresholds.ts'
import type { WindowUsage } from './rate-limit-windows.ts'

/**
 * For a client that sends many requests to one process, the process counts a block of future requests along with the
 * current one, and then allows them without a write. Limits are never exceeded. Permits that are not used are lost
 * until the window ends, so blocks are small and shrink as the window fills.
 */

interface Block {
  readonly pk: string
  /** Usage of the windows including the whole block. */
  readonly usages: readonly WindowUsage[]
  /** Unused permits. */
  left: number
}

interface Pace {
  readonly from: number
  readonly count: number
}

const maxBlockSize = 16
/** Maximum block size as a share of the remaining requests. */
const blockShare = 1 / 8
const secondMs = 1000
const maxBlocks = 10_000

export class PermitBlocks {
  /** Blocks by limiter name. */
  readonly #blocks = new Map<string, Block>()
  readonly #paces = new Map<string, Pace>()

  /** Takes a permit and returns the usage with it; undefined if no block has one left. */
  takePermit(name: string, now: number): readonly WindowUsage[] | undefined {
    this.#keepPace(name, now)
    const block = this.#blocks.get(name)
    if (!block || block.left === 0 || isOver(block, now)) return undefined
    block.left--
    return reduceUsed(block.usages, block.left)
  }

  /** Returns how many requests to count in one write: at most as many as came within this second. */
  blockSizeFor(name: string, now: number): number {
    const block = this.#blocks.get(name)
    if (!block || isOver(block, now)) return 1
    const room = block.usages.map(({ policy: { limit }, used }) => {
      // A block ends before the warning threshold, so that an actual request triggers the warning.
      const untilWarning = warningCount(limit) - used - 1
      return Math.min((limit - used) * blockShare, untilWarning >= 0 ? untilWarning : maxBlockSize)
    })
    return Math.max(1, Math.floor(Math.min(maxBlockSize, this.#paces.get(name)?.count ?? 1, ...room)))
  }

  /** Stores the permits of `count` requests counted in one write. Returns the usage for the first of them. */
  addBlock(name: string, pk: string, count: number, usages: readonly WindowUsage[]): readonly WindowUsage[] {
    if (this.#blocks.size >= maxBlocks) this.#blocks.clear()
    this.#blocks.set(name, { pk, usages, left: count - 1 })
    return reduceUsed(usages, count - 1)
  }

  /** Returns the usage without unused permits. */
  subtractUnused(pk: string, usages: readonly WindowUsage[]): WindowUsage[] {
    const blocks = [...this.#blocks.values()].filter((block) => block.pk === pk)
    const isOf =
      ({ policy: { counter }, endsAt }: WindowUsage) =>
      (block: Block) =>
        block.usages.some((one) => one.policy.counter === counter && one.endsAt === endsAt)
    return usages.map((usage) => {
      const unusedPermits = blocks.filter(isOf(usage)).reduce((sum, { left }) => sum + left, 0)
      return { ...usage, used: usage.used - unusedPermits }
    })
  }

  #keepPace(name: string, now: number): void {
    const pace = this.#paces.get(name)
    const isRunning = pace !== undefined && now - pace.from < secondMs
    if (this.#paces.size >= maxBlocks) this.#paces.clear()
    this.#paces.set(name, isRunning ? { ...pace, count: pace.count + 1 } : { from: now, count: 1 })
  }
}

const isOver = ({ usages }: Block, now: number) => usages.some(({ endsAt }) => endsAt <= now)

const reduceUsed = (usages: readonly WindowUsage[], by: number): WindowUsage[] =>
  usages.map((usage) => ({ ...usage, used: usage.used - by }))
