interface ErrorEntry {
  /** HTTP status. */
  readonly status: number
  readonly description: string
  /** What a client can do. */
  readonly hint: string
}

/**
 * Every error code that a client can see. The first block is the interface's list, the second the additive codes that
 * the service needs beyond it. `/errors/<code>` shows a code as a page.
 */
export const errorCatalog = {
  INVALID_API_KEY: {
    status: 401,
    description: 'The API key is not valid, has expired or was revoked.',
    hint: 'Send a key or a token that is in use; details.reason says what this one is.',
  },
  AUTHENTICATION_REQUIRED: {
    status: 401,
    description: 'This endpoint serves only those who say who they are.',
    hint:
      'Sign in, or send an API key as X-Api-Key or as a bearer; where the service is your own, the X-Owner-Token of an earlier reply.',
  },
  INSUFFICIENT_PERMISSIONS: {
    status: 403,
    description: 'What was asked for belongs to another identity, or the key or account that asks may not have it.',
    hint:
      'details.required has the scopes that are needed. For what an anonymous identity made, send the X-Owner-Token, or the cookie, that came with the reply that created it.',
  },
  RATE_LIMITED: {
    status: 429,
    description: 'Too many requests came in a short time, or as many as the plan has for a day or a month.',
    hint: 'Wait as long as Retry-After says, then go on. GET /v1/plans has the limits of each plan.',
  },
  INVALID_INPUT: {
    status: 400,
    description: 'A field or a parameter has a value that it cannot have.',
    hint: 'The message names the field, what was expected and what came; details.errors has all of them.',
  },
  INVALID_REQUEST: {
    status: 400,
    description:
      'The request as a whole cannot be understood: a body that is no JSON, a broken form, fields that rule each other out.',
    hint: 'Mend what the message names and send it again.',
  },
  FILE_TOO_LARGE: {
    status: 413,
    description: 'The file has more bytes, pixels or pages than are taken.',
    hint: 'Send a smaller file; details name the limit.',
  },
  UNSUPPORTED_FORMAT: {
    status: 422,
    description: 'The format is not one that the service knows.',
    hint: 'GET /v1/formats lists the formats. A file with a wrong ending may need its right name.',
  },
  UNSUPPORTED_CONVERSION: {
    status: 422,
    description: 'Both formats are known, but nothing leads from one to the other in the way that was asked for.',
    hint: 'details.targets has what the file can become; GET /v1/formats/conversions has all pairs.',
  },
  FORMAT_NOT_FOUND: {
    status: 404,
    description: 'There is no format of that name.',
    hint: 'GET /v1/formats lists the formats, with their other names.',
  },
  JOB_NOT_FOUND: {
    status: 404,
    description: 'There is no job with that id: it was deleted, it has expired, or the id is wrong.',
    hint: 'GET /v1/jobs lists your jobs. details.expiredAt tells of one that has expired; convert again.',
  },
  TASK_NOT_FOUND: {
    status: 404,
    description: 'The job has no task, or no file, of that name.',
    hint: 'details.tasks, or details.files, has the names that there are.',
  },
  CONVERSION_FAILED: {
    status: 500,
    description: 'The engine could not make the result, and trying again did not help.',
    hint: 'Try another engine or target. The request id helps us to find out why.',
  },
  CORRUPT_FILE: {
    status: 400,
    description: 'The file is damaged, incomplete, or not what its name says.',
    hint: 'Open it in the program that made it, save it again and send that.',
  },
  TIMEOUT: {
    status: 408,
    description: 'It took longer than it may.',
    hint: 'Send a smaller file, fewer pages or a shorter part.',
  },
  INSUFFICIENT_DISK_SPACE: {
    status: 503,
    description: 'The service is short of disk space and takes no new files.',
    hint: 'Send it again after the seconds of Retry-After, or delete jobs that you no longer need.',
  },
  STORAGE_NOT_CONFIGURED: {
    status: 503,
    description: 'The storage of files is not there, or does not let the service in.',
    hint:
      'Nothing that you sent is wrong: whoever runs the service has to look at its bucket. Send it again later.',
  },
  NO_FILES: {
    status: 400,
    description: 'There is no file to work on.',
    hint: 'Send it in the form field file, or name an upload.',
  },
  FILE_GONE: {
    status: 410,
    description: 'The files were deleted when their retention ended.',
    hint: 'Send the file again.',
  },
  EXPIRED: {
    status: 401,
    description: 'The signed address has expired.',
    hint: 'Ask for a new one.',
  },
  PDF_ENCRYPTED: {
    status: 422,
    description: 'The PDF is locked, and no password, or a wrong one, came with it.',
    hint: 'Send the password in the field that the message names.',
  },
  DRIVE_NOT_CONFIGURED: {
    status: 503,
    description: 'This service imports nothing from that drive.',
    hint: 'Download the file yourself and upload it.',
  },

  NOT_FOUND: {
    status: 404,
    description: 'There is nothing at this path.',
    hint: 'GET /v1 lists what there is, /docs describes it.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    description: 'The path is right, but does not answer this method.',
    hint: 'The header Allow has those that it answers.',
  },
  NOT_ACCEPTABLE: {
    status: 406,
    description: 'The header Accept leaves out the only type that this endpoint answers in.',
    hint: 'Leave the header out, or name application/json in it.',
  },
  CONFLICT: {
    status: 409,
    description:
      'What was asked for does not go with the state that things are in: a job that is over, an upload that is used.',
    hint: 'The message says what the state is, and what goes with it.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    description: 'The body is encoded in a way that is not read here.',
    hint:
      'The header Accept-Encoding of the reply has the encodings that are. Send forms with files as they are.',
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    description: 'The request line and the headers are larger than 10 KB together.',
    hint: 'Send fewer cookies, or a shorter address; options belong into the body.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    description: 'The Idempotency-Key belongs to another request, with other fields or files.',
    hint: 'Send a new key with a new request.',
  },
  IDEMPOTENCY_IN_PROGRESS: {
    status: 409,
    description: 'The first request with this Idempotency-Key is still at work.',
    hint: 'Send it again after the seconds of Retry-After to get its reply.',
  },
  UPLOAD_NOT_FOUND: {
    status: 404,
    description: 'You have no upload of that id: it may have expired or belong to another identity.',
    hint: 'Upload the file again, and use it under the identity that asked for the address.',
  },
  UPLOAD_INCOMPLETE: {
    status: 409,
    description: 'The file of the upload has not arrived.',
    hint: 'PUT it to the address that the upload came with, then ask again.',
  },
  WEBHOOK_NOT_FOUND: {
    status: 404,
    description: 'There is no webhook with that id.',
    hint: 'List yours to see which there are.',
  },
  WORKFLOW_NOT_FOUND: {
    status: 404,
    description: 'There is no workflow with that id.',
    hint: 'List yours to see which there are.',
  },
  API_KEY_NOT_FOUND: {
    status: 404,
    description: 'There is no API key with that id.',
    hint: 'List yours to see which there are.',
  },
  URL_NOT_ALLOWED: {
    status: 400,
    description: 'The address is one that the service does not go to.',
    hint: 'Use a public https address.',
  },
  DRIVE_NOT_CONNECTED: {
    status: 409,
    description: 'The drive is not connected to your account.',
    hint: 'Connect it first.',
  },
  INVALID_SIGNATURE: {
    status: 401,
    description: 'The signature of the address does not fit it.',
    hint: 'Use the address exactly as it was given, or ask for a new one.',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    description: 'A part of the service does not answer now.',
    hint: 'Send it again after the seconds of Retry-After; under an Idempotency-Key nothing is made twice.',
  },
  FILE_ENCRYPTED: {
    status: 422,
    description: 'The file is locked: no password came with it, a wrong one, or none can open it.',
    hint: 'Send the password in the field that the message names, or save the file without protection.',
  },
  IMPORT_FAILED: {
    status: 502,
    description: 'The place that a file was to come from did not give it.',
    hint:
      'The message says what it answered. See that the address and the credentials hold, then try again.',
  },
  EXPORT_FAILED: {
    status: 502,
    description: 'The place that a result was to go to did not take it.',
    hint:
      'The message says what it answered. The result itself is there, and GET /v1/download leads to it.',
  },
  INTERNAL_ERROR: {
    status: 500,
    description: 'Something went wrong on our side.',
    hint: 'Try again. If it stays, the request id helps us to find the reason.',
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>

export type ErrorCode = keyof typeof errorCatalog
export const errorCodes = Object.keys(errorCatalog) as [ErrorCode, ...ErrorCode[]] // keys of a const table
