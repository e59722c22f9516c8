// Why a target did not accept a message, with the attributes of a dead letter.

export interface DeliveryFailure {
  /** EventBridge's error code for this class of failure. */
  readonly code: string
  /** Name of the error that the target itself returned. */
  readonly name: string
  readonly message: string
  /** True if another attempt cannot succeed. */
  readonly isPermanent: boolean
}

/** EventBridge does not retry when permission is missing or the target does not exist. */
const failureClasses: readonly (readonly [RegExp, code: string, isPermanent: boolean])[] = [
  [/NonExistentQueue|QueueDoesNotExist|NotFound/, 'NO_RESOURCE', true],
  [/AccessDenied|NotAuthorized/, 'NO_PERMISSIONS', true],
  [/Throttl|TooManyRequests/, 'THROTTLING', false],
  [/Timeout|ETIMEDOUT/, 'TIMEOUT', false],
  [/^E(CONN|PIPE|HOST|NET)/, 'CONNECTION_FAILURE', false],
  [/^(Invalid|MissingRequired|Unsupported|RequestEntityTooLarge)/, 'SDK_CLIENT_ERROR', true],
]

export function readDeliveryFailure(error: unknown): DeliveryFailure {
  const { code, name, message } = {
    code: undefined,
    name: undefined,
    message: String(error),
    ...listErrorNames(error),
  }
  const names = [code, name].filter((value) => typeof value === 'string')
  const knownClass = failureClasses.find(([pattern]) => names.some((one) => pattern.test(one)))
  return {
    code: knownClass?.[1] ?? 'SDK_CLIENT_ERROR',
    name: names[0] ?? 'Error',
    message,
    isPermanent: knownClass?.[2] ?? false,
  }
}

function listErrorNames(error: unknown) {
  if (!(error instanceof Error)) return {}
  return { code: 'code' in error ? error.code : undefined, name: error.name, message: error.message }
}
