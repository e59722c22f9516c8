import * as z from 'zod'
import { expectationOf } from './describe-schema.ts'
import { engineIds } from './engines/engine.ts'
import { confinementLevels } from './engines/sandbox/confinement-levels.ts'
import { planIds } from './plans.ts'
import { imageIds } from './resources/queues.ts'
import { driveIds } from './transfer/drives/drive.ts'

/** `ENGINES` of a service that has none: an empty variable is one that is not set, and means all. */
export const noEngines = 'none'

const engineList = z
  .string()
  .transform((text) => (text === noEngines ? [] : text.split(',').map((id) => id.trim())))
  .pipe(z.array(z.enum(engineIds)))
const networks = z
  .string()
  .transform((text) => text.split(',').map((network) => network.trim()))
  .pipe(z.array(z.union([z.cidrv4(), z.cidrv6()])))
const json = z.string().transform((text, context) => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    context.addIssue({ code: 'custom', message: 'expected JSON' })
    return z.NEVER
  }
})
const httpAddress = z.url({ protocol: /^https?$/ })
const openIdProviders = json.pipe(
  z.array(
    z.strictObject({
      id: z.string().regex(/^[a-z0-9-]{1,32}$/),
      name: z.string().min(1).max(64).optional(),
      issuer: httpAddress,
      clientId: z.string().min(1),
      clientSecret: z.string().min(1),
      scopes: z.array(z.string()).optional(),
    }),
  ),
)
const drives = json.pipe(
  z.partialRecord(
    z.enum(driveIds),
    z.strictObject({
      clientId: z.string().min(1),
      clientSecret: z.string().min(1),
      endpoints: z
        .strictObject({ authorize: httpAddress, token: httpAddress, api: httpAddress })
        .partial()
        .optional(),
      /** Pages of other origins that people may be led back to. */
      origins: z.array(httpAddress).optional(),
    }),
  ),
)
const port = z.coerce.number().int().min(0).max(65_535)
const wholeNumber = (least: number, most: number) => z.coerce.number().int().min(least).max(most)

/**
 * Every setting of the service, with its default. Those of the first block are for people who run it on one
 * machine; those of the second are set by the deployment (or by the one-machine runtime in its place).
 */
