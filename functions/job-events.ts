import type { AnyContract } from '../lib/http/contract.ts'
import { createHttpFunction } from '../lib/http/http-function.ts'
import { jobEvents } from './routes/live.ts'

/** The event stream of a job. It is a separate function, because it holds each reply for up to 25 s. */
export const contracts: readonly AnyContract[] = [jobEvents]

export const handler = createHttpFunction(contracts)
