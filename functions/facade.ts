import { httpFunction } from '../lib/http/http-function.ts'
import { facade } from './facade/contracts.ts'

export const handler = httpFunction(facade)
