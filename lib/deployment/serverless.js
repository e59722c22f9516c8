// The Serverless Framework loads values from .js files only; Node loads the TypeScript behind this one.

import { webSocketApi } from '../resources.ts'
import { deployedFunctions } from './functions.ts'
import { queueResources } from './queues.ts'
import { roleResources } from './roles.ts'
import { storageResources } from './storage.ts'

export const routeSelectionExpression = webSocketApi.routeSelectionExpression
export const functions = deployedFunctions()
export const Resources = { ...storageResources(), ...queueResources(), ...roleResources() }
