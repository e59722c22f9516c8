import type { AnyContract } from '../lib/http/contract.ts'
import { httpFunction } from '../lib/http/http-function.ts'
import { jobEvents } from './routes/live.ts'

/** The event stream of a job. Each reply is held for up to 25 s, so it occupies no function of other requests. */
export const contracts: readonly AnyContract[] = [jobEvents]

export const handler = httpFunction(contracts)
