import assert from 'node:assert/strict'
import { eachOf } from '../../lib/map-concurrently.ts'
import { assertAtRest, type Outcome, outcomeOf } from './job-outcome.ts'
import { chances, type Manner } from './simulated-aws.ts'
import { type Circumstances, World } from './simulated-service.ts'
import type { Database } from './test-table.ts'

/** What happens to a job, from its creation on. */
export interface Story {
  readonly play: (world: World) => Promise<void>
  readonly during?: Circumstances['during']
  readonly loops?: number
  /** Time that the story lets go by itself, in seconds. */
  readonly takesS?: number
  /** What may come out of it one way or the other, made the same. */
  readonly alike?: (outcome: Outcome) => Outcome
}

/** Seconds after which a message has come again and the sweep has looked once; what waits for its second look is late. */
const mostS = 200
/** Walks at a time: while one of them waits for the table, another one works. */
const atATime = 3

/**
 * Tells a story once for each effect that it has, and has whoever had that effect die at once. Every time the same comes
 * out as when nobody dies.
 * @returns the number of times that it was told.
 */
export async function walk(
  database: Database,
  story: Story,
  { manner, every = 1, from = 1 }: { manner?: (seed: number) => Manner; every?: number; from?: number } = {},
): Promise<number> {
  const tableName = await database.makeTable()
  const tell = async (stop: number | undefined) => {
    const world = new World({
      ...{ database, tableName, loops: story.loops ?? 2 },
      ...(story.during && { during: story.during }),
      ...(stop !== undefined && { stops: [stop] }),
      ...(manner && { manner: manner(stop ?? 0) }),
    })
    const begun = world.time.now
    await story.play(world)
    await world.settle()
    const tookS = (world.time.now - begun) / 1000
    if (!manner) assert.ok(tookS < mostS + (story.takesS ?? 0), `it took ${tookS} s`)
    await assertAtRest(world)
    const outcome = await outcomeOf(world)
    return { world, outcome: story.alike ? story.alike(outcome) : outcome }
  }
  const { outcome: expected, world: whole } = await tell(undefined)
  // Some are told beyond its length: who has died is made up for by others.
  const stops = Array.from(
    { length: Math.ceil(whole.gate.effects.length / every) },
    (_, at) => from + at * every,
  )
  await eachOf(stops, atATime, async (stop) => {
    try {
      const { outcome } = await tell(stop)
      assert.deepEqual(outcome, expected)
    } catch (error) {
      throw new Error(`stopped after effect ${stop}, ${whole.gate.effects[stop - 1]}`, { cause: error })
    }
  })
  return stops.length + 1
}

/** The same manner with other chances each time. */
export const seeded = (manner: (chance: () => number) => Manner) => (seed: number) =>
  manner(chances(seed + 1))