export const settings = {
  PORT: port.default(8080).describe('Port of the service'),
  HOST: z
    .string()
    .min(1)
    .default('localhost')
    .describe('Address to listen on; `0.0.0.0` opens it to the network'),
  DATA_DIR: z.string().min(1).default('.data').describe('Folder of all data: files, jobs, queues, secrets'),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Address that clients use, when it is not `http://localhost:$PORT`'),
  PARALLEL: wholeNumber(1, 64)
    .optional()
    .describe(
      'Conversions at a time per kind of engine; the number of cores when not set, twice that for pictures',
    ),
  WORKER_IDLE_S: wholeNumber(1, 86_400)
    .default(600)
    .describe('Seconds without work after which a worker process ends'),
  RETENTION_HOURS: wholeNumber(1, 24 * 365)
    .default(24)
    .describe('Hours after which a finished job and its files are deleted'),
  MAX_FILE_MB: wholeNumber(1, 5_000_000).default(10_240).describe('Largest file that is accepted, in MiB'),
  MAX_FORM_MB: z.coerce
    .number()
    .min(0.001)
    .max(5_000_000)
    .optional()
    .describe(
      'Largest body of a request, in MiB; any size when not set, 4.4 where `REQUEST_BODIES` is `whole`',
    ),
  REQUEST_BODIES: z
    .enum(['streamed', 'whole'])
    .default('streamed')
    .describe('`whole` takes them as AWS does: 6 MB with all that is around them, files in base64'),
  MIN_FREE_DISK_GB: wholeNumber(0, 100_000)
    .default(10)
    .describe('Free disk below which new files are refused, in GB'),
  MIN_CONFINEMENT: z
    .enum(confinementLevels)
    .default('namespaces')
    .describe(
      'Least confinement under which engines run: `namespaces`, `filtered` (system calls, where a host refuses namespaces), `limits` or `none`; with less nothing is converted',
    ),
  ANONYMOUS_PLAN: z
    .enum(planIds)
    .default('self-hosted')
    .describe('Plan of those who have no account: `anonymous` where everybody can reach the service'),
  PLANS_FILE: z
    .string()
    .min(1)
    .optional()
    .describe(
      'JSON file with other limits of plans, as `{ "free": { "requestsPerDay": 100 } }`; see `GET /v1/plans`',
    ),
  TRUSTED_PROXIES: networks
    .optional()
    .describe(
      'Networks of your own proxies, whose `X-Forwarded-For` is believed, as `127.0.0.1/32`, separated by commas',
    ),
  SANDBOX: z
    .enum(['0', '1'])
    .default('0')
    .describe('`1` for a service to try things on: no limits of requests, 10 MB a file, kept for an hour'),
  SANDBOX_ALLOW: networks
    .optional()
    .describe('Networks that may use the sandbox, separated by commas; any when not set'),
  OUTGOING_ALLOW: networks
    .optional()
    .describe(
      'Networks beside the public internet that imports, exports, captured websites and webhooks may reach, as `10.1.0.0/16`, separated by commas',
    ),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe(
      'Mail server as `smtps://user:password@mail.example.com`; without one, letters to people go to the log',
    ),
  MAIL_FROM: z
    .string()
    .min(3)
    .optional()
    .describe(
      'Sender of mails, as `Mutabor <no-reply@example.com>`; an address of `PUBLIC_URL` when not set',
    ),
  OPENID_PROVIDERS: openIdProviders
    .optional()
    .describe(
      'OpenID providers that people may sign in by, as JSON: `[{"id":"work","name":"Work","issuer":"https://id.example.com","clientId":"…","clientSecret":"…"}]`',
    ),
  DRIVES: drives
    .optional()
    .describe(
      'Drives that people may import from, as JSON: `{"dropbox":{"clientId":"…","clientSecret":"…"}}`, beside it `google-drive` and `onedrive`; each also takes `endpoints` (`authorize`, `token`, `api`) and `origins` of other pages that people are led back to',
    ),
  LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Least severe log line that is written'),
  LOG_FILE: z
    .string()
    .min(1)
    .optional()
    .describe('File that log lines go to; `$DATA_DIR/service.log` on one machine'),

  AWS_REGION: z.string().min(1).default('eu-central-1').describe('Region of all AWS resources'),
  TABLE_NAME: z.string().min(1).default('mutabor').describe('DynamoDB table of jobs, tasks and uploads'),
  BUCKET_NAME: z.string().min(1).default('mutabor').describe('S3 bucket of inputs and outputs'),
  BUS_NAME: z.string().min(1).default('mutabor').describe('EventBridge bus of the events'),
  QUEUE_URL_PREFIX: z
    .string()
    .min(1)
    .default('mutabor-')
    .describe('What stands before the image id in the URL of a queue'),
  S3_PUBLIC_ENDPOINT: z
    .url()
    .optional()
    .describe('S3 address in the URLs that clients get, when it is not the one that the service itself uses'),
  SIGN_UP: z
    .enum(['open', 'closed'])
    .default('open')
    .describe('`closed` where accounts are made by `npm run admin` alone'),
  TRUST_HOST: z
    .enum(['0', '1'])
    .default('0')
    .describe(
      '`1` where nobody set `PUBLIC_URL` on one machine: addresses in a reply are of the `Host` that its request names',
    ),
  AWS_ENDPOINT_URL_S3: z
    .url()
    .optional()
    .describe(
      'Another S3-compatible server; its kin (`…_SQS`, `…_DYNAMODB`, `…_EVENTBRIDGE`) are read by the AWS SDK itself',
    ),
  GCS_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("Another server that speaks the JSON API of Google's storage and gives out its tokens"),
  SERVICE_SECRET: z
    .string()
    .min(32)
    .optional()
    .describe(
      'Signs identities and seals passwords in the table; made at first start and kept in the data folder when not set',
    ),
  ORIGIN_SECRET: z
    .string()
    .min(16)
    .optional()
    .describe('Header `x-origin-secret` of the address in front, without which no request is answered'),
  ORIGIN_SECRET_ARN: z
    .string()
    .regex(/^arn:aws[\w-]*:secretsmanager:/)
    .optional()
    .describe('Where the address in front has its secret from; the sweep puts it among the others'),
  SECRETS: z
    .string()
    .regex(/^s3:\/\/[^/]+\/[A-Z_,]+$/)
    .optional()
    .describe(
      'Where a function finds settings that are secret, as `s3://bucket/SERVICE_SECRET,SMTP_URL`: each is an object of its name',
    ),
  TASK_FILES: z
    .enum(['direct', 'signed'])
    .default('direct')
    .describe(
      '`signed` gives engines the files of their tasks by signed addresses, so that they need no keys',
    ),
  IMAGE_ID: z.enum(imageIds).optional().describe('Image in which a conversion function runs'),
  ENGINES: engineList
    .optional()
    .describe('Engines that are used, separated by commas, or `none`; all that are installed when not set'),
  FACADES: z
    .literal('v2')
    .optional()
    .describe(
      '`v2` answers below `/v2` in the words of another service, for its SDKs; see functions/compat-v2',
    ),
  TASK_LIMIT_S: wholeNumber(10, 86_400)
    .optional()
    .describe(
      'Seconds that one run of a task may take; films that take longer, merges too, are cut into parts, and so are scans to be read. Any when not set',
    ),
  IMAGE_REGISTRY: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Registry that `npm run images:push` brings images to, as `123456789012.dkr.ecr.eu-central-1.amazonaws.com`',
    ),
  MAX_FUNCTION_MB: wholeNumber(512, 10_240)
    .default(10_240)
    .describe(
      'Most memory that a function is deployed with, in MB: new accounts have 3008. Its engines are held to what is left',
    ),
  WORK_DIR: z.string().min(1).default('/tmp').describe('Folder under which engines get their work folders'),
} as const satisfies Record<string, z.ZodType>

