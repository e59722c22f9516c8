import { createPublicKey } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import * as z from 'zod'
import { imageIds } from '../component-ids.ts'
import { findDeclaration, functionNames } from '../resources/functions.ts'
import { defined } from '../validation/defined.ts'
import { planNameSchema } from '../validation/plan-name.ts'
import { readPushedImages } from './pushed-images.ts'
import { type ProfileName, profileNames, type StageLimits, stageProfiles } from './stage-profiles.ts'

const imageUriPattern = /^\d{12}\.dkr\.ecr\.[a-z0-9-]+\.amazonaws\.com(\.cn)?\/[\w./-]+@sha256:[0-9a-f]{64}$/

/** How CodeDeploy shifts invocations from the previous version of a function to the new one. */
const canaryPaces = [
  ...([
    'Linear10PercentEvery1Minute',
    'Linear10PercentEvery2Minutes',
    'Linear10PercentEvery3Minutes',
  ] as const),
  ...(['Canary10Percent5Minutes', 'Canary10Percent10Minutes', 'Canary10Percent30Minutes'] as const),
] as const

const publicKeyPattern = /^-----BEGIN PUBLIC KEY-----[\w+/=\s]+-----END PUBLIC KEY-----$/

/** Returns whether CloudFront accepts a public key for signed URLs. */
function isCdnKey(pem: string): boolean {
  // Node also derives a public key from a private key, whose text would then be part of the template.
  if (!publicKeyPattern.test(pem.trim())) return false
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPublicKey(pem)
    return asymmetricKeyType === 'rsa' && asymmetricKeyDetails?.modulusLength === 2048
  } catch {
    return false
  }
}

