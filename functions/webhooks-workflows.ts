import type { AnyContract } from '../lib/http/contract.ts'
import { createHttpFunction } from '../lib/http/http-function.ts'
import { getDelivery, listDeliveries, redeliver, replay, testWebhook } from './routes/webhook-deliveries.ts'
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  getDefaultSecret,
  getWebhook,
  listWebhooks,
  rotateDefaultSecret,
  rotateSecret,
} from './routes/webhooks.ts'
import {
  changeWorkflow,
  createWorkflow,
  deleteWorkflow,
  getWorkflow,
  listRuns,
  listWorkflows,
  runWorkflow,
} from './routes/workflows.ts'

/** Endpoints of workflows and webhooks. */
export const contracts: readonly AnyContract[] = [
  createWorkflow,
  listWorkflows,
  getWorkflow,
  changeWorkflow,
  deleteWorkflow,
  runWorkflow,
  listRuns,
  createWebhook,
  listWebhooks,
  getDefaultSecret,
  rotateDefaultSecret,
  getWebhook,
  changeWebhook,
  deleteWebhook,
  rotateSecret,
  testWebhook,
  listDeliveries,
  getDelivery,
  redeliver,
  replay,
]

export const handler = createHttpFunction(contracts)
