// The errors of the SQS API: shape name (JSON protocol), code (Query protocol and x-amzn-query-error) and status.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/CommonErrors.html

const sqsError = (code: string, status = 400) => ({ namespace: 'com.amazonaws.sqs', code, status })
const commonError = (code: string, status = 400) => ({ namespace: 'com.amazon.coral.service', code, status })

const sqsErrors = {
  BatchEntryIdsNotDistinct: sqsError('AWS.SimpleQueueService.BatchEntryIdsNotDistinct'),
  BatchRequestTooLong: sqsError('AWS.SimpleQueueService.BatchRequestTooLong'),
  EmptyBatchRequest: sqsError('AWS.SimpleQueueService.EmptyBatchRequest'),
  InvalidAddress: sqsError('InvalidAddress', 404),
  InvalidAttributeName: sqsError('InvalidAttributeName'),
  InvalidAttributeValue: sqsError('InvalidAttributeValue'),
  InvalidBatchEntryId: sqsError('AWS.SimpleQueueService.InvalidBatchEntryId'),
  InvalidMessageContents: sqsError('InvalidMessageContents'),
  KmsNotFound: sqsError('KMS.NotFoundException'),
  MessageNotInflight: sqsError('AWS.SimpleQueueService.MessageNotInflight'),
  OverLimit: sqsError('OverLimit', 403),
  PurgeQueueInProgress: sqsError('AWS.SimpleQueueService.PurgeQueueInProgress', 403),
  QueueDeletedRecently: sqsError('AWS.SimpleQueueService.QueueDeletedRecently'),
  QueueDoesNotExist: sqsError('AWS.SimpleQueueService.NonExistentQueue'),
  QueueNameExists: sqsError('QueueAlreadyExists'),
  ReceiptHandleIsInvalid: sqsError('ReceiptHandleIsInvalid', 404),
  ResourceNotFoundException: sqsError('ResourceNotFoundException', 404),
  TooManyEntriesInBatchRequest: sqsError('AWS.SimpleQueueService.TooManyEntriesInBatchRequest'),
  UnsupportedOperation: sqsError('AWS.SimpleQueueService.UnsupportedOperation'),
  AccessDeniedException: commonError('AccessDenied', 403),
  IncompleteSignatureException: commonError('IncompleteSignature', 403),
  InvalidAction: commonError('InvalidAction'),
  InternalFailure: commonError('InternalFailure', 500),
  InvalidParameterValueException: commonError('InvalidParameterValue'),
  InvalidSignatureException: commonError('SignatureDoesNotMatch', 403),
  MissingAuthenticationTokenException: commonError('MissingAuthenticationToken', 403),
  MissingRequiredParameterException: commonError('MissingParameter'),
  RequestEntityTooLargeException: commonError('RequestEntityTooLarge', 413),
  RequestExpiredException: commonError('RequestExpired', 403),
  ServiceUnavailable: commonError('ServiceUnavailable', 503),
  SerializationException: commonError('MalformedInput'),
  UnknownOperationException: commonError('InvalidAction', 404),
  UnrecognizedClientException: commonError('InvalidClientTokenId', 403),
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

/** Creates the most common error, with AWS's message. */
export function invalidValue(parameter: string, value: unknown, reason: string): SqsError {
  const text = `Value ${String(value)} for parameter ${parameter} is invalid. Reason: ${reason}`
  return new SqsError('InvalidParameterValueException', text)
}

export function missing(parameter: string): SqsError {
  return new SqsError(
    'MissingRequiredParameterException',
    `The request must contain the parameter ${parameter}.`,
  )
}
