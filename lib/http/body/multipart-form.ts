import { createHash } from 'node:crypto'
import { type Readable, Transform } from 'node:stream'
import busboy, { type FileInfo } from 'busboy'
import type { Files } from '../../aws/files.ts'
import { AppError } from '../../errors.ts'
import { newId } from '../../ids.ts'
import { sanitizeFileName } from '../../names/file-name.ts'
import type { ReceivedFile } from '../../uploads/received-file.ts'
import { createFileTooLargeError } from '../../uploads/size-errors.ts'
import { createUploadKey } from '../../uploads/uploads.ts'
import { createDuplicateFieldError } from '../../validation/repeated-field.ts'
import {
  checkFieldName,
  createFormTooLargeError,
  createTooManyFieldsError,
  formLimits,
} from './form-limits.ts'
import { HeadAndTail } from './head-and-tail.ts'
import { createMalformedFormError, RecentBytes } from './malformed-form.ts'
import { createConnectionClosedError } from './read-body.ts'
import { createNotUtf8Error } from './utf8-escapes.ts'

export interface MultipartForm {
  readonly fields: Readonly<Record<string, string>>
  readonly files: readonly ReceivedFile[]
  /** Deletes stored files that no handler has adopted. */
  discard(): Promise<void>
}

export interface FormOptions {
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Names of the fields that may contain a file. */
  readonly fileFields: readonly string[]
  readonly maxFileBytes: number
  readonly files: Files
  /** How long a job may keep the file. */
  readonly retentionHours: number
}

/**
 * Reads a multipart form; files are streamed to the bucket and are never entirely in memory.
 * @throws AppError INVALID_REQUEST for a malformed form, FILE_TOO_LARGE, INVALID_INPUT for a file in an unexpected
 * field.
 */
export async function readMultipartForm(body: Readable, options: FormOptions): Promise<MultipartForm> {
  const fields: Record<string, string> = {}
  const storedParts: StoredPart[] = []
  const stopController = new AbortController()
  const discard = async () => {
    const keys = storedParts.filter((part) => !part.isAdopted).map((part) => part.key)
    if (keys.length > 0) await options.files.delete(keys)
  }
  try {
    await parse(body, options, stopController, fields, storedParts)
    return { fields, files: storedParts.map((part) => toReceivedFile(part, options.files)), discard }
  } catch (error) {
    stopController.abort(error)
    await Promise.allSettled(storedParts.map((part) => part.completion))
    await discard()
    throw error
  }
}

interface StoredPart {
  readonly field: string
  readonly filename: string
  readonly key: string
  readonly sizeLimiter: SizeLimiter
  readonly completion: Promise<void>
  isAdopted: boolean
}

const toReceivedFile = (part: StoredPart, files: Files): ReceivedFile => ({
  field: part.field,
  filename: part.filename,
  key: part.key,
  size: part.sizeLimiter.bytes,
  sha256: part.sizeLimiter.sha256(),
  read: async (start, end) =>
    part.sizeLimiter.headAndTail.read(start, end) ?? files.read(part.key, start, end),
  adopt: () => {
    part.isAdopted = true
  },
})

