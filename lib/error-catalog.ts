interface ErrorEntry {
  /** HTTP status. */
  readonly status: number
  readonly description: string
  /** What a client can do to avoid or fix the error. */
  readonly hint: string
}

/**
 * Every error code that a client can see. The first block has the codes of the API specification, the second those that
 * this service adds. The page of a code is at `/errors/<code>`.
 */
export const errorCatalog = {
  INVALID_API_KEY: {
    status: 401,
    description: 'The API key is not valid, has expired or was revoked.',
    hint: 'Send a valid key or token. details.reason says why this one was rejected. Forget a rejected X-Owner-Token and send the request without it: the service issues a new one.',
  },
  AUTHENTICATION_REQUIRED: {
    status: 401,
    description: 'This endpoint requires authentication.',
    hint: 'Sign in, or send an API key as X-Api-Key or as a bearer token. On a self-hosted service, send the X-Owner-Token from an earlier reply.',
  },
  INSUFFICIENT_PERMISSIONS: {
    status: 403,
    description:
      'The resource belongs to another identity, or your key or account lacks the required permission.',
    hint: 'details.required lists the required scopes. For resources of an anonymous identity, send the X-Owner-Token header or the cookie that you received when you created them.',
  },
  RATE_LIMITED: {
    status: 429,
    description: 'Too many requests in a short time, or the daily or monthly quota of the plan is used up.',
    hint: 'Wait for the number of seconds in Retry-After, then send the request again. GET /v1/plans lists the limits of each plan.',
  },
  INVALID_INPUT: {
    status: 400,
    description: 'A field or parameter has an invalid value.',
    hint: 'Correct the field named in the message. details.errors lists all invalid fields.',
  },
  INVALID_REQUEST: {
    status: 400,
    description:
      'The request as a whole is invalid: for example a body that is not JSON, a missing required field, an unknown operation, or fields that exclude each other.',
    hint: 'Fix the problem named in the message and send the request again.',
  },
  FILE_TOO_LARGE: {
    status: 413,
    description: 'The file has more bytes, pixels or pages than allowed.',
    hint: 'Send a smaller file. The details contain the limit.',
  },
  UNSUPPORTED_FORMAT: {
    status: 422,
    description: 'The service does not know the format.',
    hint: 'GET /v1/formats lists the formats. If the file has the wrong extension, rename it.',
  },
  UNSUPPORTED_CONVERSION: {
    status: 422,
    description: 'Both formats are known, but the requested conversion between them is not supported.',
    hint: 'details.targets lists the possible target formats. GET /v1/formats/conversions lists all pairs.',
  },
  FORMAT_NOT_FOUND: {
    status: 404,
    description: 'There is no format with that name.',
    hint: 'GET /v1/formats lists the formats and their aliases.',
  },
  JOB_NOT_FOUND: {
    status: 404,
    description: 'There is no job with that id: it was deleted, it expired, or the id is wrong.',
    hint: 'GET /v1/jobs lists your jobs. If details.expiredAt is set, the job has expired: convert the file again.',
  },
  TASK_NOT_FOUND: {
    status: 404,
    description: 'The job has no task or file with that name.',
    hint: 'details.tasks or details.files lists the names.',
  },
  CONVERSION_FAILED: {
    status: 500,
    description: 'The engine could not create the result, even after retries.',
    hint: 'Try another engine or target format. If you report the problem, include the request id.',
  },
  CORRUPT_FILE: {
    status: 400,
    description: 'The file is damaged, incomplete, or does not have the format that its name suggests.',
    hint: 'Open the file in the program that created it, save it again and send the new file.',
  },
  TIMEOUT: {
    status: 408,
    description: 'The operation exceeded its time limit.',
    hint: 'Send a smaller file, fewer pages or a shorter section.',
  },
  INSUFFICIENT_DISK_SPACE: {
    status: 503,
    description: 'The service is low on disk space and accepts no new files.',
    hint: 'Send the request again after the number of seconds in Retry-After, or delete jobs that you no longer need.',
  },
  STORAGE_NOT_CONFIGURED: {
    status: 503,
    description: 'The file storage does not exist or denies access to the service.',
    hint: 'Your request is fine: the operator of the service has to check the storage bucket. Send the request again later.',
  },
  NO_FILES: {
    status: 400,
    description: 'The request contains no file.',
    hint: 'Send a file in the form field file, or the id of an upload.',
  },
  FILE_GONE: {
    status: 410,
    description: 'The files were deleted at the end of their retention period.',
    hint: 'Send the file again.',
  },
  EXPIRED: {
    status: 401,
    description: 'The signed URL has expired.',
    hint: 'Create a new URL with POST /v1/download/signed.',
  },
  PDF_ENCRYPTED: {
    status: 422,
    description: 'The PDF is encrypted, and the password is missing or wrong.',
    hint: 'Send the password in the field named in the message.',
  },
  DRIVE_NOT_CONFIGURED: {
    status: 503,
    description: 'This cloud drive is not set up on this service.',
    hint: 'Move the file between the drive and this service yourself.',
  },

  NOT_FOUND: {
    status: 404,
    description: 'There is no endpoint or page at this path.',
    hint: 'GET /v1 lists the main endpoints, and /docs describes all of them.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    description: 'The path exists, but does not support this method.',
    hint: 'Use one of the methods in the Allow header.',
  },
  NOT_ACCEPTABLE: {
    status: 406,
    description: 'The Accept header excludes application/json, the only content type of this endpoint.',
    hint: 'Omit the header, or add application/json.',
  },
  CONFLICT: {
    status: 409,
    description:
      'The request conflicts with the current state: for example, the job has finished or the upload is already used.',
    hint: 'The message names the current state and what is possible in it.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    description: 'The Content-Type or Content-Encoding of the body is not supported.',
    hint: 'The message names the supported content types. Use an encoding from the Accept-Encoding header of the reply, or none. Send forms with files unencoded.',
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    description: 'The request line and headers are larger than 10 KB.',
    hint: 'Send fewer cookies or a shorter URL. Send options in the body.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    description: 'The Idempotency-Key was already used for a different request.',
    hint: 'Use a new key for each request.',
  },
  IDEMPOTENCY_IN_PROGRESS: {
    status: 409,
    description: 'The first request with this Idempotency-Key is still running.',
    hint: 'Send the request again after the number of seconds in Retry-After to get its reply.',
  },
  UPLOAD_NOT_FOUND: {
    status: 404,
    description: 'You have no upload with that id: it may have expired or belong to another identity.',
    hint: 'Upload the file again, and use it with the identity that created the upload.',
  },
  UPLOAD_INCOMPLETE: {
    status: 409,
    description: 'The file of the upload has not arrived.',
    hint: 'PUT the file to the URL of the upload, then send the request again.',
  },
  WEBHOOK_NOT_FOUND: {
    status: 404,
    description: 'There is no webhook with that id.',
    hint: 'GET /v1/webhooks lists your webhooks.',
  },
  WORKFLOW_NOT_FOUND: {
    status: 404,
    description: 'There is no workflow with that id.',
    hint: 'GET /v1/workflows lists your workflows.',
  },
  API_KEY_NOT_FOUND: {
    status: 404,
    description: 'There is no API key with that id.',
    hint: 'GET /v1/api-keys lists your API keys.',
  },
  URL_NOT_ALLOWED: {
    status: 400,
    description: 'The service does not connect to this URL.',
    hint: 'Use a public https URL.',
  },
  DRIVE_NOT_CONNECTED: {
    status: 409,
    description: 'The drive is not connected to your account.',
    hint: 'Connect the drive with GET /v1/cloud/{drive}/auth.',
  },
  INVALID_SIGNATURE: {
    status: 401,
    description: 'The signature is not valid for the URL.',
    hint: 'Use the URL unchanged, or create a new one.',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    description: 'Part of the service is temporarily unavailable.',
    hint: 'Send the request again after the number of seconds in Retry-After. With an Idempotency-Key nothing is created twice.',
  },
  FILE_ENCRYPTED: {
    status: 422,
    description: 'The file is encrypted, and the password is missing, wrong, or of an unsupported kind.',
    hint: 'Send the password in the field named in the message, or save the file without protection.',
  },
  IMPORT_FAILED: {
    status: 502,
    description: 'A file could not be imported from its source.',
    hint: 'The message contains the reply of the source. Check the URL and the credentials, then try again.',
  },
  EXPORT_FAILED: {
    status: 502,
    description: 'A result could not be exported to its destination.',
    hint: 'The message contains the reply of the destination. You can still download the result with GET /v1/download/{jobId}.',
  },
  INTERNAL_ERROR: {
    status: 500,
    description: 'An internal error occurred.',
    hint: 'Send the request again. If it keeps failing, report the request id.',
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>

export type ErrorCode = keyof typeof errorCatalog
export const errorCodes = Object.keys(errorCatalog) as [ErrorCode, ...ErrorCode[]] // keys of a const table
