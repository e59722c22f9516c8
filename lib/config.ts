import * as z from 'zod'
import { confinementLevels, driveIds, engineIds, imageIds } from './component-ids.ts'
import { defined } from './validation/defined.ts'
import { describeExpectation } from './validation/describe-schema.ts'
import { planNameSchema } from './validation/plan-name.ts'

/** Value of `ENGINES` for a service without engines. An empty variable counts as not set, which means all engines. */
export const noEnginesValue = 'none'

const engineListSchema = z
  .string()
  .transform((text) => (text === noEnginesValue ? [] : text.split(',').map((id) => id.trim())))
  .pipe(z.array(z.enum(engineIds)))
const networksSchema = z
  .string()
  .transform((text) => text.split(',').map((network) => network.trim()))
  .pipe(z.array(z.union([z.cidrv4(), z.cidrv6()])))
const json = z.string().transform((text, context) => {
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch {
    context.addIssue({ code: 'custom', message: 'expected JSON' })
    return z.NEVER
  }
})
const httpUrlSchema = z.url({ protocol: /^https?$/ })
const openIdProvidersSchema = json.pipe(
  z.array(
    z.strictObject({
      id: z.string().regex(/^[a-z0-9-]{1,32}$/),
      name: z.string().min(1).max(64).optional(),
      issuer: httpUrlSchema,
      clientId: z.string().min(1),
      clientSecret: z.string().min(1),
      scopes: z.array(z.string()).optional(),
    }),
  ),
)
const drivesSchema = json.pipe(
  z.partialRecord(
    z.enum(driveIds),
    z.strictObject({
      clientId: z.string().min(1),
      clientSecret: z.string().min(1),
      endpoints: z
        .strictObject({
          authorize: httpUrlSchema,
          token: httpUrlSchema,
          api: httpUrlSchema,
          upload: httpUrlSchema,
        })
        .partial()
        .optional(),
      /** Origins of other sites to which a sign-in may redirect. */
      origins: z.array(httpUrlSchema).optional(),
    }),
  ),
)
const createKeySchema = (title: string) =>
  z
    .string()
    .regex(/^[\w-]{43}$/)
    .optional()
    .describe(`${title}, derived from \`SERVICE_SECRET\` for processes that must not know that secret`)
const port = z.coerce.number().int().min(0).max(65_535)
const createIntegerSchema = (min: number, max: number) => z.coerce.number().int().min(min).max(max)

