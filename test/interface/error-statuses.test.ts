import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorCatalog } from '../../lib/error-catalog.ts'

/** The HTTP status of each error code in the interface document, which has none for PDF_ENCRYPTED. */
const statuses = {
  INVALID_API_KEY: 401,
  AUTHENTICATION_REQUIRED: 401,
  INSUFFICIENT_PERMISSIONS: 403,
  RATE_LIMITED: 429,
  INVALID_INPUT: 400,
  INVALID_REQUEST: 400,
  FILE_TOO_LARGE: 413,
  UNSUPPORTED_FORMAT: 422,
  UNSUPPORTED_CONVERSION: 422,
  FORMAT_NOT_FOUND: 404,
  JOB_NOT_FOUND: 404,
  TASK_NOT_FOUND: 404,
  CONVERSION_FAILED: 500,
  CORRUPT_FILE: 400,
  TIMEOUT: 408,
  INSUFFICIENT_DISK_SPACE: 503,
  STORAGE_NOT_CONFIGURED: 503,
  NO_FILES: 400,
  FILE_GONE: 410,
  EXPIRED: 401,
  DRIVE_NOT_CONFIGURED: 503,
} as const

test('each error code in the interface document has the HTTP status that the document gives', () => {
  for (const [code, status] of Object.entries(statuses))
    assert.equal(errorCatalog[code as keyof typeof statuses].status, status, code)
})
