// Checks the policy of a browser form: its signature, and whether the form complies with it.
// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTConstructPolicy.html
import { type AwsCredentials, deriveSigningKey, isSameSignature, sign } from '../sigv4.ts'
import { readAmzDate, readCredential } from '../sigv4-claim.ts'
import { createInvalidArgumentError, S3Error } from './errors.ts'

export interface SizeLimits {
  readonly minSize: number
  readonly maxSize: number
}

type Condition = readonly [operator: string, name: string, value: string]
interface Policy {
  readonly expiration: Date
  readonly conditions: readonly Condition[]
  readonly size: SizeLimits | undefined
}

/** Throws unless the form is signed by one of the credentials and complies with its policy. */
export function checkPolicy(
  fields: ReadonlyMap<string, string>,
  bucket: string,
  credentials: readonly AwsCredentials[],
  region: string,
): SizeLimits | undefined {
  const encodedPolicy = fields.get('policy')
  if (encodedPolicy === undefined) throw new S3Error('AccessDenied')
  checkSignature(fields, encodedPolicy, credentials, region)
  const policy = readPolicy(encodedPolicy)
  if (policy.expiration.getTime() < Date.now()) throw createPolicyDeniedError('Policy expired.')
  const values = new Map([...fields, ['bucket', bucket]])
  for (const condition of policy.conditions)
    if (!conditionHolds(condition, values))
      throw createPolicyDeniedError(
        `Policy Condition failed: ${JSON.stringify(condition).replaceAll('","', '", "')}`,
      )
  const coveredFields = new Set(policy.conditions.map(([, name]) => name))
  const extraField = [...fields.keys()].filter(
    (name) => !exemptFieldPattern.test(name) && !coveredFields.has(name),
  )
  if (extraField.length > 0) throw createPolicyDeniedError(`Extra input fields: ${extraField.join(', ')}`)
  return policy.size
}

/** Fields that a policy need not mention. */
const exemptFieldPattern = /^(policy|file|x-amz-signature|x-ignore-.*)$/

function createPolicyDeniedError(problem: string): S3Error {
  return new S3Error('AccessDenied', `Invalid according to Policy: ${problem}`)
}

function checkSignature(
  fields: ReadonlyMap<string, string>,
  encodedPolicy: string,
  credentials: readonly AwsCredentials[],
  region: string,
): void {
  const requireField = (name: string) => {
    const value = fields.get(name)
    if (value === undefined)
      throw createInvalidArgumentError(
        `Bucket POST must contain a field named '${name}'.  If it is specified, please check the order of the fields.`,
        name,
        '',
      )
    return value
  }
  const algorithm = requireField('x-amz-algorithm')
  if (algorithm !== 'AWS4-HMAC-SHA256')
    throw createInvalidArgumentError(
      'X-Amz-Algorithm only supports "AWS4-HMAC-SHA256"',
      'x-amz-algorithm',
      algorithm,
    )
  const text = requireField('x-amz-credential')
  const credential = readCredential(text)
  if (credential?.service !== 's3' || credential.region !== region)
    throw createInvalidArgumentError(
      'Error parsing the X-Amz-Credential parameter; the Credential is mal-formed or of another region or service.',
      'x-amz-credential',
      text,
    )
  const date = requireField('x-amz-date')
  if (!readAmzDate(date) || date.slice(0, 8) !== credential.day)
    throw createInvalidArgumentError(
      'X-Amz-Date must be formatted via ISO8601 Long format and match the credential',
      'x-amz-date',
      date,
    )
  const signature = requireField('x-amz-signature')
  const key = credentials.find(({ accessKeyId }) => accessKeyId === credential.accessKeyId)
  if (!key) throw new S3Error('InvalidAccessKeyId', undefined, { AWSAccessKeyId: credential.accessKeyId })
  if ((key.sessionToken ?? '') !== (fields.get('x-amz-security-token') ?? ''))
    throw new S3Error('InvalidToken')
  const signingKey = deriveSigningKey(key.secretAccessKey, credential.day, region, 's3')
  if (!isSameSignature(sign(signingKey, encodedPolicy), signature))
    throw new S3Error('SignatureDoesNotMatch', undefined, {
      AWSAccessKeyId: key.accessKeyId,
      StringToSign: encodedPolicy,
      SignatureProvided: signature,
    })
}

function createInvalidPolicyError(problem: string): S3Error {
  return new S3Error('InvalidPolicyDocument', `Invalid Policy: ${problem}`)
}

function readPolicy(encodedPolicy: string): Policy {
  const document = parse(encodedPolicy)
  const expiration = new Date(String(document.expiration))
  if (typeof document.expiration !== 'string' || Number.isNaN(expiration.getTime()))
    throw createInvalidPolicyError("Invalid 'expiration' value")
  if (!Array.isArray(document.conditions))
    throw createInvalidPolicyError('Policy must contain a list of conditions')
  const conditions: Condition[] = []
  let size: SizeLimits | undefined
  const entries: readonly unknown[] = document.conditions
  for (const entry of entries) {
    const range = readSizeLimits(entry)
    if (range) size = range
    else conditions.push(...readConditions(entry))
  }
  return { expiration, conditions, size }
}

function parse(encodedPolicy: string): Record<string, unknown> {
  try {
    const document: unknown = JSON.parse(Buffer.from(encodedPolicy, 'base64').toString())
    if (typeof document === 'object' && document !== null) return { ...document }
  } catch {
    // Invalid JSON is reported below, like every other invalid policy.
  }
  throw createInvalidPolicyError('Invalid JSON.')
}

function readSizeLimits(entry: unknown): SizeLimits | undefined {
  if (!Array.isArray(entry) || entry[0] !== 'content-length-range') return undefined
  const [minSize, maxSize] = [Number(entry[1]), Number(entry[2])]
  if (entry.length !== 3 || !Number.isInteger(minSize) || !Number.isInteger(maxSize))
    throw createInvalidPolicyError('Invalid content-length-range')
  return { minSize, maxSize }
}

/** Reads conditions. The condition `{"acl": "private"}` is short for `["eq", "$acl", "private"]`. */
function readConditions(entry: unknown): Condition[] {
  if (Array.isArray(entry)) {
    const [operator, name, value]: readonly unknown[] = entry
    const isKnownOperator = operator === 'eq' || operator === 'starts-with'
    if (
      entry.length !== 3 ||
      !isKnownOperator ||
      typeof name !== 'string' ||
      typeof value !== 'string' ||
      !name.startsWith('$')
    )
      throw createInvalidPolicyError(`Invalid condition: ${JSON.stringify(entry)}`)
    return [[operator, name.slice(1).toLowerCase(), value]]
  }
  if (typeof entry !== 'object' || entry === null) throw createInvalidPolicyError('Invalid condition')
  return Object.entries(entry).map(([name, value]) => {
    if (typeof value !== 'string') throw createInvalidPolicyError(`Invalid condition: ${name}`)
    return ['eq', name.toLowerCase(), value]
  })
}

function conditionHolds([operator, name, expected]: Condition, values: ReadonlyMap<string, string>): boolean {
  const value = values.get(name) ?? ''
  return operator === 'eq' ? value === expected : value.startsWith(expected)
}