function parse(
  body: Readable,
  options: FormOptions,
  stopController: AbortController,
  fields: Record<string, string>,
  storedParts: StoredPart[],
): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      body.unpipe(parser)
      body.resume()
      reject(error)
    }
    const parser = openParser(options)
    let length = 0
    const addField = (name: string, value: string, isTruncated: boolean) => {
      length += value.length
      if (length > formLimits.bytes) throw createFormTooLargeError()
      if (isTruncated)
        throw new AppError('INVALID_INPUT', `${name}: expected at most 1 MiB of text. Shorten the field.`, {
          field: name,
        })
      // Browsers send an empty field if no file was chosen.
      if (options.fileFields.includes(name) && value !== '') throw createFileNameMissingError(name)
      if (Object.hasOwn(fields, name)) throw createDuplicateFieldError(name)
      // The parser replaces invalid UTF-8 with U+FFFD. If a client sends U+FFFD itself, it lost characters earlier.
      if (value.includes('\ufffd')) throw createNotUtf8Error(name)
      fields[name] = value
    }
    const addFile = (field: string, stream: Readable, info: FileInfo) => {
      if (!options.fileFields.includes(field)) throw createFileNotExpectedError(field, options.fileFields)
      const storedPart = storeFile(field, stream, info, options, stopController.signal)
      storedParts.push(storedPart)
      storedPart.completion.catch(fail)
    }
    const failOnError = (action: () => void) => {
      try {
        action()
      } catch (error) {
        fail(error)
      }
    }
    parser.on('field', (name, value, { valueTruncated }) =>
      failOnError(() => addField(checkFieldName(name), value, valueTruncated)),
    )
    parser.on('file', (field, stream, info) =>
      failOnError(() => addFile(checkFieldName(field), stream, info)),
    )
    for (const limitEvent of ['partsLimit', 'fieldsLimit'] as const)
      parser.on(limitEvent, () => fail(createTooManyFieldsError()))
    const recentBytes = new RecentBytes()
    parser.on('error', (cause) => fail(createMalformedFormError(recentBytes.bytes(), options.headers, cause)))
    parser.on('close', () =>
      Promise.all(storedParts.map((part) => part.completion)).then(() => resolve(), fail),
    )
    body.on('error', (error) => fail(createConnectionClosedError(error)))
    body.on('data', (chunk: Buffer) => recentBytes.add(chunk))
    body.pipe(parser)
  })
}

function openParser({ headers, maxFileBytes }: FormOptions) {
  try {
    return busboy({
      headers: { 'content-type': headers['content-type'] ?? '' },
      defParamCharset: 'utf8',
      limits: {
        fields: formLimits.fields,
        headerPairs: formLimits.headerPairs,
        // One byte is added because the parser reports a limit as soon as it is reached.
        fieldSize: formLimits.fieldBytes + 1,
        parts: formLimits.parts + 1,
        fileSize: maxFileBytes + 1,
      },
    })
  } catch (error) {
    throw new AppError(
      'INVALID_REQUEST',
      'Content-Type: expected multipart/form-data with a boundary, got none. Let your HTTP client set the header.',
      undefined,
      { cause: error },
    )
  }
}

/** Creates the error for a file that was sent without a file name, so that the form parser took it for a text field. */
const createFileNameMissingError = (field: string) =>
  new AppError(
    'NO_FILES',
    `${field}: expected a file, got a field without a file name. Add one to its part: Content-Disposition: form-data; name="${field}"; filename="photo.png".`,
    { field },
  )

function createFileNotExpectedError(field: string, expected: readonly string[]): AppError {
  const names = expected.map((name) => `\`${name}\``).join(' or ')
  return new AppError('INVALID_INPUT', `${field}: unexpected file. Send it in the field ${names}.`, {
    field,
    expected,
  })
}

function storeFile(
  field: string,
  stream: Readable,
  info: FileInfo,
  options: FormOptions,
  signal: AbortSignal,
): StoredPart {
  const key = createUploadKey('received', newId('upl'), options.retentionHours)
  const sizeLimiter = new SizeLimiter(options.maxFileBytes)
  // An error on either side must stop the other, or the upload would wait forever for the remaining bytes.
  stream.on('error', (error) => sizeLimiter.destroy(error))
  stream.pipe(sizeLimiter)
  const storedFile = options.files
    .putStream(key, sizeLimiter, 'application/octet-stream', signal)
    .catch((error) => {
      stream.resume()
      throw sizeLimiter.errored ?? error
    })
  return {
    field,
    filename: sanitizeFileName(info.filename),
    key,
    sizeLimiter,
    completion: storedFile,
    isAdopted: false,
  }
}

/** Counts and hashes the bytes that pass through; fails with FILE_TOO_LARGE at the limit. */
class SizeLimiter extends Transform {
  bytes = 0
  readonly headAndTail = new HeadAndTail()
  readonly #hash = createHash('sha256')
  readonly #limit: number

  constructor(maxBytes: number) {
    super()
    this.#limit = maxBytes
  }

  override _transform(
    chunk: Buffer,
    _encoding: BufferEncoding,
    callback: (error?: Error | null, data?: Buffer) => void,
  ): void {
    this.bytes += chunk.length
    if (this.bytes > this.#limit) {
      callback(createFileTooLargeError(this.#limit))
      return
    }
    this.#hash.update(chunk)
    this.headAndTail.add(chunk)
    callback(null, chunk)
  }

  sha256(): string {
    return this.#hash.digest('hex')
  }
}
