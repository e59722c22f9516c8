import type { AnyContract } from '../lib/http/contract.ts'
import { createHttpFunction } from '../lib/http/http-function.ts'
import { drives } from './routes/drives.ts'

/** Endpoints of cloud drives, which call the APIs of the drives. */
export const contracts: readonly AnyContract[] = drives

export const handler = createHttpFunction(contracts)
