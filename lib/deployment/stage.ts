import { existsSync, readFileSync } from 'node:fs'
import * as z from 'zod'
import { planIds } from '../plans.ts'
import { declarationOf } from '../resources/functions.ts'
import { imageIds } from '../resources/queues.ts'
import { pushedImages } from './pushed-images.ts'

const digest = /^\d{12}\.dkr\.ecr\.[a-z0-9-]+\.amazonaws\.com(\.cn)?\/[\w./-]+@sha256:[0-9a-f]{64}$/

/** What a deployment is told in `stages/<stage>.json`; all but the first three has a default. */
export const StageSettings = z.strictObject({
  region: z
    .string()
    .regex(/^[a-z]{2}(-[a-z]+)+-\d$/)
    .describe('Region of AWS, as `eu-central-1`'),
  domain: z
    .strictObject({
      name: z.hostname(),
      certificateArn: z.string().regex(/^arn:aws[\w-]*:acm:us-east-1:/),
    })
    .describe('Name that clients use, and a certificate for it in us-east-1, where CloudFront looks'),
  images: z
    .record(z.enum(imageIds), z.string().regex(digest))
    .describe(
      'Where each image was pushed to, with its digest; what `npm run images:push` noted when left out',
    ),
  isolation: z
    .enum(['vpc', 'none'])
    .default('vpc')
    .describe(
      '`vpc`: what needs no way out is in subnets without one, for about $34 a month. `none`: free, and an engine that a file has taken over can send that file anywhere',
    ),
  anonymousPlan: z.enum(planIds).default('anonymous').describe('Plan of those who have no account'),
  mailFrom: z.string().min(3).optional().describe('Sender of mails'),
  outgoingAllow: z.string().min(1).optional().describe('`OUTGOING_ALLOW` of the service'),
  facades: z
    .literal('v2')
    .optional()
    .describe('`FACADES` of the service: `v2` deploys a function that answers below `/v2`'),
  retentionHours: z.int().min(1).max(8760).default(24).describe('`RETENTION_HOURS` of the service'),
  customerKeyArn: z
    .string()
    .regex(/^arn:aws[\w-]*:kms:/)
    .optional()
    .describe('Key of your own that files and records are encrypted with'),
  keepData: z
    .boolean()
    .default(true)
    .describe('Nobody deletes the table by mistake, not even with the stack'),
  logDays: z.union([z.literal(7), z.literal(14), z.literal(30), z.literal(90), z.literal(365)]).default(30),
  alarmMail: z.email().optional().describe('Who is written to when an alarm goes off'),
  dollarsPerDay: z.number().positive().default(50).describe('Cost of a day from which an alarm goes off'),
  requestsPerSecond: z.int().min(1).default(100).describe('Of everybody together; bursts may be twice that'),
  conversionsAtATime: z
    .int()
    .min(2)
    .max(1000)
    .default(20)
    .describe(
      'Of each image, so that one kind of file leaves room for others and an attack costs a bounded sum',
    ),
  functionsAtATime: z
    .int()
    .min(10)
    .default(1000)
    .describe(
      'Quota of the account (Lambda, concurrent executions); what functions are kept for has to fit in',
    ),
  tags: z.record(z.string(), z.string()).default({}).describe('On everything that is made'),
})
export type StageSettings = Readonly<z.infer<typeof StageSettings>>

/** What may be missing where somebody only tries. */
export interface Stage extends Omit<StageSettings, 'domain' | 'images'> {
  readonly name: string
  readonly domain?: StageSettings['domain']
  readonly images: Partial<StageSettings['images']>
}

/** Whether a stage has a function: some are there for a setting alone. */
export const isDeployed = (name: string, { facades }: Pick<Stage, 'facades'>): boolean =>
  declarationOf(name)?.onlyWith === undefined || facades !== undefined

const TrialSettings = StageSettings.partial({ domain: true, images: true, region: true })

/** @throws Error that names the setting, what was expected and what came */
export function parseStage(name: string, settings: unknown): Stage {
  const isTrial = name === 'dev'
  const parsed = (isTrial ? TrialSettings : StageSettings).safeParse(settings ?? {})
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      ({ path, message }) => `${path.join('.') || 'the file'}: ${message}`,
    )
    throw new Error(
      `Stage "${name}" cannot be packaged. In stages/${name}.json, which lib/deployment/README.md describes:\n${problems.join('\n')}`,
    )
  }
  const { region = 'eu-central-1', domain, images = {}, ...rest } = parsed.data
  return { ...rest, name, region, images, ...(domain && { domain }) }
}

export function readStage(name: string, folder = process.cwd()): Stage {
  const path = `${folder}/stages/${name}.json`
  const settings = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
  const pushed = Object.entries(pushedImages()).filter(([id]) => imageIds.some((image) => image === id))
  return parseStage(name, { ...(pushed.length > 0 && { images: Object.fromEntries(pushed) }), ...settings })
}

/** `--stage prod`, `--stage=prod`, `-s prod`; as serverless.yml has it where it is left out. */
export function stageFromArgs(args: readonly string[]): string {
  const at = args.findIndex((arg) => arg === '--stage' || arg === '-s')
  const joined = args.find((arg) => arg.startsWith('--stage='))?.slice('--stage='.length)
  return joined ?? (at < 0 ? undefined : args[at + 1]) ?? 'dev'
}