/**
 * Every setting of the service, with its default. The first block is for people who run the service on one machine; the
 * second is set by the deployment or, on one machine, by the local runtime.
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
    .describe("URL that clients use when it isn't `http://localhost:$PORT`"),
  PARALLEL: createIntegerSchema(1, 64)
    .optional()
    .describe(
      'Conversions that run at the same time per kind of engine; by default the number of cores, twice that for images',
    ),
  WORKER_IDLE_S: createIntegerSchema(1, 86_400)
    .default(600)
    .describe('Seconds without work after which a worker process exits'),
  RETENTION_HOURS: createIntegerSchema(1, 24 * 365)
    .default(24)
    .describe('Hours until a finished job and its files are deleted'),
  MAX_FILE_MB: createIntegerSchema(1, 5_000_000)
    .default(10_240)
    .describe('Largest file that is accepted, in MiB'),
  MAX_FORM_MB: z.coerce
    .number()
    .min(0.001)
    .max(5_000_000)
    .optional()
    .describe('Largest request body, in MiB; unlimited by default, 4.4 when `REQUEST_BODIES` is `whole`'),
  REQUEST_BODIES: z
    .enum(['streamed', 'whole'])
    .default('streamed')
    .describe(
      '`whole` buffers request bodies as AWS does: at most 6 MB including headers, with files in base64',
    ),
  MIN_FREE_DISK_GB: createIntegerSchema(0, 100_000)
    .default(10)
    .describe('Free disk space, in GB, below which new files are refused'),
  MIN_CONFINEMENT: z
    .enum(confinementLevels)
    .default('namespaces')
    .describe(
      'Minimum confinement of engines: `namespaces`, `filtered` (system call filters, for hosts that refuse namespaces), `limits` or `none`; with less, conversions are disabled',
    ),
  ANONYMOUS_PLAN: planNameSchema
    .default('self-hosted')
    .describe('Plan of clients without an account; set `anonymous` when anyone can reach the service'),
  PLANS_FILE: z
    .string()
    .min(1)
    .optional()
    .describe(
      'JSON file that overrides limits of plans, such as `{ "free": { "requestsPerDay": 100 } }`; see `GET /v1/plans`',
    ),
  TRUSTED_PROXIES: networksSchema
    .optional()
    .describe(
      'Networks of your own proxies, whose `X-Forwarded-For` header is trusted, such as `127.0.0.1/32`, separated by commas',
    ),
  SANDBOX: z
    .enum(['0', '1'])
    .default('0')
    .describe(
      '`1` runs a sandbox for trying things out: no request limits, files of at most 10 MB, kept for an hour',
    ),
  SANDBOX_ALLOW: networksSchema
    .optional()
    .describe('Networks that may use the sandbox, separated by commas; all by default'),
  OUTGOING_ALLOW: networksSchema
    .optional()
    .describe(
      'Private networks that imports, exports, website captures and webhooks may reach, such as `10.1.0.0/16`, separated by commas; none by default',
    ),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe(
      'Mail server, such as `smtps://user:password@mail.example.com`; without one, emails go to the log',
    ),
  MAIL_FROM: z
    .string()
    .min(3)
    .optional()
    .describe(
      'Sender of emails, such as `Mutabor <no-reply@example.com>`; by default an address at the host of `PUBLIC_URL`',
    ),
  OPENID_PROVIDERS: openIdProvidersSchema
    .optional()
    .describe(
      'OpenID providers for signing in, as JSON: `[{"id":"work","name":"Work","issuer":"https://id.example.com","clientId":"…","clientSecret":"…"}]`',
    ),
  DRIVES: drivesSchema
    .optional()
    .describe(
      'Cloud drives that people can import from and save to, as JSON: `{"dropbox":{"clientId":"…","clientSecret":"…"}}`, likewise `google-drive` and `onedrive`; each also takes `endpoints` (`authorize`, `token`, `api`, `upload`) and `origins` (other sites that people may be redirected back to)',
    ),
  LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'])
    .default('info')
    .describe('Lowest level of the log lines that are written'),
  LOG_FILE: z
    .string()
    .min(1)
    .optional()
    .describe('Log file; on one machine `$DATA_DIR/service.log` by default'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'OpenTelemetry collector that receives the traces over HTTP, such as `http://localhost:4318`; the variable `OTEL_EXPORTER_OTLP_HEADERS` contains the headers to send to it',
    ),
  LOG_SPANS: z
    .enum(['0', '1'])
    .default('0')
    .describe(
      '`1` writes each span to the log as a line of OTLP JSON, for functions that cannot reach a collector; without effect where `OTEL_EXPORTER_OTLP_ENDPOINT` is set',
    ),

  AWS_REGION: z.string().min(1).default('eu-central-1').describe('Region of all AWS resources'),
  TABLE_NAME: z.string().min(1).default('mutabor').describe('DynamoDB table of jobs, tasks and uploads'),
  BUCKET_NAME: z.string().min(1).default('mutabor').describe('S3 bucket of inputs and outputs'),
  BUS_NAME: z
    .string()
    .min(1)
    .default('mutabor')
    .describe(
      'EventBridge bus to which all events are published; `file.downloaded` only if it has a subscriber',
    ),
  QUEUE_URL_PREFIX: z
    .string()
    .min(1)
    .default('mutabor-')
    .describe('Prefix of every queue URL; the image id follows'),
  S3_PUBLIC_ENDPOINT: z
    .url()
    .optional()
    .describe(
      'S3 endpoint in the presigned URLs that clients get, when it differs from the one that the service uses',
    ),
  SIGN_UP: z
    .enum(['open', 'closed'])
    .default('open')
    .describe('`closed` leaves the creation of accounts to `npm run admin`'),
  TRUST_HOST: z
    .enum(['0', '1'])
    .default('0')
    .describe(
      '`1` takes the host of URLs in a reply from the `Host` header of its request; set on one machine when `PUBLIC_URL` is not',
    ),
  AWS_ENDPOINT_URL_S3: z
    .url()
    .optional()
    .describe(
      'Endpoint of another S3-compatible server; the AWS SDK itself reads the same variables for other services (`…_SQS`, `…_DYNAMODB`, `…_EVENTBRIDGE`)',
    ),
  GCS_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'Endpoint of another server that implements the JSON API of Google Cloud Storage and issues the access tokens for it',
    ),
  SERVICE_SECRET: z
    .string()
    .min(32)
    .optional()
    .describe(
      'Secret that signs identities and encrypts passwords in the table; by default generated at the first start and stored in the data folder',
    ),
  TASK_KEY: createKeySchema('Key that encrypts the passwords of tasks'),
  WEBHOOK_KEY: createKeySchema('Key that encrypts the secrets of webhooks'),
  DOWNLOAD_KEY: createKeySchema('Key that signs download links'),
  CDN_KEYS: z
    .string()
    .regex(/^[0-9a-f]{16}=\w+(?:,[0-9a-f]{16}=\w+)*$/)
    .optional()
    .describe(
      'Ids of public keys in CloudFront by fingerprint; with `CDN_PRIVATE_KEY`, links to files lead through the CDN',
    ),
  CDN_PRIVATE_KEY: z
    .string()
    .startsWith('-----BEGIN ')
    .optional()
    .describe('Private key (PEM) that signs links to files at the CDN'),
  ORIGIN_SECRET: z
    .string()
    .min(16)
    .optional()
    .describe(
      'Secret that the CDN in front of the service sends as the header `x-origin-secret`; requests without it are refused',
    ),
  ORIGIN_SECRET_ARN: z
    .string()
    .regex(/^arn:aws[\w-]*:secretsmanager:/)
    .optional()
    .describe(
      'ARN of the secret in Secrets Manager that the CDN in front of the service sends; the sweep copies this secret to where the other secrets are',
    ),
  SECRETS: z
    .string()
    .regex(/^s3:\/\/[^/]+\/[A-Z_,]+$/)
    .optional()
    .describe(
      'Where a function reads its secret settings, such as `s3://bucket/SERVICE_SECRET,SMTP_URL`; each is an object with the name of the setting',
    ),
  TASK_FILES: z
    .enum(['direct', 'signed'])
    .default('direct')
    .describe(
      '`signed` gives engines presigned URLs of the files of their tasks, so that they need no AWS credentials',
    ),
  RUN_ID: z
    .string()
    .max(100)
    .optional()
    .describe(
      'Id of the service run that a worker belongs to. If a restart of the service interrupts a task, the attempt is not counted',
    ),
  IMAGE_ID: z.enum(imageIds).optional().describe('Container image that a conversion function runs in'),
  ENGINES: engineListSchema
    .optional()
    .describe('Engines to use, separated by commas, or `none`; by default all that are installed'),
  FACADES: z
    .literal('v2')
    .optional()
    .describe('`v2` serves the API of another service under `/v2`, for its SDKs; see functions/compat-v2'),
  TASK_LIMIT_S: createIntegerSchema(10, 86_400)
    .optional()
    .describe(
      'Seconds that one run of a task may take; longer videos, merges and OCR of scans are processed in chunks. Unlimited by default',
    ),
  MAX_WAITS: createIntegerSchema(1, 10_000)
    .optional()
    .describe(
      'Requests per 25 s that may wait for a job; further requests are answered immediately. The limit applies separately to requests with `Prefer: wait` that create a job, to those that watch a job, and to event streams if responses cannot be streamed. Unlimited by default',
    ),
  IMAGE_REGISTRY: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Registry that `npm run images:push` pushes to, such as `123456789012.dkr.ecr.eu-central-1.amazonaws.com`',
    ),
  MAX_FUNCTION_MB: createIntegerSchema(512, 10_240)
    .default(10_240)
    .describe(
      'Maximum memory of a deployed function, in MB; new AWS accounts allow 3008. Engines can use what the service itself leaves free',
    ),
  WORK_DIR: z.string().min(1).default('/tmp').describe('Folder in which engines get their working folders'),
} as const satisfies Record<string, z.ZodType>

/** AWS credentials; on Lambda, the credentials of the function's role. */
export interface RoleKey {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

export type Config = { [K in keyof typeof settings]: z.infer<(typeof settings)[K]> } & {
  /** Undefined if the environment has no key: the AWS SDK then looks for credentials elsewhere. */
  readonly roleKey?: RoleKey
}

/** The largest request body that fits into the 6 MB of a Lambda invocation, in base64 and together with the headers. */
const maxUnstreamedBodyMb = 4.4

/** Returns the maximum size of a request body in bytes; undefined if only the size of its files is limited. */
export function getMaxBodyBytes({
  MAX_FORM_MB,
  REQUEST_BODIES,
}: Pick<Config, 'MAX_FORM_MB' | 'REQUEST_BODIES'>): number | undefined {
  const mb = MAX_FORM_MB ?? (REQUEST_BODIES === 'whole' ? maxUnstreamedBodyMb : undefined)
  return mb === undefined ? undefined : Math.floor(mb * 1024 * 1024)
}

/** An invalid setting. The message names the variable, the expected value and the actual value. */
export class ConfigError extends Error {}

/** Reads all settings. @throws ConfigError for the first invalid variable */
export function readConfig(environment: Readonly<Record<string, string | undefined>> = process.env): Config {
  const entries = Object.entries(settings).map(([name, schema]) => {
    // An empty variable counts as not set, as in shells and compose files.
    const value = environment[name] === '' ? undefined : environment[name]
    const parsed = schema.safeParse(value)
    if (!parsed.success) {
      throw new ConfigError(
        `${name}: expected ${describeExpectation(schema, [])}, got "${value}". ${schema.description}.`,
      )
    }
    return [name, parsed.data]
  })
  const roleKey = readRoleKey(environment)
  const parsed = Object.fromEntries(entries) as Config // each entry was parsed with the schema of that name
  return { ...parsed, ...defined({ roleKey }) }
}

/** Environment variables of AWS credentials, which functions get from their role. */
export const roleKeyNames = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'] as const

export function readRoleKey(environment: Readonly<Record<string, string | undefined>>): RoleKey | undefined {
  const [accessKeyId, secretAccessKey, sessionToken] = roleKeyNames.map((name) => environment[name])
  if (!accessKeyId || !secretAccessKey) return undefined
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) }
}

/**
 * All environment variables of this process. The local runtime passes them on to workers. It also sets the variables
 * that the AWS SDK reads and that Lambda would set.
 */
export const processEnvironment: Record<string, string | undefined> = process.env