/** What requests to AWS are signed with, in the name of a role. */
export interface RoleKey {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

export type Config = { [K in keyof typeof settings]: z.infer<(typeof settings)[K]> } & {
  /** Where the environment has none, the AWS SDK looks for one elsewhere. */
  readonly roleKey?: RoleKey
}

/** MiB of a body of which base64 and headers make no more than the 6 MB of a Lambda invocation. */
const wholeBodyMb = 4.4

/** Bytes that the body of a request may have; undefined where nothing but its files is limited. */
export function maxBodyBytes({
  MAX_FORM_MB,
  REQUEST_BODIES,
}: Pick<Config, 'MAX_FORM_MB' | 'REQUEST_BODIES'>): number | undefined {
  const mb = MAX_FORM_MB ?? (REQUEST_BODIES === 'whole' ? wholeBodyMb : undefined)
  return mb === undefined ? undefined : Math.floor(mb * 1024 * 1024)
}

/** A wrong setting; the sentence names the variable, what was expected and what came. */
export class ConfigError extends Error {}

/** @throws ConfigError for the first wrong variable. */
export function readConfig(environment: Readonly<Record<string, string | undefined>> = process.env): Config {
  const entries = Object.entries(settings).map(([name, schema]) => {
    // A variable that is set but empty means "not set", as in shells and compose files.
    const value = environment[name] === '' ? undefined : environment[name]
    const parsed = schema.safeParse(value)
    if (!parsed.success) {
      throw new ConfigError(
        `${name}: expected ${expectationOf(schema, [])}, got "${value}". ${schema.description}.`,
      )
    }
    return [name, parsed.data]
  })
  const roleKey = roleKeyOf(environment)
  const parsed = Object.fromEntries(entries) as Config // each entry was parsed by the schema of its name
  return { ...parsed, ...(roleKey && { roleKey }) }
}

/** Where it stands in an environment. */
export const roleKeyNames = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'] as const

export function roleKeyOf(environment: Readonly<Record<string, string | undefined>>): RoleKey | undefined {
  const [accessKeyId, secretAccessKey, sessionToken] = roleKeyNames.map((name) => environment[name])
  if (!accessKeyId || !secretAccessKey) return undefined
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) }
}

/**
 * All variables of this process, for the one-machine runtime: it hands them on to workers and sets those that
 * Lambda would set, which the AWS SDK reads by itself.
 */
export const processEnvironment: Record<string, string | undefined> = process.env
