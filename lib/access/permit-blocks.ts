import { warningCount } from './quota-thresholds.ts'
import type { WindowUsage } from './rate-limit-windows.ts'

/**
 * Where somebody sends many requests to one process, it counts some that are still to come along with the one that is
 * there, and lets them through without asking the table. No window lets through more than it has; what was counted and
 * nobody sends is lost with the window, so blocks are small and get smaller as it fills.
 */

interface Block {
  readonly pk: string
  /** As they are with all of the block. */
  readonly usages: readonly WindowUsage[]
  /** Requests of it that have not come. */
  left: number
}

interface Pace {
  readonly from: number
  readonly count: number
}

const maxBlockSize = 16
/** Of what a window has left. */
const blockShare = 1 / 8
const secondMs = 1000
const maxBlocks = 10_000

export class PermitBlocks {
  /** By the names of what they count against. */
  readonly #blocks = new Map<string, Block>()
  readonly #paces = new Map<string, Pace>()

  /** What the windows say to the next request of a block; undefined where there is none. */
  takePermit(name: string, now: number): readonly WindowUsage[] | undefined {
    this.#keepPace(name, now)
    const block = this.#blocks.get(name)
    if (!block || block.left === 0 || isOver(block, now)) return undefined
    block.left--
    return reduceUsed(block.usages, block.left)
  }

  /** How many to count at once: no more than came within this second. */
  blockSizeFor(name: string, now: number): number {
    const block = this.#blocks.get(name)
    if (!block || isOver(block, now)) return 1
    const room = block.usages.map(({ policy: { limit }, used }) => {
      // Whoever takes the last one before the mark leaves the one that warns to a request that is there.
      const untilWarning = warningCount(limit) - used - 1
      return Math.min((limit - used) * blockShare, untilWarning >= 0 ? untilWarning : maxBlockSize)
    })
    return Math.max(1, Math.floor(Math.min(maxBlockSize, this.#paces.get(name)?.count ?? 1, ...room)))
  }

  /** Keeps what is left of `count` that were counted at once. @returns what the windows say to the first of them. */
  addBlock(name: string, pk: string, count: number, usages: readonly WindowUsage[]): readonly WindowUsage[] {
    if (this.#blocks.size >= maxBlocks) this.#blocks.clear()
    this.#blocks.set(name, { pk, usages, left: count - 1 })
    return reduceUsed(usages, count - 1)
  }

  /** Readings without what was counted for requests that have not come. */
  subtractUnused(pk: string, usages: readonly WindowUsage[]): WindowUsage[] {
    const blocks = [...this.#blocks.values()].filter((block) => block.pk === pk)
    const isOf =
      ({ policy: { counter }, endsAt }: WindowUsage) =>
      (block: Block) =>
        block.usages.some((one) => one.policy.counter === counter && one.endsAt === endsAt)
    return usages.map((usage) => {
      const early = blocks.filter(isOf(usage)).reduce((sum, { left }) => sum + left, 0)
      return { ...usage, used: usage.used - early }
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
