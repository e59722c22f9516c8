import type { AnyContract } from '../lib/http/contract.ts'
import { createHttpFunction } from '../lib/http/http-function.ts'
import { checkConversion } from './routes/check-conversion.ts'
import { createBatch } from './routes/create-batch.ts'
import { createConversion } from './routes/create-conversion.ts'
import { createMerge } from './routes/create-merge.ts'

/** Endpoints that convert files. */
export const contracts: readonly AnyContract[] = [createConversion, checkConversion, createMerge, createBatch]

export const handler = createHttpFunction(contracts)
