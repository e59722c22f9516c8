import { imageIds } from '../component-ids.ts'
import { terminalEvents } from '../model/terminal-events.ts'
import type { FunctionDeclaration } from './function-declaration.ts'
import { allGroups, contentGroups } from './partitions.ts'
import { maxConcurrentDeliveries, queueIds } from './queues.ts'
import {
  allFilePrefixes,
  createContentPermission,
  createTaskPermissions,
  deliveryQueuePermission,
  fileAccess,
  jobRequestPermissions,
  jobUpdatePermissions,
  requestPermissions,
  tableAccess,
  uploadPermissions,
} from './role-permissions.ts'

/** Returns routes for each path and everything below it. */
const createRoutesBelow = (...paths: readonly string[]) =>
  paths.flatMap((path) => [`ANY ${path}`, `ANY ${path}/{rest+}`])

/** Defaults of functions of the HTTP API; API Gateway ends a request after 29 s. */
const httpDefaults = { memoryMb: 1024, timeoutS: 29 } as const

/**
 * The functions of the service by name. This folder declares the service as data, which `serverless.yml` deploys and
 * the one-machine service runs; AWS properties have AWS's names, so that both can pass them on unchanged. Each
 * container image adds a `convert-<image>` function, derived from the limits of its engines. The handler file of an
 * HTTP function lists its endpoints; on one machine, `api` serves all endpoints.
 */
