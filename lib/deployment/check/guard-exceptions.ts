import { findDeclaration, functionNames } from '../../resources/functions.ts'
import { isInVpc } from '../network.ts'
import { toPascalCase } from '../references.ts'
import type { Stage } from '../stage.ts'

/** Functions that run outside the closed network; the names are those of their resources in the template. */
const functionsOutsideVpc = functionNames
  .filter((name) => !isInVpc(findDeclaration(name)))
  .map((name) => toPascalCase(name.replaceAll('-', 'Dash-')))

interface GuardException {
  readonly resourcePattern: RegExp
  readonly reason: string
  /** A stage with this setting does not need the exception. */
  readonly unless?: 'domain' | 'accessLogs'
}

/**
 * Rules of AWS Control Tower that the template may break, with resources and reasons. The check fails for a violation
 * that is not listed here, and for an exception that is no longer needed.
 */
export const guardExceptions: Readonly<Record<string, GuardException>> = {
  api_gw_v2_access_logs_enabled_check: {
    resourcePattern: /^WebsocketsDeploymentStage$/,
    reason:
      'Access logs of WebSocket APIs need a role for the whole account, which other stages use as well; the function behind the API writes its own log.',
  },
  api_gw_v2_authorization_type_configured_check: {
    resourcePattern: /^HttpApiRoute|WebsocketsRoute$/,
    reason:
      "Each endpoint's contract decides on authorization (lib/access/authorize.ts); most endpoints need no account.",
  },
  cloudfront_default_root_object_configured_check: {
    resourcePattern: /^Distribution$/,
    reason: 'The service itself answers requests for `/`.',
  },
  cloudfront_origin_failover_enabled_check: {
    resourcePattern: /^Distribution$/,
    reason: 'A stage is in one region, so there is no second origin.',
  },
  cloudfront_access_logs_enabled_check: {
    resourcePattern: /^Distribution$/,
    reason: 'Both gateways log each request; with `accessLogs` CloudFront does as well.',
    unless: 'accessLogs',
  },
  cloudfront_custom_ssl_certificate_check: {
    resourcePattern: /^Distribution$/,
    reason: 'Stage dev has no domain; with `domain` the distribution has its certificate.',
    unless: 'domain',
  },
  cloudfront_sni_enabled_check: {
    resourcePattern: /^Distribution$/,
    reason: 'Only a distribution with a certificate supports SNI; stage dev has no domain.',
    unless: 'domain',
  },
  cloudfront_security_policy_check: {
    resourcePattern: /^Distribution$/,
    reason: 'Only a distribution with a certificate can set a TLS policy; stage dev has no domain.',
    unless: 'domain',
  },
  cloudwatch_log_group_retention_period_check: {
    resourcePattern: /LogGroup$/,
    reason:
      'The rule requires a year. Logs contain owner ids and IP addresses, so they are deleted after `logDays`.',
  },
  cloudwatch_log_group_encrypted_check: {
    resourcePattern: /LogGroup$/,
    reason: 'CloudWatch encrypts logs with its own key; they contain no files and no secrets.',
  },
  kms_create_grant_aws_service_check: {
    resourcePattern: /^SecretsKey$/,
    reason: "The key has AWS's default key policy, which lets IAM policies of the account grant access.",
  },
  lambda_function_public_access_prohibited_check: {
    resourcePattern: /LambdaPermission/,
    reason:
      'Each permission names a service and, as its source, the ARN of one gateway or rule, which cfn-guard cannot resolve.',
  },
  lambda_inside_vpc_check: {
    resourcePattern: new RegExp(`^(${functionsOutsideVpc.join('|')})LambdaFunction$`),
    reason:
      'The rows of these functions list what they reach, and `outboundReasons` in lib/resources/function-declaration.ts says why.',
  },
  s3_bucket_default_encryption_kms_check: {
    resourcePattern: /^(Bucket|ServerlessDeploymentBucket|LogsBucket)$/,
    reason:
      '`customerKeyArn` encrypts files with a KMS key; by default S3 encrypts them with its own key, which costs nothing.',
  },
  s3_bucket_versioning_enabled_check: {
    resourcePattern: /^(Logs)?Bucket$/,
    reason: 'Versioning would retain files that their owners have deleted, and logs after `logDays`.',
  },
  s3_bucket_logging_enabled_check: {
    resourcePattern: /Bucket$/,
    reason:
      'The functions that sign download links log who requested a file; `accessLogs` logs each request.',
  },
  s3_version_lifecycle_policy_check: {
    resourcePattern: /^(SecretsBucket|ServerlessDeploymentBucket)$/,
    reason: 'Old secrets and packages are few and small, and needed for rollbacks.',
  },
  s3_lifecycle_policy_check: {
    resourcePattern: /^(SecretsBucket|ServerlessDeploymentBucket)$/,
    reason: 'Objects in these buckets do not expire.',
  },
  s3_event_notifications_enabled_check: {
    resourcePattern: /^(SecretsBucket|ServerlessDeploymentBucket|LogsBucket)$/,
    reason: 'Nothing reacts to new objects in these buckets.',
  },
  s3_bucket_policy_ssl_requests_only_check: {
    resourcePattern: /BucketPolicy$/,
    reason: 'The policies deny plain HTTP, but cfn-guard cannot read a list of resources with Fn::Sub.',
  },
  s3_bucket_object_lock_enabled_check: {
    resourcePattern: /Bucket$/,
    reason: 'Owners may delete their files at any time.',
  },
  sqs_dlq_check: {
    resourcePattern: /DeadLetterQueue$/,
    reason: 'A dead-letter queue needs no dead-letter queue itself.',
  },
}

/** Returns the exceptions that a stage needs. */
export const selectGuardExceptions = (
  stage: Pick<Stage, 'domain' | 'accessLogs'>,
): typeof guardExceptions => {
  const neededExceptions = Object.entries(guardExceptions).filter(
    ([, { unless }]) => !unless || !stage[unless],
  )
  const loggingExceptions = {
    s3_bucket_logging_enabled_check: {
      resourcePattern: /^(ServerlessDeployment|Logs)Bucket$/,
      reason:
        'The framework creates the deployment bucket, and the bucket of the logs would log its own logs.',
    },
  }
  return { ...Object.fromEntries(neededExceptions), ...(stage.accessLogs && loggingExceptions) }
}
