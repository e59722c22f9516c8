import { imageIds } from '../../component-ids.ts'
import { profileNames } from '../stage-profiles.ts'

const account = '123456789012'
const createImageUri = (id: string) =>
  `${account}.dkr.ecr.eu-central-1.amazonaws.com/mutabor-${id}@sha256:${'0'.repeat(64)}`

/** A value for every setting except the limits that come from a profile. */
const allSettings = {
  region: 'eu-central-1',
  domain: {
    name: 'files.example.com',
    certificateArn: `arn:aws:acm:us-east-1:${account}:certificate/00000000-0000-0000-0000-000000000000`,
  },
  images: Object.fromEntries(imageIds.map((id) => [id, createImageUri(id)])),
  isolation: 'vpc',
  anonymousPlan: 'anonymous',
  mailFrom: 'Files <files@example.com>',
  outgoingAllow: '192.0.2.0/24',
  facades: 'v2',
  cdnPublicKeys: [
    `-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAwPryOHMRHeO+PlVutX89
MnhRudBwqY6GYjLkNZov9U6nzCQh0Pj3/Nkpy9f4Mi+EPEMO8ZC2DwV+YsgrI/pe
ra6/YYg4yUDOHo6/VJFRuhQb4fDhLAaGvfztbDIOxce6HjJvf/9KfCSZOj3ckUtD
KoziPPt2Vi25YdCgIWez3rzYf1cKFzzSFGiKAhuRnVlwe/gJSRxnubw/evpGzq5d
Z2KkyI1+cJYl3xztCC1JOBSHt1O6h2ybczv0L3uF0wwg1pIucdU5OGXW+vctcE/0
R66+mx7Q7KFlOsiYzXqGdM2Cg/PE2Du2NUP+lmM8MWKeQKcQePmaY9ssNpuhb+jf
aQIDAQAB
-----END PUBLIC KEY-----`,
  ],
  retentionHours: 48,
  customerKeyArn: `arn:aws:kms:eu-central-1:${account}:key/00000000-0000-0000-0000-000000000000`,
  keepData: true,
  logDays: 90,
  canary: 'Linear10PercentEvery1Minute',
  accessLogs: true,
  tracing: true,
  firewallArn: `arn:aws:wafv2:us-east-1:${account}:global/webacl/files/00000000-0000-0000-0000-000000000000`,
  alarmMail: 'on-call@example.com',
  dollarsPerDay: 100,
  architecture: 'arm64',
  zones: ['eu-central-1a', 'eu-central-1b'],
  tags: { team: 'files' },
}

/** Settings of stages that `npm run deploy:check -- --all` checks: each profile, and one with every setting. */
export const exampleStages: Readonly<Record<string, object>> = {
  dev: {},
  ...Object.fromEntries(profileNames.map((profile) => [profile, allSettings])),
  prod: {
    ...allSettings,
    profile: 'standard',
    requestsPerSecond: 200,
    conversionsAtATime: 25,
    functionsAtATime: 2000,
    functionMb: 10_240,
    reservesConcurrency: true,
    concurrency: { jobs: 120 },
  },
}
