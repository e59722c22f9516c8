// The errors of the SQS API: shape name (JSON protocol), code (Query protocol and x-amzn-query-error) and status.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/CommonErrors.html

const createSqsError = (code: string, status = 400) => ({ namespace: 'com.amazonaws.sqs', code, status })
const createCommonError = (code: string, status = 400) => ({
  namespace: 'com.amazon.coral.service',
  code,
  status,
})

const sqsErrors = {
  BatchEntryIdsNotDistinct: createSqsError('AWS.SimpleQueueService.BatchEntryIdsNotDistinct'),
  BatchRequestTooLong: createSqsError('AWS.SimpleQueueService.BatchRequestTooLong'),
  EmptyBatchRequest: createSqsError('AWS.SimpleQueueService.EmptyBatchRequest'),
  InvalidAddress: createSqsError('InvalidAddress', 404),
  InvalidAttributeName: createSqsError('InvalidAttributeName'),
  InvalidAttributeValue: createSqsError('InvalidAttributeValue'),
  InvalidBatchEntryId: createSqsError('AWS.SimpleQueueService.InvalidBatchEntryId'),
  InvalidMessageContents: createSqsError('InvalidMessageContents'),
  KmsNotFound: createSqsError('KMS.NotFoundException'),
  MessageNotInflight: createSqsError('AWS.SimpleQueueService.MessageNotInflight'),
  OverLimit: createSqsError('OverLimit', 403),
  PurgeQueueInProgress: createSqsError('AWS.SimpleQueueService.PurgeQueueInProgress', 403),
  QueueDeletedRecently: createSqsError('AWS.SimpleQueueService.QueueDeletedRecently'),
  QueueDoesNotExist: createSqsError('AWS.SimpleQueueService.NonExistentQueue'),
  QueueNameExists: createSqsError('QueueAlreadyExists'),
  ReceiptHandleIsInvalid: createSqsError('ReceiptHandleIsInvalid', 404),
  ResourceNotFoundException: createSqsError('ResourceNotFoundException', 404),
  TooManyEntriesInBatchRequest: createSqsError('AWS.SimpleQueueService.TooManyEntriesInBatchRequest'),
  UnsupportedOperation: createSqsError('AWS.SimpleQueueService.UnsupportedOperation'),
  AccessDeniedException: createCommonError('AccessDenied', 403),
  IncompleteSignatureException: createCommonError('IncompleteSignature', 403),
  InvalidAction: createCommonError('InvalidAction'),
  InternalFailure: createCommonError('InternalFailure', 500),
  InvalidParameterValueException: createCommonError('InvalidParameterValue'),
  InvalidSignatureException: createCommonError('SignatureDoesNotMatch', 403),
  MissingAuthenticationTokenException: createCommonError('MissingAuthenticationToken', 403),
  MissingRequiredParameterException: createCommonError('MissingParameter'),
  RequestEntityTooLargeException: createCommonError('RequestEntityTooLarge', 413),
  RequestExpiredException: createCommonError('RequestExpired', 403),
  ServiceUnavailable: createCommonError('ServiceUnavailable', 503),
  SerializationException: createCommonError('MalformedInput'),
  UnknownOperationException: createCommonError('InvalidAction', 404),
  UnrecognizedClientException: createCommonError('InvalidClientTokenId', 403),
} as const

export type SqsErrorName = keyof typeof sqsErrors

/** An error response of the API, with AWS's message where it is known. */
export class SqsError extends Error {
  override readonly name: SqsErrorName

  constructor(name: SqsErrorName, message: string) {
    super(message)
    this.name = name
  }

  get code(): string {
    return sqsErrors[this.name].code
  }

  get status(): number {
    return sqsErrors[this.name].status
  }

  get type(): string {
    return `${sqsErrors[this.name].namespace}#${this.name}`
  }

  get fault(): 'Sender' | 'Receiver' {
    return this.status < 500 ? 'Sender' : 'Receiver'
  }
}

/** Creates the error for an invalid parameter, with AWS's message. */
export function createInvalidValueError(parameter: string, value: unknown, reason: string): SqsError {
  const text = `Value ${String(value)} for parameter ${parameter} is invalid. Reason: ${reason}`
  return new SqsError('InvalidParameterValueException', text)
}

export function createMissingParameterError(parameter: string): SqsError {
  return new SqsError(
    'MissingRequiredParameterException',
    `The request must contain the parameter ${parameter}.`,
  )
}
