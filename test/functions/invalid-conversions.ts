// Conversions that are refused before a job is created, with their messages.
import { readFileSync } from 'node:fs'
import sharp from 'sharp'

const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const
const image = sharp({ create: { width: 200, height: 200, channels: 3, background: '#888', noise } })
export const jpg = Buffer.from(await image.jpeg().toBuffer())

const readFixture = (name: string) =>
  Buffer.from(readFileSync(new URL(`../fixtures/${name}`, import.meta.url)))
const createText = (content: string) => Buffer.from(content)

export const invalidConversions: readonly {
  name: string
  file?: { name: string; bytes: Buffer<ArrayBuffer> }
  fields: Record<string, string>
  status: number
  code: string
  message: RegExp
}[] = [
  { name: 'no file', fields: { targetFormat: 'pdf' }, status: 400, code: 'NO_FILES', message: /`file`/ },
  {
    name: 'a URL in the field url instead of fileUrl',
    fields: { targetFormat: 'pdf', url: 'https://example.com/a.docx' },
    status: 400,
    code: 'NO_FILES',
    message: /`url` is not a known field. Send the URL as `fileUrl`/,
  },
  {
    name: 'an empty file',
    file: { name: 'a.png', bytes: Buffer.alloc(0) },
    fields: { targetFormat: 'jpg' },
    status: 400,
    code: 'INVALID_INPUT',
    message: /empty/,
  },
  {
    name: 'no target format',
    file: { name: 'a.jpg', bytes: jpg },
    fields: {},
    status: 400,
    code: 'INVALID_REQUEST',
    message: /targetFormat is missing/,
  },
  ...(['pdf', 'md'] as const).map((targetFormat) => ({
    name: `an encrypted DOCX and the target format ${targetFormat}`,
    file: { name: 'a.docx', bytes: readFixture('office/locked.docx') },
    fields: { targetFormat },
    status: 422,
    code: 'FILE_ENCRYPTED',
    message: /Send its password in the field `password`/,
  })),
  ...(['secret', 'wrong'] as const).map((password) => ({
    name: `an encrypted PDF, the target format docx and the password ${password}`,
    file: { name: 'a.pdf', bytes: readFixture('needs-password.pdf') },
    fields: { targetFormat: 'docx', password },
    status: 422,
    code: 'PDF_ENCRYPTED',
    message: /toolOperation=decrypt-pdf/,
  })),
  {
    name: 'an unknown target format',
    file: { name: 'a.jpg', bytes: jpg },
    fields: { targetFormat: 'xyzzy' },
    status: 422,
    code: 'UNSUPPORTED_FORMAT',
    message: /"xyzzy"/,
  },
  {
    name: 'different values of targetFormat and target',
    file: { name: 'a.jpg', bytes: jpg },
    fields: { targetFormat: 'png', target: 'webp' },
    status: 400,
    code: 'INVALID_INPUT',
    message: /differ/,
  },
  {
    name: 'an unsupported pair of formats',
    file: { name: 'a.jpg', bytes: jpg },
    fields: { targetFormat: 'mp3' },
    status: 422,
    code: 'UNSUPPORTED_CONVERSION',
    message: /jpg.*mp3/,
  },
  {
    name: 'an engine that does not support the format pair',
    file: { name: 'a.jpg', bytes: jpg },
    fields: { targetFormat: 'png', engine: 'libreoffice' },
    status: 422,
    code: 'UNSUPPORTED_CONVERSION',
    message: /libreoffice.*vips/,
  },
  {
    name: 'an unknown engine',
    file: { name: 'a.jpg', bytes: jpg },
    fields: { targetFormat: 'png', engine: 'magic' },
    status: 400,
    code: 'INVALID_INPUT',
    message: /engine: expected one of .*"magic"/,
  },
  {
    name: 'a corrupt image',
    file: { name: 'a.jpg', bytes: jpg.subarray(0, 3000) },
    fields: { targetFormat: 'png' },
    status: 400,
    code: 'CORRUPT_FILE',
    message: /^The file looks like a JPEG, but its end is missing/,
  },
  {
    name: 'a corrupt DOCX',
    file: { name: 'a.docx', bytes: Buffer.concat([createText('PK\u0003\u0004'), Buffer.alloc(900, 7)]) },
    fields: { targetFormat: 'pdf' },
    status: 400,
    code: 'CORRUPT_FILE',
    message: /^The file looks like a ZIP-based file, but its directory is missing or damaged/,
  },
  {
    name: 'a text file renamed to .pdf',
    file: { name: 'a.pdf', bytes: createText('just some words, not a document\n'.repeat(20)) },
    fields: { targetFormat: 'jpg' },
    status: 400,
    code: 'CORRUPT_FILE',
    message: /says Portable Document Format \(pdf\), but the content looks like plain text/,
  },
  {
    name: 'an invalid start time',
    file: { name: 'a.mp3', bytes: readFixture('tone.mp3') },
    fields: { targetFormat: 'wav', start: 'abc' },
    status: 400,
    code: 'INVALID_INPUT',
    message: /^start: expected a time up to 24 hours, as HH:MM:SS\.ms, MM:SS or seconds, got "abc"\.$/,
  },
  {
    name: 'a target size of a video below 10,000 bytes',
    file: { name: 'video.mp4', bytes: readFixture('video.mp4') },
    fields: { toolOperation: 'compress', targetSize: '9k' },
    status: 400,
    code: 'INVALID_INPUT',
    message: /^targetSize: expected 10000 to 20000000000 bytes, such as 500k or 2M, got "9k"\.$/,
  },
  {
    name: 'a word as the width',
    file: { name: 'a.jpg', bytes: jpg },
    fields: { targetFormat: 'png', width: 'wide' },
    status: 400,
    code: 'INVALID_INPUT',
    message: /^width: expected a whole number from 1 to 30000, got "wide"\.$/,
  },
  {
    name: 'a PDF that needs a password',
    file: { name: 'a.pdf', bytes: readFixture('needs-password.pdf') },
    fields: { targetFormat: 'jpg' },
    status: 422,
    code: 'PDF_ENCRYPTED',
    message: /Send its password in the field `password`/,
  },
  {
    name: 'an encrypted PDF and a target format without a password option',
    file: { name: 'a.pdf', bytes: readFixture('needs-password.pdf') },
    fields: { targetFormat: 'docx' },
    status: 422,
    code: 'PDF_ENCRYPTED',
    message: /does not support passwords\. .*toolOperation=decrypt-pdf/,
  },
  {
    name: 'a file of an unknown format',
    file: {
      name: 'a.bin',
      bytes: Buffer.from(Array.from({ length: 4000 }, (_, at) => (at * 7919) % 251)),
    },
    fields: { targetFormat: 'pdf' },
    status: 422,
    code: 'UNSUPPORTED_FORMAT',
    message: /named \.bin and looks like no known format/,
  },
  {
    name: 'a file over the size limit',
    file: { name: 'a.jpg', bytes: Buffer.concat([jpg, Buffer.alloc(1_100_000)]) },
    fields: { targetFormat: 'png' },
    status: 413,
    code: 'FILE_TOO_LARGE',
    message: /1 MiB/,
  },
  {
    name: 'an upload that does not exist',
    fields: { targetFormat: 'png', uploadId: 'upl_00000000000000000000000000' },
    status: 404,
    code: 'UPLOAD_NOT_FOUND',
    message: /upl_/,
  },
  {
    name: 'an unknown toolOperation',
    file: { name: 'a.jpg', bytes: jpg },
    fields: { toolOperation: 'fold-pdf' },
    status: 400,
    code: 'INVALID_REQUEST',
    message: /^toolOperation: expected one of ocr-pdf, .*, got "fold-pdf"/,
  },
  {
    name: 'a PDF tool and an image',
    file: { name: 'a.jpg', bytes: jpg },
    fields: { targetFormat: 'pdf', toolOperation: 'rotate-pdf' },
    status: 422,
    code: 'UNSUPPORTED_CONVERSION',
    message: /^rotate-pdf supports .*; the file is jpg/,
  },
  {
    name: 'a PDF engine that is not configured',
    file: { name: 'a.jpg', bytes: jpg },
    fields: { targetFormat: 'pdf', pdfEngine: 'other' },
    status: 422,
    code: 'UNSUPPORTED_CONVERSION',
    message: /^pdfEngine: this service only supports auto/,
  },
  {
    name: 'an export to an unknown store',
    file: { name: 'a.jpg', bytes: jpg },
    fields: { targetFormat: 'png', exportMethod: 'ftp' },
    status: 400,
    code: 'INVALID_INPUT',
    message: /^exportMethod: expected s3.*, got "ftp"/,
  },
  {
    name: 'an export without a bucket',
    file: { name: 'a.jpg', bytes: jpg },
    fields: { targetFormat: 'png', exportMethod: 's3', exportConfig: '{"region":"eu-west-1"}' },
    status: 400,
    code: 'INVALID_REQUEST',
    message: /^exportConfig\.bucket: it is missing/,
  },
]
