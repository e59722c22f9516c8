import { createHttpFunction } from '../lib/http/http-function.ts'
import { compatContracts } from './compat-v2/contracts.ts'

export const handler = createHttpFunction(compatContracts)