/** Settings of a deployment in `stages/<stage>.json`. Only the first three are required. */
const StageSettings = z
  .strictObject({
    region: z
      .string()
      .regex(/^[a-z]{2}(-[a-z]+)+-\d$/)
      .describe('AWS region, such as `eu-central-1`'),
    domain: z
      .strictObject({
        name: z.hostname(),
        certificateArn: z.string().regex(/^arn:aws[\w-]*:acm:us-east-1:/),
      })
      .describe('Domain of the service, and a certificate for it in us-east-1, as CloudFront requires'),
    images: z
      .record(z.enum(imageIds), z.string().regex(imageUriPattern))
      .describe('URI of each pushed image with its digest; default: those stored by `npm run images:push`'),
    isolation: z
      .enum(['vpc', 'none'])
      .default('vpc')
      .describe(
        '`vpc`: functions that need no internet access run in subnets without it, for about $34 a month. `none`: free, but an engine that a malicious file has taken over can send that file anywhere',
      ),
    anonymousPlan: planNameSchema.default('anonymous').describe('Plan of clients without an account'),
    mailFrom: z.string().min(3).optional().describe('Sender of emails'),
    outgoingAllow: z.string().min(1).optional().describe('`OUTGOING_ALLOW` of the service'),
    facades: z
      .literal('v2')
      .optional()
      .describe('`FACADES` of the service: `v2` deploys a function that serves `/v2`'),
    cdnPublicKeys: z
      .array(z.string().refine(isCdnKey, 'expected a public RSA key of 2,048 bits (PEM)'))
      .min(1)
      .max(5)
      .refine(
        (keys) => new Set(keys.map((key) => key.trim())).size === keys.length,
        'expected different keys',
      )
      .optional()
      .describe(
        'Public keys (PEM) that verify signed links. If set, files are downloaded through CloudFront instead of from the bucket',
      ),
    retentionHours: z.int().min(1).max(8760).default(24).describe('`RETENTION_HOURS` of the service'),
    customerKeyArn: z
      .string()
      .regex(/^arn:aws[\w-]*:kms:/)
      .optional()
      .describe('KMS key of your own to encrypt files and records with'),
    keepData: z
      .boolean()
      .default(true)
      .describe('Protects the table from deletion, also when the stack is removed'),
    logDays: z.union([z.literal(7), z.literal(14), z.literal(30), z.literal(90), z.literal(365)]).default(30),
    canary: z
      .enum(canaryPaces)
      .optional()
      .describe(
        'How invocations are shifted to a new version step by step, such as `Linear10PercentEvery1Minute`; if an alarm is triggered, they are shifted back. Default: all at once',
      ),
    accessLogs: z
      .boolean()
      .default(false)
      .describe('Stores the access logs of CloudFront and of the buckets in a bucket for `logDays`'),
    tracing: z
      .boolean()
      .default(false)
      .describe(
        'Has AWS X-Ray record how invocations lead to each other through queues and the bus; functions write their spans to the log',
      ),
    firewallArn: z
      .string()
      .regex(/^arn:aws[\w-]*:wafv2:us-east-1:\d{12}:global\/webacl\//)
      .optional()
      .describe(
        'Web ACL in us-east-1 that CloudFront applies to each request, such as the one that `firewall.json` creates',
      ),
    alarmMail: z.email().optional().describe('Email address that receives alarms'),
    dollarsPerDay: z.number().positive().default(50).describe('Cost per day above which an alarm is sent'),
    profile: z
      .enum(profileNames)
      .describe(
        'Limits in `stage-profiles.ts`: `small` for a new account, `standard` (default), `large`; each of the following settings replaces one',
      ),
    requestsPerSecond: z
      .int()
      .min(1)
      .describe('Rate limit for all clients together; bursts can be twice as high'),
    conversionsAtATime: z
      .int()
      .min(2)
      .max(1000)
      .describe(
        'Concurrency limit of each image, so that one kind of file cannot block others and the cost of an attack is limited',
      ),
    functionsAtATime: z
      .int()
      .min(10)
      .describe(
        'Quota of the account (Lambda, concurrent executions); the reserved concurrency of all functions must fit into it',
      ),
    architecture: z
      .enum(['x86_64', 'arm64'])
      .default('x86_64')
      .describe(
        'Processor architecture of functions without engines; arm64 costs a fifth less. Images always use x86_64',
      ),
    functionMb: z
      .int()
      .min(512)
      .max(10_240)
      .describe(
        'Quota of the account: memory of a Lambda function in MB. Engines can use what the service itself leaves free',
      ),
    reservesConcurrency: z
      .boolean()
      .describe('Whether the concurrency limits of functions for requests and events are reserved'),
    concurrency: z
      .partialRecord(z.enum(functionNames), z.int().min(1))
      .describe('Concurrency limits of functions, by name'),
    zones: z
      .tuple([z.string(), z.string()])
      .describe(
        'Availability zones of the subnets without internet access; default: the first two of the account, which in us-east-1 may include one without Lambda',
      ),
    tags: z.record(z.string(), z.string()).default({}).describe('Tags of all resources'),
  })
  .partial({ profile: true, requestsPerSecond: true, conversionsAtATime: true, functionsAtATime: true })
  .partial({ functionMb: true, reservesConcurrency: true, concurrency: true, zones: true })
type StageSettings = Readonly<z.infer<typeof StageSettings>>
export const stageSettingNames = Object.keys(StageSettings.shape)

/** The settings of a stage; a trial stage can lack a domain and images. */
export interface Stage extends Omit<StageSettings, 'domain' | 'images' | keyof StageLimits>, StageLimits {
  readonly name: string
  readonly profile: ProfileName
  readonly domain?: StageSettings['domain']
  readonly images: Partial<StageSettings['images']>
}

/** Returns whether a function is deployed. Some functions are only deployed with a certain setting. */
export const isDeployed = (name: string, { facades }: Pick<Stage, 'facades'>): boolean =>
  findDeclaration(name)?.onlyWith === undefined || facades !== undefined

const TrialSettings = StageSettings.partial({ domain: true, images: true, region: true })

const findProfileName = (name: string) => profileNames.find((profileName) => profileName === name)
/** Whether a stage can be packaged without a settings file: `dev`, and one stage for each profile. */
const isTrialName = (name: string) => name === 'dev' || findProfileName(name) !== undefined
const getDefaultProfile = (name: string): ProfileName => findProfileName(name) ?? 'standard'

/**
 * Parses the settings of a stage.
 * @throws Error that names each invalid setting, the expected value and the actual one
 */
export function parseStage(name: string, input: unknown): Stage {
  const isTrial = isTrialName(name)
  const parsedSettings = (isTrial ? TrialSettings : StageSettings).safeParse(input ?? {})
  if (!parsedSettings.success) {
    const problems = parsedSettings.error.issues.map(
      ({ path, message }) => `${path.join('.') || 'the file'}: ${message}`,
    )
    throw new Error(
      `Stage "${name}" cannot be packaged. Fix these settings in stages/${name}.json (see lib/deployment/README.md):\n${problems.join('\n')}`,
    )
  }
  const {
    region = 'eu-central-1',
    domain,
    images = {},
    profile = getDefaultProfile(name),
    ...otherSettings
  } = parsedSettings.data
  const limits: StageLimits = stageProfiles[profile]
  const {
    functionsAtATime = limits.functionsAtATime,
    functionMb = limits.functionMb,
    reservesConcurrency = limits.reservesConcurrency,
    conversionsAtATime = limits.conversionsAtATime,
    requestsPerSecond = limits.requestsPerSecond,
    concurrency = limits.concurrency,
    ...settings
  } = otherSettings
  return {
    ...settings,
    name,
    profile,
    region,
    images,
    functionsAtATime,
    functionMb,
    reservesConcurrency,
    conversionsAtATime,
    requestsPerSecond,
    concurrency,
    ...defined({ domain }),
  }
}

export function readStage(name: string, folder = process.cwd()): Stage {
  const path = `${folder}/stages/${name}.json`
  const settings = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
  const pushedEntries = Object.entries(readPushedImages()).filter(([id]) =>
    imageIds.some((image) => image === id),
  )
  return parseStage(name, {
    ...(pushedEntries.length > 0 && { images: Object.fromEntries(pushedEntries) }),
    ...settings,
  })
}

/** Returns the stage from `--stage prod`, `--stage=prod` or `-s prod`; the default is that of serverless.yml. */
export function getStageFromArgs(args: readonly string[]): string {
  const at = args.findIndex((arg) => arg === '--stage' || arg === '-s')
  const stageArgument = args.find((arg) => arg.startsWith('--stage='))?.slice('--stage='.length)
  return stageArgument ?? (at < 0 ? undefined : args[at + 1]) ?? 'dev'
}
