import { httpFunction } from '../lib/http/http-function.ts'
import { facade } from './compat-v2/contracts.ts'

export const handler = httpFunction(facade)
