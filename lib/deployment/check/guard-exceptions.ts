import { declarationOf, functionNames } from '../../resources/functions.ts'
import { isInVpc } from '../network.ts'
import { pascalCase } from '../references.ts'

/** Functions that are not in the closed network, as the framework calls their resources. */
const functionsOutsideVpc = functionNames
  .filter((name) => !isInVpc(declarationOf(name)))
  .map((name) => pascalCase(name.replaceAll('-', 'Dash-')))

/**
 * Rules of AWS Control Tower that the template breaks, each with the resources that may and why. What is not here fails
 * the check, and so does an exception that nothing needs any more.
 */
export const exceptions: Readonly<Record<string, { readonly of: RegExp; readonly why: string }>> = {
  api_gw_v2_access_logs_enabled_check: {
    of: /^WebsocketsDeploymentStage$/,
    why: 'It wants a role for the whole account, which other stages share; the function of sockets logs by itself.',
  },
  api_gw_v2_authorization_type_configured_check: {
    of: /^HttpApiRoute|WebsocketsRoute$/,
    why: 'Whether a request may do what it asks for is decided by its contract (lib/access/authorize.ts): most need no account.',
  },
  cloudfront_default_root_object_configured_check: {
    of: /^Distribution$/,
    why: 'The service answers `/` itself.',
  },
  cloudfront_origin_failover_enabled_check: {
    of: /^Distribution$/,
    why: 'A stage is in one region: there is no second origin.',
  },
  cloudfront_access_logs_enabled_check: {
    of: /^Distribution$/,
    why: 'Both gateways log each request; logs of CloudFront would want a bucket with access lists.',
  },
  cloudfront_custom_ssl_certificate_check: {
    of: /^Distribution$/,
    why: 'Stage dev has no domain; with `domain` the distribution has its certificate.',
  },
  cloudfront_sni_enabled_check: { of: /^Distribution$/, why: 'As above: it comes with the certificate.' },
  cloudfront_security_policy_check: { of: /^Distribution$/, why: 'As above: it comes with the certificate.' },
  cloudwatch_log_group_retention_period_check: {
    of: /LogGroup$/,
    why: 'It wants a year. Logs name owners and addresses, so they are kept for `logDays` and no longer.',
  },
  cloudwatch_log_group_encrypted_check: {
    of: /LogGroup$/,
    why: 'CloudWatch encrypts them by a key of its own; they hold no files and no secrets.',
  },
  kms_create_grant_aws_service_check: {
    of: /^SecretsKey$/,
    why: 'The statement is that of AWS for the administration of the account by roles.',
  },
  lambda_function_public_access_prohibited_check: {
    of: /LambdaPermission/,
    why: 'Each permission names a service and the one gateway or rule as its source, by an ARN that the rule cannot read.',
  },
  lambda_inside_vpc_check: {
    of: new RegExp(`^(${functionsOutsideVpc.join('|')})LambdaFunction$`),
    why: 'Their rows say what they reach, and `outside` in lib/resources/function-declaration.ts why that is not reached from within.',
  },
  s3_bucket_default_encryption_kms_check: {
    of: /^(Bucket|ServerlessDeploymentBucket)$/,
    why: '`customerKeyArn` gives files a key of KMS; by default S3 encrypts them by its own, which costs nothing.',
  },
  s3_bucket_versioning_enabled_check: {
    of: /^Bucket$/,
    why: 'Versions would keep files that their owners have deleted.',
  },
  s3_bucket_logging_enabled_check: {
    of: /Bucket$/,
    why: 'Who asked for a file stands in the log of the functions that sign its links.',
  },
  s3_version_lifecycle_policy_check: {
    of: /^(SecretsBucket|ServerlessDeploymentBucket)$/,
    why: 'Old secrets and packages are few and small, and are what one goes back to.',
  },
  s3_lifecycle_policy_check: {
    of: /^(SecretsBucket|ServerlessDeploymentBucket)$/,
    why: 'Nothing in them gets old by itself.',
  },
  s3_event_notifications_enabled_check: {
    of: /^(SecretsBucket|ServerlessDeploymentBucket)$/,
    why: 'Nobody waits for what is put there.',
  },
  s3_bucket_policy_ssl_requests_only_check: {
    of: /BucketPolicy$/,
    why: 'They do refuse plain HTTP; the rule cannot read a list of resources with Fn::Sub.',
  },
  s3_bucket_object_lock_enabled_check: {
    of: /Bucket$/,
    why: 'Whoever owns a file may delete it at any time.',
  },
  sqs_dlq_check: {
    of: /DeadLetterQueue$/,
    why: 'It is itself where failed messages go.',
  },
}
