import type { AnyContract } from '../../lib/http/contract.ts'
import { getAccount } from './account.ts'
import { changeUser, endUserSession, getUser, listAudit, listUserSessions, listUsers } from './admin-users.ts'
import { apiKeys } from './api-keys.ts'
import { cancelJob } from './cancel-job.ts'
import { companionUploads } from './companion-uploads.ts'
import { createBatch } from './create-batch.ts'
import { createConversion } from './create-conversion.ts'
import { createJob } from './create-job.ts'
import { createMerge } from './create-merge.ts'
import { deleteJob } from './delete-job.ts'
import { downloadResult } from './download-result.ts'
import { downloadZip } from './download-zip.ts'
import { drives } from './drives.ts'
import { errorPages } from './error-pages.ts'
import { eventPage } from './event-page.ts'
import { getAsyncApi } from './get-asyncapi.ts'
import { getFormat } from './get-format.ts'
import { getHealth } from './get-health.ts'
import { getJob } from './get-job.ts'
import { getOpenApi } from './get-openapi.ts'
import { getStatus } from './get-status.ts'
import { getUpload } from './get-upload.ts'
import { getVersion } from './get-version.ts'
import { importUrl } from './import-url.ts'
import { listConversions } from './list-conversions.ts'
import { listFormats } from './list-formats.ts'
import { listJobs } from './list-jobs.ts'
import { listPlans } from './list-plans.ts'
import { createTicket, jobEvents } from './live.ts'
import { multipartUploads } from './multipart-uploads.ts'
import {
  createOAuthClient,
  deleteOAuthClient,
  getOAuthMetadata,
  getToken,
  introspectToken,
  listOAuthClients,
  revokeToken,
} from './oauth.ts'
import { presignUpload } from './presign-upload.ts'
import { getQuota } from './quota.ts'
import { retryJob } from './retry-job.ts'
import { signDownload } from './sign-download.ts'
import { staticFiles } from './static-files.ts'
import { getReliability, getSlo, getUsage } from './usage.ts'
import { getDelivery, listDeliveries, redeliver, replay, testWebhook } from './webhook-deliveries.ts'
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  getDefaultSecret,
  getWebhook,
  listWebhooks,
  rotateDefaultSecret,
  rotateSecret,
} from './webhooks.ts'
import {
  changeWorkflow,
  createWorkflow,
  deleteWorkflow,
  getWorkflow,
  listRuns,
  listWorkflows,
  runWorkflow,
} from './workflows.ts'

/** Endpoints that the OpenAPI document describes, beside itself. To add one: its file and its line here. */
const described: readonly AnyContract[] = [
  createConversion,
  createMerge,
  createBatch,
  createJob,
  getStatus,
  downloadResult,
  signDownload,
  downloadZip,
  listJobs,
  getJob,
  deleteJob,
  cancelJob,
  retryJob,
  jobEvents,
  createTicket,
  presignUpload,
  ...multipartUploads,
  ...companionUploads,
  importUrl,
  getUpload,
  ...drives,
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
  listPlans,
  ...apiKeys,
  getUsage,
  getQuota,
  getSlo,
  getReliability,
  getToken,
  revokeToken,
  introspectToken,
  getOAuthMetadata,
  createOAuthClient,
  listOAuthClients,
  deleteOAuthClient,
  getAccount,
  listUsers,
  getUser,
  changeUser,
  listUserSessions,
  endUserSession,
  listAudit,
  listFormats,
  listConversions,
  getFormat,
  getAsyncApi,
  getVersion,
  getHealth,
]

export const api: readonly AnyContract[] = [...described, getOpenApi(described)]

export const routes: readonly AnyContract[] = [...api, ...errorPages, eventPage, ...staticFiles]
