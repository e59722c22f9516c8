// The errors of the SQS API: shape name (JSON protocol), code (Query protocol and x-amzn-query-error) and status.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/CommonErrors.html

const own = (code: string, status = 400) => ({ namespace: 'com.amazonaws.sqs', code, status })
const common = (code: string, status = 400) => ({ namespace: 'com.amazon.coral.service', code, status })

const sqsErrors = {
  BatchEntryIdsNotDistinct: own('AWS.SimpleQueueService.BatchEntryIdsNotDistinct'),
  BatchRequestTooLong: own('AWS.SimpleQueueService.BatchRequestTooLong'),
  EmptyBatchRequest: own('AWS.SimpleQueueService.EmptyBatchRequest'),
  InvalidAddress: own('InvalidAddress', 404),
  InvalidAttributeName: own('InvalidAttributeName'),
  InvalidAttributeValue: own('InvalidAttributeValue'),
  InvalidBatchEntryId: own('AWS.SimpleQueueService.InvalidBatchEntryId'),
  InvalidMessageContents: own('InvalidMessageContents'),
  KmsNotFound: own('KMS.NotFoundException'),
  MessageNotInflight: own('AWS.SimpleQueueService.MessageNotInflight'),
  OverLimit: own('OverLimit', 403),
  PurgeQueueInProgress: own('AWS.SimpleQueueService.PurgeQueueInProgress', 403),
  QueueDeletedRecently: own('AWS.SimpleQueueService.QueueDeletedRecently'),
  QueueDoesNotExist: own('AWS.SimpleQueueService.NonExistentQueue'),
  QueueNameExists: own('QueueAlreadyExists'),
  ReceiptHandleIsInvalid: own('ReceiptHandleIsInvalid', 404),
  ResourceNotFoundException: own('ResourceNotFoundException', 404),
  TooManyEntriesInBatchRequest: own('AWS.SimpleQueueService.TooManyEntriesInBatchRequest'),
  UnsupportedOperation: own('AWS.SimpleQueueService.UnsupportedOperation'),
  AccessDeniedException: common('AccessDenied', 403),
  IncompleteSignatureException: common('IncompleteSignature', 403),
  InvalidAction: common('InvalidAction'),
  InternalFailure: common('InternalFailure', 500),
  InvalidParameterValueException: common('InvalidParameterValue'),
  InvalidSignatureException: common('SignatureDoesNotMatch', 403),
  MissingAuthenticationTokenException: common('MissingAuthenticationToken', 403),
  MissingRequiredParameterException: common('MissingParameter'),
  RequestEntityTooLargeException: common('RequestEntityTooLarge', 413),
  RequestExpiredException: common('RequestExpired', 403),
  ServiceUnavailable: common('ServiceUnavailable', 503),
  SerializationException: common('MalformedInput'),
  UnknownOperationException: common('InvalidAction', 404),
  UnrecognizedClientException: common('InvalidClientTokenId', 403),
} as const

export type SqsErrorName = keyof typeof sqsErrors

/** An error response of the API. Uses AWS's message where it is known. */
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

/** The most common error, in AWS's format. */
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