export const functions = {
  api: {
    ...httpDefaults,
    handler: 'functions/core-api.handler',
    trigger: { http: true },
    // `/health` checks access to the bucket and the queues.
    rights: [
      ...requestPermissions,
      createContentPermission('PutItem'),
      { list: true },
      { queues: queueIds, actions: ['sqs:GetQueueAttributes'] },
    ],
    secrets: ['SERVICE_SECRET'],
    plans: true,
    maximumConcurrency: 50,
  },
  conversion: {
    ...httpDefaults,
    handler: 'functions/conversion.handler',
    trigger: { http: createRoutesBelow('/v1/convert') },
    // Estimates need the number of messages in the queue.
    rights: [
      ...jobRequestPermissions,
      createContentPermission('PutItem', 'BatchWriteItem'),
      fileAccess(allFilePrefixes, 'GetObject'),
      ...uploadPermissions,
      { list: true },
      { queues: imageIds, actions: ['sqs:GetQueueAttributes'] },
    ],
    secrets: ['SERVICE_SECRET', 'CDN_PRIVATE_KEY'],
    readsFiles: true,
    plans: true,
    maximumConcurrency: 50,
  },
  jobs: {
    handler: 'functions/jobs.handler',
    ...httpDefaults,
    trigger: { http: createRoutesBelow('/v1/jobs', '/v1/status', '/v1/download', '/v1/import') },
    rights: [
      ...jobRequestPermissions,
      createContentPermission('PutItem', 'DeleteItem', 'BatchWriteItem'),
      fileAccess(allFilePrefixes, 'GetObject', 'DeleteObject'),
      fileAccess(['received'], 'PutObject', 'AbortMultipartUpload'),
      fileAccess(['uploads'], 'PutObject'),
      { list: true },
      { index: 'byList' },
      { index: 'byTag' },
    ],
    secrets: ['SERVICE_SECRET', 'CDN_PRIVATE_KEY'],
    readsFiles: true,
    plans: true,
    maximumConcurrency: 100,
  },
  /** Serves event streams, which are held open and therefore have a separate concurrency limit. */
  'job-events': {
    ...httpDefaults,
    handler: 'functions/job-events.handler',
    trigger: { http: ['ANY /v1/jobs/{jobId}/events'] },
    rights: [...requestPermissions, createContentPermission('PutItem')],
    secrets: ['SERVICE_SECRET'],
    maximumConcurrency: 50,
  },
  uploads: {
    ...httpDefaults,
    handler: 'functions/uploads.handler',
    trigger: { http: createRoutesBelow('/v1/uploads') },
    rights: [
      ...requestPermissions,
      createContentPermission('PutItem', 'BatchWriteItem'),
      fileAccess(
        ['uploads'],
        ...([
          'GetObject',
          'PutObject',
          'DeleteObject',
          'AbortMultipartUpload',
          'ListMultipartUploadParts',
        ] as const),
      ),
      // Checking whether an upload has arrived needs this permission.
      { list: true },
    ],
    secrets: ['SERVICE_SECRET'],
    maximumConcurrency: 50,
  },
  /** Serves webhooks and workflows. Testing a webhook calls its URL. */
  automation: {
    handler: 'functions/webhooks-workflows.handler',
    ...httpDefaults,
    trigger: { http: createRoutesBelow('/v1/webhooks', '/v1/workflows') },
    rights: [
      ...jobRequestPermissions,
      createContentPermission('PutItem', 'DeleteItem', 'BatchWriteItem'),
      fileAccess(['received'], 'PutObject', 'DeleteObject'),
      deliveryQueuePermission,
      { index: 'byList' },
    ],
    secrets: ['SERVICE_SECRET', 'SMTP_URL'],
    reaches: ['receivers', 'mail'],
    readsFiles: true,
    plans: true,
    maximumConcurrency: 10,
  },
  drives: {
    ...httpDefaults,
    handler: 'functions/drives.handler',
    trigger: { http: createRoutesBelow('/v1/cloud') },
    rights: [...jobRequestPermissions, createContentPermission('PutItem', 'DeleteItem')],
    secrets: ['SERVICE_SECRET', 'DRIVES'],
    reaches: ['drives'],
    plans: true,
    maximumConcurrency: 10,
  },
  access: {
    handler: 'functions/account-api.handler',
    ...httpDefaults,
    trigger: { http: createRoutesBelow('/v1/account', '/v1/api-keys', '/v1/oauth') },
    rights: [...requestPermissions, tableAccess(allGroups, 'PutItem', 'DeleteItem'), { index: 'byList' }],
    secrets: ['SERVICE_SECRET'],
    maximumConcurrency: 20,
  },
  admin: {
    ...httpDefaults,
    handler: 'functions/admin.handler',
    trigger: { http: createRoutesBelow('/v1/admin') },
    rights: [...requestPermissions, tableAccess(allGroups, 'PutItem', 'DeleteItem'), { index: 'byList' }],
    secrets: ['SERVICE_SECRET'],
    maximumConcurrency: 5,
  },
  /** Serves the compatible API. It calls endpoints of most other functions, so it needs their permissions. */
  facade: {
    handler: 'functions/compat-v2.handler',
    ...httpDefaults,
    trigger: { http: createRoutesBelow('/v2', '/sync/v2') },
    rights: [
      ...jobRequestPermissions,
      createContentPermission('PutItem', 'DeleteItem', 'BatchWriteItem'),
      fileAccess(allFilePrefixes, 'GetObject', 'DeleteObject'),
      fileAccess(['received'], 'PutObject', 'AbortMultipartUpload'),
      fileAccess(['uploads'], 'PutObject'),
      { list: true },
      { index: 'byList' },
      { index: 'byTag' },
    ],
    secrets: ['SERVICE_SECRET', 'CDN_PRIVATE_KEY'],
    readsFiles: true,
    plans: true,
    onlyWith: 'facades',
    maximumConcurrency: 50,
  },
  /** Signs people up and in, with a library as large as the rest of the API. */
  account: {
    ...httpDefaults,
    handler: 'functions/auth.handler',
    trigger: { http: ['ANY /v1/auth/{path+}'] },
    rights: [
      tableAccess(allGroups, 'GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'),
      { index: 'byList' },
    ],
    secrets: ['SERVICE_SECRET', 'SMTP_URL', 'OPENID_PROVIDERS'],
    reaches: ['mail', 'sign-in'],
    maximumConcurrency: 20,
  },
  sweep: {
    handler: 'functions/sweep.handler',
    memoryMb: 512,
    timeoutS: 60,
    trigger: { schedule: 'rate(1 minute)' },
    rights: [
      ...jobRequestPermissions,
      // Accounts are deleted, and what anonymous clients created is moved to their new accounts.
      tableAccess(allGroups, 'DeleteItem', 'BatchWriteItem'),
      tableAccess([...contentGroups, 'AUDIT#', 'PLAN#', 'MOVE#', 'CLOSE#'], 'PutItem'),
      deliveryQueuePermission,
      { index: 'byWake' },
      { index: 'byList' },
      fileAccess(['uploads'], 'GetObject'),
      fileAccess(['received'], 'PutObject', 'AbortMultipartUpload'),
      fileAccess(allFilePrefixes, 'DeleteObject'),
      { list: true },
      { sockets: ['GET', 'POST', 'DELETE'] },
    ],
    // Failures are not retried, because the next scheduled run follows within a minute.
    retryAttempts: 0,
    // SMTP_URL is needed for the email that is sent when a workflow is disabled.
    secrets: ['SERVICE_SECRET', 'SMTP_URL'],
    reaches: ['mail', 'sockets'],
    readsFiles: true,
    plans: true,
    maximumConcurrency: 2,
  },
  'receive-upload': {
    handler: 'functions/receive-upload.handler',
    memoryMb: 512,
    timeoutS: 30,
    trigger: { uploads: 'uploads/' },
    rights: [
      ...jobUpdatePermissions,
      tableAccess(['uploads'], 'GetItem', 'UpdateItem'),
      fileAccess(['uploads'], 'GetObject'),
      ...uploadPermissions,
      { list: true },
    ],
    readsFiles: true,
    maximumConcurrency: 20,
  },
  /**
   * Plans tasks that are ready and signs the URLs that their workers need, because engines have no permissions for
   * files.
   */
  prepare: {
    handler: 'functions/prepare-tasks.handler',
    memoryMb: 512,
    timeoutS: 30,
    trigger: { queue: 'ready' },
    recurs: true,
    rights: [
      ...jobUpdatePermissions,
      tableAccess(['jobs'], 'DeleteItem'),
      { queues: [...imageIds, 'capture', 'transfer'], actions: ['sqs:SendMessage'] },
      fileAccess(allFilePrefixes, 'GetObject'),
      fileAccess(['jobs', 'work'], 'PutObject'),
      // With this permission, S3 reports a deleted input as missing instead of forbidden.
      { list: true },
    ],
    secrets: ['TASK_KEY'],
    plans: true,
    maximumConcurrency: 20,
  },
  transfer: {
    handler: 'functions/transfer.handler',
    memoryMb: 1024,
    timeoutS: 900,
    diskMb: 10_240,
    trigger: { queue: 'transfer' },
    recurs: true,
    rights: [
      ...createTaskPermissions('transfer'),
      tableAccess(['uploads'], 'GetItem', 'UpdateItem'),
      fileAccess(allFilePrefixes, 'GetObject'),
      fileAccess(['jobs', 'uploads'], 'PutObject', 'DeleteObject', 'AbortMultipartUpload'),
    ],
    secrets: ['TASK_KEY'],
    reaches: ['stores'],
    readsFiles: true,
  },
  capture: {
    handler: 'functions/capture.handler',
    memoryMb: 3264,
    timeoutS: 300,
    trigger: { queue: 'capture' },
    recurs: true,
    rights: createTaskPermissions('capture'),
    image: 'browser',
    reaches: ['websites'],
  },
  /** Finds the webhooks that are subscribed to an event. */
  dispatch: {
    handler: 'functions/dispatch.handler',
    memoryMb: 256,
    timeoutS: 30,
    trigger: { events: ['job.*', 'file.*', 'subscription.*', 'quota.*'], for: 'webhooks' },
    rights: [
      tableAccess(['webhooks'], 'GetItem', 'BatchGetItem', 'Query'),
      tableAccess(['LANE#', 'STREAM#'], 'PutItem', 'UpdateItem'),
      deliveryQueuePermission,
    ],
    deadLetter: true,
    maximumConcurrency: 20,
  },
  deliver: {
    handler: 'functions/deliver.handler',
    memoryMb: 512,
    timeoutS: 120,
    trigger: { queue: 'delivery' },
    recurs: true,
    rights: [
      tableAccess(['webhooks'], 'GetItem', 'Query'),
      tableAccess(['WEBHOOK#', 'LANE#'], 'UpdateItem'),
      // The first delivery to the webhookUrl of a job creates the owner's secret.
      tableAccess(['OWNER#'], 'PutItem'),
      // The email about a disabled webhook needs the owner's account.
      tableAccess(['ACCOUNT#'], 'GetItem'),
      deliveryQueuePermission,
    ],
    secrets: ['WEBHOOK_KEY', 'DOWNLOAD_KEY', 'SMTP_URL'],
    reaches: ['receivers', 'mail'],
    maximumConcurrency: maxConcurrentDeliveries,
  },
  'record-metrics': {
    handler: 'functions/record-metrics.handler',
    memoryMb: 256,
    timeoutS: 10,
    trigger: { events: ['job.completed', 'job.failed', 'file.deleted'] },
    rights: [tableAccess(['durations'], 'GetItem', 'BatchWriteItem')],
    maximumConcurrency: 10,
  },
  /** Adds finished jobs to the usage of their owners and of the service. */
  'count-usage': {
    handler: 'functions/count-usage.handler',
    memoryMb: 256,
    timeoutS: 15,
    trigger: { events: terminalEvents },
    rights: [
      tableAccess(['usage'], 'GetItem', 'BatchGetItem', 'UpdateItem'),
      tableAccess(['ACCOUNT#'], 'GetItem'),
    ],
    deadLetter: true,
    maximumConcurrency: 10,
  },
  sockets: {
    handler: 'functions/live.sockets',
    memoryMb: 512,
    timeoutS: 20,
    trigger: { websocket: ['$connect', '$disconnect', '$default'] },
    rights: [
      tableAccess(allGroups, 'GetItem', 'BatchGetItem', 'Query', 'UpdateItem'),
      createContentPermission('PutItem', 'DeleteItem', 'BatchWriteItem'),
      { index: 'byList' },
      { publish: true },
      { sockets: ['POST', 'DELETE'] },
    ],
    secrets: ['SERVICE_SECRET'],
    reaches: ['sockets'],
    maximumConcurrency: 30,
  },
  broadcast: {
    handler: 'functions/live.broadcast',
    memoryMb: 512,
    timeoutS: 20,
    trigger: {
      events: [
        ...['job.*', 'file.*', 'subscription.*', 'quota.*', 'socket.opened'],
        ...['sockets.waiting', 'credential.revoked'],
      ],
      for: 'sockets',
    },
    rights: [
      // The credentials of sockets are read, because a socket is closed when its credential is revoked.
      tableAccess(allGroups, 'GetItem', 'BatchGetItem', 'Query'),
      tableAccess(['sockets'], 'PutItem', 'UpdateItem', 'BatchWriteItem'),
      { index: 'byList' },
      { publish: true },
      { sockets: ['POST', 'GET', 'DELETE'] },
    ],
    secrets: ['SERVICE_SECRET'],
    reaches: ['sockets'],
    maximumConcurrency: 20,
  },
  /** Reports how far engines can be isolated where functions run. */
  probe: {
    handler: 'functions/sandbox-probe.handler',
    memoryMb: 1024,
    timeoutS: 60,
    trigger: { operator: true },
    rights: [],
    // The function uses the smallest container image, because the result is the same in all of them.
    image: 'archive',
    maximumConcurrency: 1,
  },
} as const satisfies Readonly<Record<string, FunctionDeclaration>>
export type FunctionName = keyof typeof functions
/** Returns the declaration of a function; undefined for `convert-<image>` functions. */
export const findDeclaration = (name: string | undefined): FunctionDeclaration | undefined =>
  (functions as Readonly<Record<string, FunctionDeclaration>>)[name ?? '']

export const functionNames = Object.keys(functions) as FunctionName[] // keys of a const table
