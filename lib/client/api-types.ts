// Made by make-types.ts from the contracts of the service. Not edited by hand.

export interface Api {
operations: {
/**
 * Convert a file
 */
"POST /v1/convert": {
query?: {
/**
 * Answer 303 to the file itself when it is there: one request fewer than by `downloadUrl`
 */
redirect?: ("0" | "1" | "true" | "false")
}
body?: {
/**
 * Target format id, as `pdf`; see GET /v1/formats
 */
targetFormat?: string
/**
 * Older name of targetFormat
 */
output_format?: string
/**
 * Older name of targetFormat
 */
target?: string
/**
 * Where the result is stored as well: `s3`, `blobstore`, `gcs` or `sftp`
 */
exportMethod?: string
/**
 * Its path or key there; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
exportPath?: string
/**
 * The other fields of the task `export/…`, as an object (JSON in a form)
 */
exportConfig?: (string | {
[k: string]: unknown
})
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Name of the source, when it is not that of the file part
 */
filename?: string
/**
 * Anything that helps you to find the job again
 */
tag?: string
/**
 * Public address that is told of all events of the job, as webhooks are; GET /v1/webhooks/secret is the secret that signs
 */
webhookUrl?: string
/**
 * Options as an object (JSON in a form); they may also stand beside it. `pdfEngine` may be `auto`
 */
options?: (string | {
[k: string]: unknown
})
/**
 * An upload made with POST /v1/uploads/presign, instead of `file`
 */
uploadId?: string
/**
 * Address that the file is fetched from, instead of sending it
 */
fileUrl?: string
/**
 * A job of yours whose source is to be converted once more, instead of `file`
 */
sourceJobId?: string
/**
 * With `sourceJobId`: the task of that job whose file is meant, where it is not its first source
 */
sourceTask?: string
/**
 * A tool instead of a conversion: ocr-pdf, split-pdf, encrypt-pdf, decrypt-pdf, rotate-pdf, compress-pdf, to-pdfa, extract-pdf-pages, remove-pdf-pages, extract-pdf-images, add-watermark-pdf, merge-pdf, flatten-pdf, repair-pdf, reorder-pdf-pages, add-page-numbers-pdf, edit-pdf-metadata, linearize-pdf, crop-pdf, redact-pdf, sanitize-pdf, grayscale-pdf, remove-blank-pages-pdf, pdf-info, compress. The target is then pdf for a PDF
 */
toolOperation?: string
/**
 * One PDF with a page for each picture: `file` first, then each `additionalFile`
 */
combineImages?: (boolean | ("0" | "1" | "true" | "false"))
/**
 * Uploads instead of `additionalFile`, in order
 */
additionalUploadIds?: (string[] | string)
[k: string]: unknown
}
data: {
jobId: string
id: string
status: ("pending" | "queued" | "processing" | "completed" | "failed" | "cancelled" | "expired")
tag: (string | null)
/**
 * The first file; null while it is awaited
 */
source: ({
filename: string
format: string
size: number
} | null)
target: ({
format: string
} | null)
progress: {
/**
 * Never falls
 */
percent: number
stage: string
taskName: (string | null)
/**
 * Estimated from the progress so far
 */
etaMs: (number | null)
}
createdAt: string
startedAt: (string | null)
endedAt: (string | null)
expiresAt: string
result: ({
downloadUrl: string
filename: string
format: string
/**
 * Bytes
 */
size: number
mimeType: string
sha256: string
/**
 * Engine that made the result
 */
engine?: string
engineVersion?: string
/**
 * `stream-copy` when the streams were taken over as they are, `encode` otherwise
 */
method?: string
details?: {
[k: string]: unknown
}
/**
 * What the result kept of the source, counted by others than the engine; left out where nobody can tell
 */
fidelity?: {
/**
 * Words; in scripts without spaces, letters
 */
words?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Pages
 */
pages?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Slides
 */
slides?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Sheets of a workbook
 */
sheets?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Cells that hold something
 */
cells?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Subtitles
 */
cues?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Pictures of a film or an animation
 */
frames?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * How long it plays
 */
seconds?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Samples of each channel of sound
 */
samples?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Channels of sound
 */
channels?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Letters and signs of a font
 */
glyphs?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Files of an archive
 */
entries?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * What the target cannot hold, as `animation`
 */
dropped: string[]
/**
 * Formats on the way of which nobody here can count what this file holds: a loss would not show
 */
uncounted?: string[]
}
files: {
filename: string
format: string
/**
 * Bytes
 */
size: number
mimeType: string
sha256: string
downloadUrl: string
}[]
} | null)
warnings: {
code: string
message: string
field?: string
}[]
error: ({
code: ("INVALID_API_KEY" | "AUTHENTICATION_REQUIRED" | "INSUFFICIENT_PERMISSIONS" | "RATE_LIMITED" | "INVALID_INPUT" | "INVALID_REQUEST" | "FILE_TOO_LARGE" | "UNSUPPORTED_FORMAT" | "UNSUPPORTED_CONVERSION" | "FORMAT_NOT_FOUND" | "JOB_NOT_FOUND" | "TASK_NOT_FOUND" | "CONVERSION_FAILED" | "CORRUPT_FILE" | "TIMEOUT" | "INSUFFICIENT_DISK_SPACE" | "STORAGE_NOT_CONFIGURED" | "NO_FILES" | "FILE_GONE" | "EXPIRED" | "PDF_ENCRYPTED" | "DRIVE_NOT_CONFIGURED" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "NOT_ACCEPTABLE" | "CONFLICT" | "UNSUPPORTED_MEDIA_TYPE" | "HEADERS_TOO_LARGE" | "IDEMPOTENCY_KEY_REUSED" | "IDEMPOTENCY_IN_PROGRESS" | "UPLOAD_NOT_FOUND" | "UPLOAD_INCOMPLETE" | "WEBHOOK_NOT_FOUND" | "WORKFLOW_NOT_FOUND" | "API_KEY_NOT_FOUND" | "URL_NOT_ALLOWED" | "DRIVE_NOT_CONNECTED" | "INVALID_SIGNATURE" | "SERVICE_UNAVAILABLE" | "FILE_ENCRYPTED" | "IMPORT_FAILED" | "EXPORT_FAILED" | "INTERNAL_ERROR")
message: string
details?: {
[k: string]: unknown
}
} | null)
/**
 * Of a batch that is over
 */
summary: ({
total: number
completed: number
failed: number
} | null)
/**
 * The job that this one does again
 */
retryOf: (string | null)
links: {
status: string
job: string
download: string
}
/**
 * A guess, made once when the job was: `progress.etaMs` of its status knows more. Null when it is over
 */
estimate: ({
/**
 * Until it begins: by the tasks that wait before it
 */
queueMs: number
/**
 * From then to its end
 */
runMs: number
/**
 * `recorded`: by what conversions of this kind took here; `planned`: none has run, a rough guess
 */
basis: ("recorded" | "planned")
} | null)
}
}
/**
 * Check a conversion before its file is sent
 */
"POST /v1/convert/check": {
body: {
/**
 * Format of the file, as `docx`, or an extension of it
 */
from: string
/**
 * Target format id, as `pdf`; see GET /v1/formats
 */
targetFormat?: string
/**
 * Older name of targetFormat
 */
output_format?: string
/**
 * Older name of targetFormat
 */
target?: string
/**
 * Where the result is stored as well: `s3`, `blobstore`, `gcs` or `sftp`
 */
exportMethod?: string
/**
 * Its path or key there; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
exportPath?: string
/**
 * The other fields of the task `export/…`, as an object (JSON in a form)
 */
exportConfig?: (string | {
[k: string]: unknown
})
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Options as an object (JSON in a form); they may also stand beside it. `pdfEngine` may be `auto`
 */
options?: (string | {
[k: string]: unknown
})
/**
 * A tool instead of a conversion: ocr-pdf, split-pdf, encrypt-pdf, decrypt-pdf, rotate-pdf, compress-pdf, to-pdfa, extract-pdf-pages, remove-pdf-pages, extract-pdf-images, add-watermark-pdf, merge-pdf, flatten-pdf, repair-pdf, reorder-pdf-pages, add-page-numbers-pdf, edit-pdf-metadata, linearize-pdf, crop-pdf, redact-pdf, sanitize-pdf, grayscale-pdf, remove-blank-pages-pdf, pdf-info, compress; also what else a task can do, as `merge` or `thumbnail`
 */
toolOperation?: string
/**
 * Bytes of the file, where they are known: what is too large for its conversion is told
 */
size?: number
[k: string]: unknown
}
data: {
from: string
to: string
operation: string
engines: string[]
steps: {
engine: string
from: string
to: string
}[]
estimate: {
/**
 * Until it begins: by the tasks that wait before it
 */
queueMs: number
/**
 * From then to its end
 */
runMs: number
/**
 * `recorded`: by what conversions of this kind took here; `planned`: none has run, a rough guess
 */
basis: ("recorded" | "planned")
}
/**
 * What a file of this kind is known to lose
 */
losses: {
/**
 * As `fidelity` of a result names it: `animation`, `frames`; or `quality`
 */
what: string
/**
 * Of it that was kept where it was measured, 0 to 1
 */
share?: number
/**
 * `measured`: seen when this pair was last tested on a real file; `format`: the target cannot hold it
 */
basis: ("measured" | "format")
}[]
warnings: {
code: string
message: string
field?: string
}[]
}
}
/**
 * Merge files into one
 */
"POST /v1/convert/merge": {
query?: {
/**
 * Answer 303 to the file itself when it is there: one request fewer than by `downloadUrl`
 */
redirect?: ("0" | "1" | "true" | "false")
}
body?: {
/**
 * Target format id, as `pdf`; see GET /v1/formats
 */
targetFormat?: string
/**
 * Older name of targetFormat
 */
output_format?: string
/**
 * Older name of targetFormat
 */
target?: string
/**
 * Where the result is stored as well: `s3`, `blobstore`, `gcs` or `sftp`
 */
exportMethod?: string
/**
 * Its path or key there; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
exportPath?: string
/**
 * The other fields of the task `export/…`, as an object (JSON in a form)
 */
exportConfig?: (string | {
[k: string]: unknown
})
/**
 * Name of the source, when it is not that of the file part
 */
filename?: string
/**
 * Anything that helps you to find the job again
 */
tag?: string
/**
 * Public address that is told of all events of the job, as webhooks are; GET /v1/webhooks/secret is the secret that signs
 */
webhookUrl?: string
/**
 * Options as an object (JSON in a form); they may also stand beside it. `pdfEngine` may be `auto`
 */
options?: (string | {
[k: string]: unknown
})
/**
 * What the files are
 */
mergeType?: ("pdf" | "video" | "audio" | "image")
/**
 * Addresses that files are fetched from, after those of `file` and `uploadIds`
 */
fileUrls?: (string[] | string)
/**
 * Uploads instead of `file`, in the order of the result. Each serves one place: naming one twice is refused
 */
uploadIds?: (string[] | string)
[k: string]: unknown
}
data: {
jobId: string
id: string
status: ("pending" | "queued" | "processing" | "completed" | "failed" | "cancelled" | "expired")
tag: (string | null)
/**
 * The first file; null while it is awaited
 */
source: ({
filename: string
format: string
size: number
} | null)
target: ({
format: string
} | null)
progress: {
/**
 * Never falls
 */
percent: number
stage: string
taskName: (string | null)
/**
 * Estimated from the progress so far
 */
etaMs: (number | null)
}
createdAt: string
startedAt: (string | null)
endedAt: (string | null)
expiresAt: string
result: ({
downloadUrl: string
filename: string
format: string
/**
 * Bytes
 */
size: number
mimeType: string
sha256: string
/**
 * Engine that made the result
 */
engine?: string
engineVersion?: string
/**
 * `stream-copy` when the streams were taken over as they are, `encode` otherwise
 */
method?: string
details?: {
[k: string]: unknown
}
/**
 * What the result kept of the source, counted by others than the engine; left out where nobody can tell
 */
fidelity?: {
/**
 * Words; in scripts without spaces, letters
 */
words?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Pages
 */
pages?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Slides
 */
slides?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Sheets of a workbook
 */
sheets?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Cells that hold something
 */
cells?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Subtitles
 */
cues?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Pictures of a film or an animation
 */
frames?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * How long it plays
 */
seconds?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Samples of each channel of sound
 */
samples?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Channels of sound
 */
channels?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Letters and signs of a font
 */
glyphs?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Files of an archive
 */
entries?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * What the target cannot hold, as `animation`
 */
dropped: string[]
/**
 * Formats on the way of which nobody here can count what this file holds: a loss would not show
 */
uncounted?: string[]
}
files: {
filename: string
format: string
/**
 * Bytes
 */
size: number
mimeType: string
sha256: string
downloadUrl: string
}[]
} | null)
warnings: {
code: string
message: string
field?: string
}[]
error: ({
code: ("INVALID_API_KEY" | "AUTHENTICATION_REQUIRED" | "INSUFFICIENT_PERMISSIONS" | "RATE_LIMITED" | "INVALID_INPUT" | "INVALID_REQUEST" | "FILE_TOO_LARGE" | "UNSUPPORTED_FORMAT" | "UNSUPPORTED_CONVERSION" | "FORMAT_NOT_FOUND" | "JOB_NOT_FOUND" | "TASK_NOT_FOUND" | "CONVERSION_FAILED" | "CORRUPT_FILE" | "TIMEOUT" | "INSUFFICIENT_DISK_SPACE" | "STORAGE_NOT_CONFIGURED" | "NO_FILES" | "FILE_GONE" | "EXPIRED" | "PDF_ENCRYPTED" | "DRIVE_NOT_CONFIGURED" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "NOT_ACCEPTABLE" | "CONFLICT" | "UNSUPPORTED_MEDIA_TYPE" | "HEADERS_TOO_LARGE" | "IDEMPOTENCY_KEY_REUSED" | "IDEMPOTENCY_IN_PROGRESS" | "UPLOAD_NOT_FOUND" | "UPLOAD_INCOMPLETE" | "WEBHOOK_NOT_FOUND" | "WORKFLOW_NOT_FOUND" | "API_KEY_NOT_FOUND" | "URL_NOT_ALLOWED" | "DRIVE_NOT_CONNECTED" | "INVALID_SIGNATURE" | "SERVICE_UNAVAILABLE" | "FILE_ENCRYPTED" | "IMPORT_FAILED" | "EXPORT_FAILED" | "INTERNAL_ERROR")
message: string
details?: {
[k: string]: unknown
}
} | null)
/**
 * Of a batch that is over
 */
summary: ({
total: number
completed: number
failed: number
} | null)
/**
 * The job that this one does again
 */
retryOf: (string | null)
links: {
status: string
job: string
download: string
}
/**
 * A guess, made once when the job was: `progress.etaMs` of its status knows more. Null when it is over
 */
estimate: ({
/**
 * Until it begins: by the tasks that wait before it
 */
queueMs: number
/**
 * From then to its end
 */
runMs: number
/**
 * `recorded`: by what conversions of this kind took here; `planned`: none has run, a rough guess
 */
basis: ("recorded" | "planned")
} | null)
}
}
/**
 * Convert many files in one job
 */
"POST /v1/convert/batch": {
body?: {
/**
 * Target format id, as `pdf`; see GET /v1/formats
 */
targetFormat?: string
/**
 * Older name of targetFormat
 */
output_format?: string
/**
 * Older name of targetFormat
 */
target?: string
/**
 * Where the result is stored as well: `s3`, `blobstore`, `gcs` or `sftp`
 */
exportMethod?: string
/**
 * Its path or key there; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
exportPath?: string
/**
 * The other fields of the task `export/…`, as an object (JSON in a form)
 */
exportConfig?: (string | {
[k: string]: unknown
})
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Anything that helps you to find the job again
 */
tag?: string
/**
 * Public address that is told of all events of the job, as webhooks are; GET /v1/webhooks/secret is the secret that signs
 */
webhookUrl?: string
/**
 * Options as an object (JSON in a form); they may also stand beside it. `pdfEngine` may be `auto`
 */
options?: (string | {
[k: string]: unknown
})
/**
 * An object for each file, in order (JSON in a form): its own target, options, name, or upload
 */
items?: (string | {
/**
 * An upload made with POST /v1/uploads/presign
 */
uploadId?: string
/**
 * Address that the file is fetched from, instead of sending it
 */
url?: string
/**
 * Another name of url, as other requests have it
 */
fileUrl?: string
/**
 * That of the whole batch when left out
 */
targetFormat?: string
/**
 * Pins one engine
 */
engine?: string
/**
 * Name of the source, when it is another
 */
filename?: string
options?: {
[k: string]: unknown
}
[k: string]: unknown
}[])
/**
 * The first file that fails ends the job
 */
failFast?: (boolean | ("0" | "1" | "true" | "false"))
[k: string]: unknown
}
data: {
jobId: string
id: string
status: ("pending" | "queued" | "processing" | "completed" | "failed" | "cancelled" | "expired")
tag: (string | null)
/**
 * The first file; null while it is awaited
 */
source: ({
filename: string
format: string
size: number
} | null)
target: ({
format: string
} | null)
progress: {
/**
 * Never falls
 */
percent: number
stage: string
taskName: (string | null)
/**
 * Estimated from the progress so far
 */
etaMs: (number | null)
}
createdAt: string
startedAt: (string | null)
endedAt: (string | null)
expiresAt: string
result: ({
downloadUrl: string
filename: string
format: string
/**
 * Bytes
 */
size: number
mimeType: string
sha256: string
/**
 * Engine that made the result
 */
engine?: string
engineVersion?: string
/**
 * `stream-copy` when the streams were taken over as they are, `encode` otherwise
 */
method?: string
details?: {
[k: string]: unknown
}
/**
 * What the result kept of the source, counted by others than the engine; left out where nobody can tell
 */
fidelity?: {
/**
 * Words; in scripts without spaces, letters
 */
words?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Pages
 */
pages?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Slides
 */
slides?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Sheets of a workbook
 */
sheets?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Cells that hold something
 */
cells?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Subtitles
 */
cues?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Pictures of a film or an animation
 */
frames?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * How long it plays
 */
seconds?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Samples of each channel of sound
 */
samples?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Channels of sound
 */
channels?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Letters and signs of a font
 */
glyphs?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Files of an archive
 */
entries?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * What the target cannot hold, as `animation`
 */
dropped: string[]
/**
 * Formats on the way of which nobody here can count what this file holds: a loss would not show
 */
uncounted?: string[]
}
files: {
filename: string
format: string
/**
 * Bytes
 */
size: number
mimeType: string
sha256: string
downloadUrl: string
}[]
} | null)
warnings: {
code: string
message: string
field?: string
}[]
error: ({
code: ("INVALID_API_KEY" | "AUTHENTICATION_REQUIRED" | "INSUFFICIENT_PERMISSIONS" | "RATE_LIMITED" | "INVALID_INPUT" | "INVALID_REQUEST" | "FILE_TOO_LARGE" | "UNSUPPORTED_FORMAT" | "UNSUPPORTED_CONVERSION" | "FORMAT_NOT_FOUND" | "JOB_NOT_FOUND" | "TASK_NOT_FOUND" | "CONVERSION_FAILED" | "CORRUPT_FILE" | "TIMEOUT" | "INSUFFICIENT_DISK_SPACE" | "STORAGE_NOT_CONFIGURED" | "NO_FILES" | "FILE_GONE" | "EXPIRED" | "PDF_ENCRYPTED" | "DRIVE_NOT_CONFIGURED" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "NOT_ACCEPTABLE" | "CONFLICT" | "UNSUPPORTED_MEDIA_TYPE" | "HEADERS_TOO_LARGE" | "IDEMPOTENCY_KEY_REUSED" | "IDEMPOTENCY_IN_PROGRESS" | "UPLOAD_NOT_FOUND" | "UPLOAD_INCOMPLETE" | "WEBHOOK_NOT_FOUND" | "WORKFLOW_NOT_FOUND" | "API_KEY_NOT_FOUND" | "URL_NOT_ALLOWED" | "DRIVE_NOT_CONNECTED" | "INVALID_SIGNATURE" | "SERVICE_UNAVAILABLE" | "FILE_ENCRYPTED" | "IMPORT_FAILED" | "EXPORT_FAILED" | "INTERNAL_ERROR")
message: string
details?: {
[k: string]: unknown
}
} | null)
/**
 * Of a batch that is over
 */
summary: ({
total: number
completed: number
failed: number
} | null)
/**
 * The job that this one does again
 */
retryOf: (string | null)
links: {
status: string
job: string
download: string
}
/**
 * The same as jobId
 */
batchId: string
total: number
accepted: number
rejected: number
items: {
index: number
filename: string
targetFormat: (string | null)
taskName: string
status: ("accepted" | "rejected")
error?: {
code: string
message: string
}
}[]
}
}
/**
 * Run a pipeline of tasks
 */
"POST /v1/jobs": {
body: {
/**
 * Up to 1000 tasks by name
 */
tasks: {
[k: string]: TaskImportUpload | TaskImportBase64 | TaskImportRaw | TaskImportUrl | TaskImportS3 | TaskImportBlobstore | TaskImportGcs | TaskImportSftp | TaskCaptureWebsite | TaskConvert | TaskCompress | TaskMerge | TaskThumbnail | TaskWatermark | TaskMetadata | TaskMetadataWrite | TaskArchive | TaskExtract | TaskOcrPdf | TaskSplitPdf | TaskEncryptPdf | TaskDecryptPdf | TaskRotatePdf | TaskCompressPdf | TaskToPdfa | TaskExtractPdfPages | TaskRemovePdfPages | TaskExtractPdfImages | TaskAddWatermarkPdf | TaskMergePdf | TaskFlattenPdf | TaskRepairPdf | TaskReorderPdfPages | TaskAddPageNumbersPdf | TaskEditPdfMetadata | TaskLinearizePdf | TaskCropPdf | TaskRedactPdf | TaskSanitizePdf | TaskGrayscalePdf | TaskRemoveBlankPagesPdf | TaskPdfInfo | TaskExportUrl | TaskExportS3 | TaskExportBlobstore | TaskExportGcs | TaskExportSftp
}
/**
 * Anything that helps you to find the job again
 */
tag?: string
/**
 * Public address that is told of all events of the job, as webhooks are; GET /v1/webhooks/secret is the secret that signs
 */
webhookUrl?: string
/**
 * The first failure ends the job at once
 */
failFast?: boolean
/**
 * Seconds after its end in which its files are deleted, where that is sooner than usual
 */
expiresIn?: number
}
data: WholeJob
}
/**
 * List your jobs
 */
"GET /v1/jobs": {
query?: {
/**
 * One or several, separated by commas
 */
status?: string
tag?: string
targetFormat?: string
/**
 * One that a task of the job has
 */
operation?: ("import/upload" | "import/base64" | "import/raw" | "import/url" | "import/s3" | "import/blobstore" | "import/gcs" | "import/sftp" | "capture-website" | "convert" | "compress" | "merge" | "thumbnail" | "watermark" | "metadata" | "metadata/write" | "archive" | "extract" | "ocr-pdf" | "split-pdf" | "encrypt-pdf" | "decrypt-pdf" | "rotate-pdf" | "compress-pdf" | "to-pdfa" | "extract-pdf-pages" | "remove-pdf-pages" | "extract-pdf-images" | "add-watermark-pdf" | "merge-pdf" | "flatten-pdf" | "repair-pdf" | "reorder-pdf-pages" | "add-page-numbers-pdf" | "edit-pdf-metadata" | "linearize-pdf" | "crop-pdf" | "redact-pdf" | "sanitize-pdf" | "grayscale-pdf" | "remove-blank-pages-pdf" | "pdf-info" | "export/url" | "export/s3" | "export/blobstore" | "export/gcs" | "export/sftp")
createdAfter?: string
createdBefore?: string
sort?: ("-createdAt" | "createdAt")
limit?: number
/**
 * `nextCursor` or `prevCursor` of another page
 */
cursor?: string
include?: "tasks"
}
data: {
jobs: (WholeJob | Job)[]
pagination: {
limit: number
hasMore: boolean
nextCursor: (string | null)
prevCursor: (string | null)
}
}
}
/**
 * See how far a job is
 */
"GET /v1/status/{jobId}": {
path: {
/**
 * Id of the job, `job_…`
 */
jobId: string
}
data: Job
}
/**
 * Download the result
 */
"GET /v1/download/{jobId}": {
path: {
/**
 * Id of the job, `job_…`
 */
jobId: string
}
query?: {
/**
 * Name of one of several result files
 */
file?: string
/**
 * Name of the task whose file is wanted
 */
task?: string
/**
 * Show in the browser instead of saving: pictures, sound, films, plain text and JSON. What could run scripts, as HTML, SVG and PDF, is saved all the same. It may be added to a signed address
 */
inline?: ("0" | "1" | "true" | "false")
/**
 * Of a signed address, as the next four: when it expires, in seconds since 1970
 */
exp?: string
/**
 * Id of the key that signed it
 */
kid?: string
/**
 * Id of an address that is counted
 */
link?: string
/**
 * Times that it leads to the file
 */
max?: string
/**
 * Signature
 */
sig?: string
}
data: null
}
/**
 * Get an address of a result to pass on
 */
"POST /v1/download/signed": {
body: {
/**
 * A completed job of yours
 */
jobId: string
/**
 * Name of the task whose file is wanted
 */
task?: string
/**
 * Name of one of several files
 */
file?: string
/**
 * Seconds; it ends with the files in any case
 */
expiresIn?: number
/**
 * `inline` shows in the browser what cannot run scripts
 */
disposition?: ("attachment" | "inline")
/**
 * Times that it leads to the file; each time that it is opened counts, and what it leads to works for five minutes
 */
maxDownloads?: number
}
data: {
url: string
jobId: string
expiresAt: string
/**
 * The same
 */
expires_at: string
}
}
/**
 * Download many results as one ZIP
 */
"POST /v1/download/zip": {
query?: {
/**
 * Do not wait for the ZIP
 */
async?: ("0" | "1" | "true" | "false")
}
body?: {
/**
 * Jobs of yours whose results go in; those that are not completed stand in the manifest only
 */
jobIds?: string[]
/**
 * One job, in place of `jobIds`
 */
jobId?: string
/**
 * Only files of these tasks of `jobId`
 */
tasks?: string[]
/**
 * Where results lie in the ZIP, by job: `{"job_…": "album/2024"}`. Those of a job that is not named lie at the top
 */
folders?: {
[k: string]: string
}
/**
 * Name of the ZIP
 */
filename?: string
/**
 * Adds `manifest.json`: for each file its job, task, source, name, size, SHA-256 and state
 */
manifest?: boolean
}
data: {
jobId: string
id: string
status: ("pending" | "queued" | "processing" | "completed" | "failed" | "cancelled" | "expired")
tag: (string | null)
/**
 * The first file; null while it is awaited
 */
source: ({
filename: string
format: string
size: number
} | null)
target: ({
format: string
} | null)
progress: {
/**
 * Never falls
 */
percent: number
stage: string
taskName: (string | null)
/**
 * Estimated from the progress so far
 */
etaMs: (number | null)
}
createdAt: string
startedAt: (string | null)
endedAt: (string | null)
expiresAt: string
result: ({
downloadUrl: string
filename: string
format: string
/**
 * Bytes
 */
size: number
mimeType: string
sha256: string
/**
 * Engine that made the result
 */
engine?: string
engineVersion?: string
/**
 * `stream-copy` when the streams were taken over as they are, `encode` otherwise
 */
method?: string
details?: {
[k: string]: unknown
}
/**
 * What the result kept of the source, counted by others than the engine; left out where nobody can tell
 */
fidelity?: {
/**
 * Words; in scripts without spaces, letters
 */
words?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Pages
 */
pages?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Slides
 */
slides?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Sheets of a workbook
 */
sheets?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Cells that hold something
 */
cells?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Subtitles
 */
cues?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Pictures of a film or an animation
 */
frames?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * How long it plays
 */
seconds?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Samples of each channel of sound
 */
samples?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Channels of sound
 */
channels?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Letters and signs of a font
 */
glyphs?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Files of an archive
 */
entries?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * What the target cannot hold, as `animation`
 */
dropped: string[]
/**
 * Formats on the way of which nobody here can count what this file holds: a loss would not show
 */
uncounted?: string[]
}
files: {
filename: string
format: string
/**
 * Bytes
 */
size: number
mimeType: string
sha256: string
downloadUrl: string
}[]
} | null)
warnings: {
code: string
message: string
field?: string
}[]
error: ({
code: ("INVALID_API_KEY" | "AUTHENTICATION_REQUIRED" | "INSUFFICIENT_PERMISSIONS" | "RATE_LIMITED" | "INVALID_INPUT" | "INVALID_REQUEST" | "FILE_TOO_LARGE" | "UNSUPPORTED_FORMAT" | "UNSUPPORTED_CONVERSION" | "FORMAT_NOT_FOUND" | "JOB_NOT_FOUND" | "TASK_NOT_FOUND" | "CONVERSION_FAILED" | "CORRUPT_FILE" | "TIMEOUT" | "INSUFFICIENT_DISK_SPACE" | "STORAGE_NOT_CONFIGURED" | "NO_FILES" | "FILE_GONE" | "EXPIRED" | "PDF_ENCRYPTED" | "DRIVE_NOT_CONFIGURED" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "NOT_ACCEPTABLE" | "CONFLICT" | "UNSUPPORTED_MEDIA_TYPE" | "HEADERS_TOO_LARGE" | "IDEMPOTENCY_KEY_REUSED" | "IDEMPOTENCY_IN_PROGRESS" | "UPLOAD_NOT_FOUND" | "UPLOAD_INCOMPLETE" | "WEBHOOK_NOT_FOUND" | "WORKFLOW_NOT_FOUND" | "API_KEY_NOT_FOUND" | "URL_NOT_ALLOWED" | "DRIVE_NOT_CONNECTED" | "INVALID_SIGNATURE" | "SERVICE_UNAVAILABLE" | "FILE_ENCRYPTED" | "IMPORT_FAILED" | "EXPORT_FAILED" | "INTERNAL_ERROR")
message: string
details?: {
[k: string]: unknown
}
} | null)
/**
 * Of a batch that is over
 */
summary: ({
total: number
completed: number
failed: number
} | null)
/**
 * The job that this one does again
 */
retryOf: (string | null)
links: {
status: string
job: string
download: string
}
/**
 * A guess, made once when the job was: `progress.etaMs` of its status knows more. Null when it is over
 */
estimate: ({
/**
 * Until it begins: by the tasks that wait before it
 */
queueMs: number
/**
 * From then to its end
 */
runMs: number
/**
 * `recorded`: by what conversions of this kind took here; `planned`: none has run, a rough guess
 */
basis: ("recorded" | "planned")
} | null)
}
}
/**
 * See a job with all its tasks
 */
"GET /v1/jobs/{jobId}": {
path: {
/**
 * Id of the job, `job_…`
 */
jobId: string
}
data: WholeJob
}
/**
 * Delete a job and its files at once
 */
"DELETE /v1/jobs/{jobId}": {
path: {
/**
 * Id of the job, `job_…`
 */
jobId: string
}
data: null
}
/**
 * Cancel a job
 */
"POST /v1/jobs/{jobId}/cancel": {
path: {
/**
 * Id of the job, `job_…`
 */
jobId: string
}
data: WholeJob
}
/**
 * Do a job again
 */
"POST /v1/jobs/{jobId}/retry": {
path: {
/**
 * Id of the job, `job_…`
 */
jobId: string
}
data: WholeJob
}
/**
 * Follow a job as server-sent events
 */
"GET /v1/jobs/{jobId}/events": {
path: {
/**
 * Id of the job, `job_…`
 */
jobId: string
}
data: null
}
/**
 * Fetch a file from a URL
 */
"POST /v1/import/url": {
body: {
/**
 * Address of the file; it has to be reachable from the internet
 */
url: string
/**
 * Name of the file, when it is another
 */
filename?: string
/**
 * Headers to send along, such as `Authorization`; they go to the host of the URL only
 */
headers?: {
[k: string]: string
}
/**
 * Hex; other bytes are refused
 */
sha256?: string
/**
 * Bytes; larger files are refused
 */
maxSize?: number
}
data: {
uploadId: string
/**
 * The job that fetches it
 */
jobId: string
status: "pending"
/**
 * Null until it is known
 */
filename: (string | null)
}
}
/**
 * Get a ticket for a WebSocket
 */
"POST /v1/ws/tickets": {
data: {
ticket: string
expiresAt: string
}
}
/**
 * Get a URL to upload a file to
 */
"POST /v1/uploads/presign": {
body: {
filename: string
contentType?: string
/**
 * Bytes
 */
size: number
/**
 * Hex; the storage refuses other bytes
 */
sha256?: string
method?: ("PUT" | "POST")
}
data: {
uploadId: string
key: string
method: ("PUT" | "POST")
url: string
/**
 * Send exactly these with the PUT
 */
headers?: {
[k: string]: string
}
/**
 * Fields of the form that POST sends; `file` comes last
 */
fields?: {
[k: string]: string
}
expiresAt: string
maxSize: number
}
}
/**
 * Begin an upload in parts
 */
"POST /v1/uploads/multipart": {
body: {
filename: string
/**
 * MIME type
 */
type?: string
/**
 * Bytes; a file that is too large is refused at once
 */
size?: number
/**
 * Not kept
 */
metadata?: {
[k: string]: unknown
}
}
data: {
uploadId: string
key: string
bucket: string
/**
 * Bytes of a part that suit the file; others work as well
 */
partSize: number
maxParts: number
/**
 * Bytes; the last part may be smaller
 */
minPartSize: number
/**
 * Bytes of all parts
 */
maxSize: number
/**
 * Until when it can be sent and used
 */
expiresAt: string
}
}
/**
 * List the parts that have arrived
 */
"GET /v1/uploads/multipart/{uploadId}": {
path: {
/**
 * Id of the upload, `upl_…`
 */
uploadId: string
}
query?: {
/**
 * `key` of the upload
 */
key?: string
}
data: {
/**
 * By number; empty when the upload is complete
 */
parts: {
PartNumber: number
/**
 * As the PUT of the part was answered
 */
ETag: string
/**
 * Bytes
 */
Size: number
}[]
complete: boolean
}
}
/**
 * Drop an upload in parts
 */
"DELETE /v1/uploads/multipart/{uploadId}": {
path: {
/**
 * Id of the upload, `upl_…`
 */
uploadId: string
}
query?: {
/**
 * `key` of the upload
 */
key?: string
}
data: {

}
}
/**
 * Get the URL of a part
 */
"GET /v1/uploads/multipart/{uploadId}/{partNumber}": {
path: {
/**
 * Id of the upload, `upl_…`
 */
uploadId: string
/**
 * From 1
 */
partNumber: number
}
query?: {
/**
 * `key` of the upload
 */
key?: string
}
data: {
url: string
method: "PUT"
/**
 * To send with it
 */
headers: {
[k: string]: string
}
/**
 * Seconds; ask again for a new one
 */
expires: number
expiresAt: string
}
}
/**
 * Get the URLs of many parts
 */
"GET /v1/uploads/multipart/{uploadId}/batch": {
path: {
/**
 * Id of the upload, `upl_…`
 */
uploadId: string
}
query: {
/**
 * `key` of the upload
 */
key?: string
/**
 * Numbers, separated by commas
 */
partNumbers: string
}
data: {
/**
 * By number
 */
presignedUrls: {
[k: string]: string
}
/**
 * Seconds
 */
expires: number
expiresAt: string
}
}
/**
 * Put the parts together
 */
"POST /v1/uploads/multipart/{uploadId}/complete": {
path: {
/**
 * Id of the upload, `upl_…`
 */
uploadId: string
}
query?: {
/**
 * `key` of the upload
 */
key?: string
}
body: {
/**
 * All parts, by number
 */
parts: {
PartNumber: number
/**
 * As the PUT of the part was answered
 */
ETag: string
[k: string]: unknown
}[]
}
data: {
/**
 * Where the upload is told of
 */
location: string
key: string
bucket: string
/**
 * For POST /v1/convert and its kin
 */
uploadId: string
/**
 * Bytes
 */
size: number
etag: string
}
}
/**
 * Get a form to upload a file by
 */
"GET /v1/uploads/s3/params": {
query: {
filename: string
type?: string
}
data: {
method: "POST"
url: string
fields: {
[k: string]: string
}
/**
 * Seconds
 */
expires: number
}
}
/**
 * Begin an upload in parts
 */
"POST /v1/uploads/s3/multipart": {
body: {
filename: string
type?: string
/**
 * Bytes
 */
size?: number
/**
 * Not kept
 */
metadata?: ({
[k: string]: unknown
} | null)
[k: string]: unknown
}
data: {
key: string
uploadId: string
}
}
/**
 * List the parts that have arrived
 */
"GET /v1/uploads/s3/multipart/{uploadId}": {
path: {
/**
 * Id of the upload, `upl_…`
 */
uploadId: string
}
query: {
/**
 * `key` of the upload
 */
key: string
}
data: {
PartNumber: number
/**
 * As the PUT of the part was answered
 */
ETag: string
/**
 * Bytes
 */
Size: number
}[]
}
/**
 * Drop an upload in parts
 */
"DELETE /v1/uploads/s3/multipart/{uploadId}": {
path: {
/**
 * Id of the upload, `upl_…`
 */
uploadId: string
}
query?: {
/**
 * `key` of the upload
 */
key?: string
}
data: {

}
}
/**
 * Get the URL of a part
 */
"GET /v1/uploads/s3/multipart/{uploadId}/{partNumber}": {
path: {
/**
 * Id of the upload, `upl_…`
 */
uploadId: string
/**
 * From 1
 */
partNumber: number
}
query: {
/**
 * `key` of the upload
 */
key: string
}
data: {
url: string
method: "PUT"
/**
 * To send with it
 */
headers: {
[k: string]: string
}
/**
 * Seconds; ask again for a new one
 */
expires: number
expiresAt: string
}
}
/**
 * Put the parts together
 */
"POST /v1/uploads/s3/multipart/{uploadId}/complete": {
path: {
/**
 * Id of the upload, `upl_…`
 */
uploadId: string
}
query: {
/**
 * `key` of the upload
 */
key: string
}
body: {
/**
 * All parts, by number
 */
parts: {
PartNumber: number
/**
 * As the PUT of the part was answered
 */
ETag: string
[k: string]: unknown
}[]
}
data: {
location: string
key: string
bucket: string
}
}
/**
 * See whether an upload is there
 */
"GET /v1/uploads/{uploadId}": {
path: {
/**
 * Id of the upload, `upl_…`
 */
uploadId: string
}
data: {
uploadId: string
/**
 * `ready` when the whole file is there, `failed` when it could not be fetched
 */
status: ("pending" | "ready" | "failed")
filename: string
/**
 * Bytes, as announced; null where any size is awaited
 */
size: (number | null)
/**
 * As announced, or as the content of a fetched file says
 */
mimeType: string
/**
 * Of a file that was fetched
 */
format: (string | null)
/**
 * Of a file that was fetched; lower-case hex
 */
sha256: (string | null)
/**
 * The job that fetches it
 */
importJobId: (string | null)
/**
 * Why it could not be fetched
 */
error: ({
code: ("INVALID_API_KEY" | "AUTHENTICATION_REQUIRED" | "INSUFFICIENT_PERMISSIONS" | "RATE_LIMITED" | "INVALID_INPUT" | "INVALID_REQUEST" | "FILE_TOO_LARGE" | "UNSUPPORTED_FORMAT" | "UNSUPPORTED_CONVERSION" | "FORMAT_NOT_FOUND" | "JOB_NOT_FOUND" | "TASK_NOT_FOUND" | "CONVERSION_FAILED" | "CORRUPT_FILE" | "TIMEOUT" | "INSUFFICIENT_DISK_SPACE" | "STORAGE_NOT_CONFIGURED" | "NO_FILES" | "FILE_GONE" | "EXPIRED" | "PDF_ENCRYPTED" | "DRIVE_NOT_CONFIGURED" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "NOT_ACCEPTABLE" | "CONFLICT" | "UNSUPPORTED_MEDIA_TYPE" | "HEADERS_TOO_LARGE" | "IDEMPOTENCY_KEY_REUSED" | "IDEMPOTENCY_IN_PROGRESS" | "UPLOAD_NOT_FOUND" | "UPLOAD_INCOMPLETE" | "WEBHOOK_NOT_FOUND" | "WORKFLOW_NOT_FOUND" | "API_KEY_NOT_FOUND" | "URL_NOT_ALLOWED" | "DRIVE_NOT_CONNECTED" | "INVALID_SIGNATURE" | "SERVICE_UNAVAILABLE" | "FILE_ENCRYPTED" | "IMPORT_FAILED" | "EXPORT_FAILED" | "INTERNAL_ERROR")
message: string
details?: {
[k: string]: unknown
}
} | null)
/**
 * The job that took the upload; it serves no second one
 */
jobId: (string | null)
expiresAt: string
}
}
/**
 * List the drives that can be connected
 */
"GET /v1/cloud": {
data: {
drives: {
id: ("google-drive" | "dropbox" | "onedrive")
name: string
}[]
}
}
/**
 * Connect a drive
 */
"GET /v1/cloud/{drive}/auth": {
path: {
drive: ("google-drive" | "dropbox" | "onedrive")
}
query?: {
/**
 * A page of this service, or of an origin that `DRIVES` names
 */
redirectUri?: string
/**
 * Comes back to `redirectUri` as it is
 */
state?: string
}
data: {
authorizationUrl: string
/**
 * By which the callback is known
 */
state: string
expiresAt: string
}
}
/**
 * Come back from a drive
 */
"GET /v1/cloud/{drive}/callback": {
path: {
drive: ("google-drive" | "dropbox" | "onedrive")
}
query?: {
state?: string
code?: string
error?: string
}
data: {
connectionId: string
account: {
name: (string | null)
email: (string | null)
}
}
}
/**
 * See what is in a drive
 */
"GET /v1/cloud/{drive}/list": {
path: {
drive: ("google-drive" | "dropbox" | "onedrive")
}
query: {
/**
 * Of the callback, `conn_…`
 */
connectionId: string
/**
 * Id of a folder of the list
 */
folderId?: string
/**
 * Words of names to look for
 */
q?: string
/**
 * `nextCursor` of the page before
 */
cursor?: string
limit?: number
}
data: {
items: {
id: string
name: string
isFolder: boolean
mimeType: (string | null)
/**
 * Bytes; null where the drive does not say
 */
size: (number | null)
modifiedAt: (string | null)
thumbnailUrl: (string | null)
path: (string | null)
}[]
nextCursor: (string | null)
account: {
name: (string | null)
email: (string | null)
}
}
}
/**
 * Import files from a drive
 */
"POST /v1/cloud/{drive}/import": {
path: {
drive: ("google-drive" | "dropbox" | "onedrive")
}
body: {
/**
 * Of the callback, `conn_…`
 */
connectionId: string
/**
 * Ids of files of the list
 */
fileIds: string[]
targetFormat?: string
/**
 * Options of the conversion
 */
options?: {
[k: string]: unknown
}
tag?: string
}
data: {
jobId: string
items: {
fileId: string
uploadId: (string | null)
taskName: string
}[]
}
}
/**
 * Disconnect a drive
 */
"DELETE /v1/cloud/{drive}/connections/{connectionId}": {
path: {
drive: ("google-drive" | "dropbox" | "onedrive")
/**
 * Of the callback, `conn_…`
 */
connectionId: string
}
data: null
}
/**
 * Run a pipeline by the clock
 */
"POST /v1/workflows": {
body: {
name: string
/**
 * Minute, hour, day of month, month, day of week, as `0 3 * * *`, or a name as `@daily`; at least 5 min from run to run
 */
cron: string
/**
 * IANA name of the time zone of these times
 */
timezone?: string
/**
 * Up to 1000 tasks by name
 */
tasks: {
[k: string]: TaskImportUpload | TaskImportBase64 | TaskImportRaw | TaskImportUrl | TaskImportS3 | TaskImportBlobstore | TaskImportGcs | TaskImportSftp | TaskCaptureWebsite | TaskConvert | TaskCompress | TaskMerge | TaskThumbnail | TaskWatermark | TaskMetadata | TaskMetadataWrite | TaskArchive | TaskExtract | TaskOcrPdf | TaskSplitPdf | TaskEncryptPdf | TaskDecryptPdf | TaskRotatePdf | TaskCompressPdf | TaskToPdfa | TaskExtractPdfPages | TaskRemovePdfPages | TaskExtractPdfImages | TaskAddWatermarkPdf | TaskMergePdf | TaskFlattenPdf | TaskRepairPdf | TaskReorderPdfPages | TaskAddPageNumbersPdf | TaskEditPdfMetadata | TaskLinearizePdf | TaskCropPdf | TaskRedactPdf | TaskSanitizePdf | TaskGrayscalePdf | TaskRemoveBlankPagesPdf | TaskPdfInfo | TaskExportUrl | TaskExportS3 | TaskExportBlobstore | TaskExportGcs | TaskExportSftp
}
enabled?: boolean
/**
 * What to do when the run before is not over
 */
overlap?: ("skip" | "queue" | "cancel-previous")
/**
 * That of the jobs; null for none
 */
tag?: (string | null)
webhookUrl?: (string | null)
}
data: Workflow
}
/**
 * List your workflows
 */
"GET /v1/workflows": {
data: {
workflows: Workflow[]
}
}
/**
 * See a workflow
 */
"GET /v1/workflows/{workflowId}": {
path: {
/**
 * Id of the workflow, `wf_…`
 */
workflowId: string
}
data: Workflow
}
/**
 * Change a workflow
 */
"PATCH /v1/workflows/{workflowId}": {
path: {
/**
 * Id of the workflow, `wf_…`
 */
workflowId: string
}
body?: {
name?: string
/**
 * Minute, hour, day of month, month, day of week, as `0 3 * * *`, or a name as `@daily`; at least 5 min from run to run
 */
cron?: string
/**
 * IANA name of the time zone of these times
 */
timezone?: string
/**
 * Up to 1000 tasks by name
 */
tasks?: {
[k: string]: TaskImportUpload | TaskImportBase64 | TaskImportRaw | TaskImportUrl | TaskImportS3 | TaskImportBlobstore | TaskImportGcs | TaskImportSftp | TaskCaptureWebsite | TaskConvert | TaskCompress | TaskMerge | TaskThumbnail | TaskWatermark | TaskMetadata | TaskMetadataWrite | TaskArchive | TaskExtract | TaskOcrPdf | TaskSplitPdf | TaskEncryptPdf | TaskDecryptPdf | TaskRotatePdf | TaskCompressPdf | TaskToPdfa | TaskExtractPdfPages | TaskRemovePdfPages | TaskExtractPdfImages | TaskAddWatermarkPdf | TaskMergePdf | TaskFlattenPdf | TaskRepairPdf | TaskReorderPdfPages | TaskAddPageNumbersPdf | TaskEditPdfMetadata | TaskLinearizePdf | TaskCropPdf | TaskRedactPdf | TaskSanitizePdf | TaskGrayscalePdf | TaskRemoveBlankPagesPdf | TaskPdfInfo | TaskExportUrl | TaskExportS3 | TaskExportBlobstore | TaskExportGcs | TaskExportSftp
}
enabled?: boolean
/**
 * What to do when the run before is not over
 */
overlap?: ("skip" | "queue" | "cancel-previous")
/**
 * That of the jobs; null for none
 */
tag?: (string | null)
webhookUrl?: (string | null)
}
data: Workflow
}
/**
 * Delete a workflow
 */
"DELETE /v1/workflows/{workflowId}": {
path: {
/**
 * Id of the workflow, `wf_…`
 */
workflowId: string
}
data: null
}
/**
 * Run a workflow now
 */
"POST /v1/workflows/{workflowId}/run": {
path: {
/**
 * Id of the workflow, `wf_…`
 */
workflowId: string
}
data: {
runId: string
workflowId: string
/**
 * The clock, or somebody who asked for it
 */
trigger: ("schedule" | "request")
/**
 * `waiting` for the run before, `skipped` because of it
 */
status: ("waiting" | "running" | "completed" | "failed" | "cancelled" | "skipped")
/**
 * When the clock wanted it, or when it was asked for
 */
dueAt: string
jobId: (string | null)
startedAt: (string | null)
endedAt: (string | null)
error: ({
code: string
message: string
} | null)
}
}
/**
 * List the runs of a workflow
 */
"GET /v1/workflows/{workflowId}/runs": {
path: {
/**
 * Id of the workflow, `wf_…`
 */
workflowId: string
}
query?: {
limit?: number
/**
 * The last run of the page before
 */
before?: string
}
data: {
runs: {
runId: string
workflowId: string
/**
 * The clock, or somebody who asked for it
 */
trigger: ("schedule" | "request")
/**
 * `waiting` for the run before, `skipped` because of it
 */
status: ("waiting" | "running" | "completed" | "failed" | "cancelled" | "skipped")
/**
 * When the clock wanted it, or when it was asked for
 */
dueAt: string
jobId: (string | null)
startedAt: (string | null)
endedAt: (string | null)
error: ({
code: string
message: string
} | null)
}[]
next: (string | null)
}
}
/**
 * Be told of events
 */
"POST /v1/webhooks": {
body: {
/**
 * Public address that events are sent to by POST
 */
url: string
/**
 * Names of events; `*` for all, those too that come to be
 */
events: ("*" | "job.created" | "job.queued" | "job.started" | "job.progress" | "job.completed" | "job.failed" | "job.cancelled" | "job.expired" | "file.uploaded" | "file.downloaded" | "file.deleted" | "subscription.created" | "subscription.updated" | "subscription.cancelled" | "quota.warning" | "quota.exceeded")[]
/**
 * The event itself, or a message for a chat platform: of blocks, or of embeds
 */
format?: ("json" | "chat-blocks" | "chat-embed")
description?: string
enabled?: boolean
/**
 * One of your own; made when left out
 */
secret?: string
}
data: {
id: string
/**
 * A password in it is shown as `***`
 */
url: string
events: string[]
format: ("json" | "chat-blocks" | "chat-embed" | "facade-v2")
description: (string | null)
enabled: boolean
/**
 * Nothing was delivered since the last failure
 */
failing: boolean
failingSince: (string | null)
disabledAt: (string | null)
/**
 * `gone`: it answered 410. `failing`: five days of nothing but failures. Null where you switched it off
 */
disabledReason: (("gone" | "failing") | null)
/**
 * The job whose `webhookUrl` it is
 */
jobId: (string | null)
createdAt: string
updatedAt: string
/**
 * `whsec_…`; shown this once
 */
secret: string
}
}
/**
 * List your webhooks
 */
"GET /v1/webhooks": {
query?: {
limit?: number
/**
 * The last webhook of the page before
 */
before?: string
}
data: {
webhooks: Webhook[]
next: (string | null)
}
}
/**
 * See the secret that signs for webhookUrl
 */
"GET /v1/webhooks/secret": {
data: {
/**
 * `whsec_…`
 */
secret: string
createdAt: string
}
}
/**
 * Change the secret that signs for webhookUrl
 */
"POST /v1/webhooks/secret/rotate": {
body?: {
/**
 * Hours for which the old secret signs beside the new one
 */
graceHours?: number
}
data: {
/**
 * `whsec_…`
 */
secret: string
createdAt: string
}
}
/**
 * See a webhook
 */
"GET /v1/webhooks/{webhookId}": {
path: {
/**
 * Id of the webhook, `whk_…`
 */
webhookId: string
}
data: Webhook
}
/**
 * Change a webhook
 */
"PATCH /v1/webhooks/{webhookId}": {
path: {
/**
 * Id of the webhook, `whk_…`
 */
webhookId: string
}
body?: {
/**
 * Public address that events are sent to by POST
 */
url?: string
/**
 * Names of events; `*` for all, those too that come to be
 */
events?: ("*" | "job.created" | "job.queued" | "job.started" | "job.progress" | "job.completed" | "job.failed" | "job.cancelled" | "job.expired" | "file.uploaded" | "file.downloaded" | "file.deleted" | "subscription.created" | "subscription.updated" | "subscription.cancelled" | "quota.warning" | "quota.exceeded")[]
/**
 * The event itself, or a message for a chat platform: of blocks, or of embeds
 */
format?: ("json" | "chat-blocks" | "chat-embed")
description?: string
enabled?: boolean
}
data: Webhook
}
/**
 * Delete a webhook
 */
"DELETE /v1/webhooks/{webhookId}": {
path: {
/**
 * Id of the webhook, `whk_…`
 */
webhookId: string
}
data: null
}
/**
 * Change the secret of a webhook
 */
"POST /v1/webhooks/{webhookId}/rotate-secret": {
path: {
/**
 * Id of the webhook, `whk_…`
 */
webhookId: string
}
body?: {
/**
 * Hours for which the old secret signs beside the new one
 */
graceHours?: number
}
data: {
id: string
/**
 * A password in it is shown as `***`
 */
url: string
events: string[]
format: ("json" | "chat-blocks" | "chat-embed" | "facade-v2")
description: (string | null)
enabled: boolean
/**
 * Nothing was delivered since the last failure
 */
failing: boolean
failingSince: (string | null)
disabledAt: (string | null)
/**
 * `gone`: it answered 410. `failing`: five days of nothing but failures. Null where you switched it off
 */
disabledReason: (("gone" | "failing") | null)
/**
 * The job whose `webhookUrl` it is
 */
jobId: (string | null)
createdAt: string
updatedAt: string
/**
 * `whsec_…`; shown this once
 */
secret: string
}
}
/**
 * Send a test to a webhook
 */
"POST /v1/webhooks/{webhookId}/test": {
path: {
/**
 * Id of the webhook, `whk_…`
 */
webhookId: string
}
body?: {
/**
 * Its name
 */
event?: ("job.created" | "job.queued" | "job.started" | "job.progress" | "job.completed" | "job.failed" | "job.cancelled" | "job.expired" | "file.uploaded" | "file.downloaded" | "file.deleted" | "subscription.created" | "subscription.updated" | "subscription.cancelled" | "quota.warning" | "quota.exceeded")
}
data: {
deliveryId: string
status: ("pending" | "succeeded" | "failed")
responseStatus: (number | null)
durationMs: (number | null)
error: (string | null)
}
}
/**
 * List what was sent to a webhook
 */
"GET /v1/webhooks/{webhookId}/deliveries": {
path: {
/**
 * Id of the webhook, `whk_…`
 */
webhookId: string
}
query?: {
limit?: number
/**
 * The last delivery of the page before
 */
before?: string
}
data: {
deliveries: {
id: string
eventId: string
event: string
sequence: number
status: ("pending" | "succeeded" | "failed")
/**
 * Attempts that were made
 */
attempt: number
responseStatus: (number | null)
/**
 * Up to 1 KB of the last answer
 */
responseBody: (string | null)
error: (string | null)
durationMs: (number | null)
nextAttemptAt: (string | null)
createdAt: string
}[]
next: (string | null)
}
}
/**
 * See a delivery with its attempts
 */
"GET /v1/webhooks/{webhookId}/deliveries/{deliveryId}": {
path: {
/**
 * Id of the webhook, `whk_…`
 */
webhookId: string
/**
 * Id of the delivery, `whd_…`
 */
deliveryId: string
}
data: {
id: string
eventId: string
event: string
sequence: number
status: ("pending" | "succeeded" | "failed")
/**
 * Attempts that were made
 */
attempt: number
responseStatus: (number | null)
/**
 * Up to 1 KB of the last answer
 */
responseBody: (string | null)
error: (string | null)
durationMs: (number | null)
nextAttemptAt: (string | null)
createdAt: string
attempts: {
attempt: number
at: string
responseStatus: (number | null)
error: (string | null)
durationMs: number
}[]
}
}
/**
 * Send a delivery once more
 */
"POST /v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver": {
path: {
/**
 * Id of the webhook, `whk_…`
 */
webhookId: string
/**
 * Id of the delivery, `whd_…`
 */
deliveryId: string
}
data: {
id: string
eventId: string
event: string
sequence: number
status: ("pending" | "succeeded" | "failed")
/**
 * Attempts that were made
 */
attempt: number
responseStatus: (number | null)
/**
 * Up to 1 KB of the last answer
 */
responseBody: (string | null)
error: (string | null)
durationMs: (number | null)
nextAttemptAt: (string | null)
createdAt: string
}
}
/**
 * Send what happened since a time
 */
"POST /v1/webhooks/{webhookId}/replay": {
path: {
/**
 * Id of the webhook, `whk_…`
 */
webhookId: string
}
body: {
since: string
/**
 * `next` of the reply before
 */
after?: string
/**
 * Those of the webhook when left out
 */
events?: ("job.created" | "job.queued" | "job.started" | "job.progress" | "job.completed" | "job.failed" | "job.cancelled" | "job.expired" | "file.uploaded" | "file.downloaded" | "file.deleted" | "subscription.created" | "subscription.updated" | "subscription.cancelled" | "quota.warning" | "quota.exceeded")[]
}
data: {
/**
 * How many are sent
 */
deliveries: number
next: (string | null)
}
}
/**
 * List the plans and what they allow
 */
"GET /v1/plans": {
data: {
plans: Plan[]
/**
 * The plan of those who have no account
 */
anonymous: ("anonymous" | "free" | "starter" | "pro" | "business" | "self-hosted")
}
}
/**
 * Make an API key
 */
"POST /v1/api-keys": {
body: {
/**
 * For you, to know it again
 */
name: string
/**
 * `secret` (`sk_`) for servers; `public` (`ck_`) for web pages, whose readers all have it: it sees jobs that it has made
 */
kind?: ("secret" | "public")
/**
 * Several scopes by one word; in place of `scopes`
 */
access?: ("read-only" | "convert-only" | "full")
/**
 * What it may do; a public key CONVERT_READ and CONVERT_WRITE at most
 */
scopes?: ("CONVERT_READ" | "CONVERT_WRITE" | "WEBHOOKS_MANAGE" | "ACCOUNT_READ")[]
/**
 * When it ends; never when left out
 */
expiresAt?: string
/**
 * Addresses and networks that it is sent from; any when left out
 */
allowedIps?: string[]
/**
 * Pages that it is sent from, by their `Origin`; a public key needs at least one
 */
allowedOrigins?: string[]
}
data: {
id: string
name: string
kind: ("secret" | "public")
/**
 * How it begins
 */
prefix: string
/**
 * How it ends
 */
last4: string
scopes: string[]
status: ("active" | "rotating" | "expired")
/**
 * Of one that was rotated: until then it works
 */
validUntil: (string | null)
expiresAt: (string | null)
allowedIps: (string[] | null)
allowedOrigins: (string[] | null)
createdAt: string
/**
 * To the minute
 */
lastUsedAt: (string | null)
lastUsedIp: (string | null)
/**
 * The key itself, shown this once
 */
key: string
}
}
/**
 * List your API keys
 */
"GET /v1/api-keys": {
data: {
keys: ApiKey[]
}
}
/**
 * See an API key
 */
"GET /v1/api-keys/{keyId}": {
path: {
/**
 * Id of the key, `key_…`
 */
keyId: string
}
data: ApiKey
}
/**
 * Change an API key
 */
"PATCH /v1/api-keys/{keyId}": {
path: {
/**
 * Id of the key, `key_…`
 */
keyId: string
}
body?: {
/**
 * For you, to know it again
 */
name?: string
/**
 * Several scopes by one word; in place of `scopes`
 */
access?: ("read-only" | "convert-only" | "full")
/**
 * What it may do; a public key CONVERT_READ and CONVERT_WRITE at most
 */
scopes?: ("CONVERT_READ" | "CONVERT_WRITE" | "WEBHOOKS_MANAGE" | "ACCOUNT_READ")[]
expiresAt?: (string | null)
allowedIps?: (string[] | null)
allowedOrigins?: (string[] | null)
}
data: ApiKey
}
/**
 * Revoke an API key
 */
"DELETE /v1/api-keys/{keyId}": {
path: {
/**
 * Id of the key, `key_…`
 */
keyId: string
}
data: null
}
/**
 * Change an API key for a new one
 */
"POST /v1/api-keys/{keyId}/rotate": {
path: {
/**
 * Id of the key, `key_…`
 */
keyId: string
}
data: {
key: {
id: string
name: string
kind: ("secret" | "public")
/**
 * How it begins
 */
prefix: string
/**
 * How it ends
 */
last4: string
scopes: string[]
status: ("active" | "rotating" | "expired")
/**
 * Of one that was rotated: until then it works
 */
validUntil: (string | null)
expiresAt: (string | null)
allowedIps: (string[] | null)
allowedOrigins: (string[] | null)
createdAt: string
/**
 * To the minute
 */
lastUsedAt: (string | null)
lastUsedIp: (string | null)
/**
 * The key itself, shown this once
 */
key: string
}
previous: ApiKey
}
}
/**
 * See what you have used
 */
"GET /v1/account/usage": {
query?: {
/**
 * First day, as `2026-01-31`; that of the month when left out
 */
from?: string
/**
 * Last day; today when left out
 */
to?: string
granularity?: ("day" | "month")
/**
 * `format`: that of the results; `key`: the id of the API key or the client, where a job came by one
 */
groupBy?: ("engine" | "format" | "key")
}
data: {
period: {
from: string
to: string
}
totals: {
/**
 * Of the account, whatever they asked for; without an account none is counted
 */
requests: number
/**
 * That are over
 */
jobs: number
completed: number
failed: number
cancelled: number
/**
 * Time of the tasks between import and export, in minutes
 */
conversionMinutes: number
bytesIn: number
bytesOut: number
/**
 * One for each completed job
 */
credits: number
}
series: {
/**
 * As `2026-01-31` or `2026-01`
 */
date: string
/**
 * Of the account, whatever they asked for; without an account none is counted
 */
requests: number
/**
 * That are over
 */
jobs: number
completed: number
failed: number
cancelled: number
/**
 * Time of the tasks between import and export, in minutes
 */
conversionMinutes: number
bytesIn: number
bytesOut: number
/**
 * One for each completed job
 */
credits: number
}[]
/**
 * The one with most jobs first
 */
groups: {
name: string
/**
 * That are over
 */
jobs: number
completed: number
failed: number
cancelled: number
/**
 * Time of the tasks between import and export, in minutes
 */
conversionMinutes: number
bytesIn: number
bytesOut: number
/**
 * One for each completed job
 */
credits: number
}[]
}
}
/**
 * See what is left of your plan
 */
"GET /v1/account/quota": {
data: {
plan: ("anonymous" | "free" | "starter" | "pro" | "business" | "self-hosted")
quotas: {
name: ("requests" | "reads" | "conversion-minutes")
/**
 * Days and months are those of UTC
 */
window: ("minute" | "hour" | "day" | "month")
/**
 * Null where it is only counted
 */
limit: (number | null)
used: number
remaining: (number | null)
resetsAt: string
}[]
concurrentJobs: {
limit: (number | null)
running: number
/**
 * With those that wait for their files
 */
queued: number
}
/**
 * Bytes
 */
maxFileSize: number
filesPerJob: number
}
}
/**
 * Get an access token
 */
"POST /v1/oauth/token": {
body?: {
/**
 * `client_credentials`
 */
grant_type?: string
/**
 * Scopes, separated by spaces; all that the client may have when left out
 */
scope?: string
/**
 * Unless it comes as `Authorization: Basic`
 */
client_id?: string
client_secret?: string
[k: string]: unknown
}
data: {
access_token: string
token_type: "Bearer"
/**
 * Seconds
 */
expires_in: number
scope: string
}
}
/**
 * End an access token
 */
"POST /v1/oauth/revoke": {
body?: {
/**
 * The access token
 */
token?: string
/**
 * Is not needed
 */
token_type_hint?: string
/**
 * Unless it comes as `Authorization: Basic`
 */
client_id?: string
client_secret?: string
[k: string]: unknown
}
data: {

}
}
/**
 * Ask what an access token stands for
 */
"POST /v1/oauth/introspect": {
body?: {
/**
 * The access token
 */
token?: string
/**
 * Is not needed
 */
token_type_hint?: string
/**
 * Unless it comes as `Authorization: Basic`
 */
client_id?: string
client_secret?: string
[k: string]: unknown
}
data: {
active: boolean
scope?: string
client_id?: string
token_type?: "Bearer"
/**
 * The account
 */
sub?: string
/**
 * Seconds since 1970
 */
iat?: number
/**
 * Seconds since 1970
 */
exp?: number
}
}
/**
 * Let a program in by itself
 */
"POST /v1/oauth/clients": {
body: {
name: string
/**
 * What its tokens may do; all of them when left out
 */
scopes?: ("CONVERT_READ" | "CONVERT_WRITE" | "WEBHOOKS_MANAGE" | "ACCOUNT_READ")[]
}
data: {
id: string
/**
 * The same, by the name that OAuth has for it
 */
clientId: string
name: string
scopes: ("CONVERT_READ" | "CONVERT_WRITE" | "WEBHOOKS_MANAGE" | "ACCOUNT_READ")[]
/**
 * Of its secret
 */
last4: string
createdAt: string
clientSecret: string
}
}
/**
 * List your OAuth clients
 */
"GET /v1/oauth/clients": {
data: {
clients: {
id: string
/**
 * The same, by the name that OAuth has for it
 */
clientId: string
name: string
scopes: ("CONVERT_READ" | "CONVERT_WRITE" | "WEBHOOKS_MANAGE" | "ACCOUNT_READ")[]
/**
 * Of its secret
 */
last4: string
createdAt: string
}[]
}
}
/**
 * Delete an OAuth client
 */
"DELETE /v1/oauth/clients/{clientId}": {
path: {
/**
 * Id of the client, `client_…`
 */
clientId: string
}
data: null
}
/**
 * See your account
 */
"GET /v1/account": {
data: {
id: string
email: string
emailVerified: boolean
name: string
plan: string
role: ("USER" | "ADMIN")
createdAt: string
/**
 * Where jobs run and files are kept
 */
region: string
/**
 * Hours for which a job that is over is kept, with its files
 */
retentionHours: number
limits: {
/**
 * Bytes
 */
maxFileSize: number
filesPerJob: number
/**
 * Others wait; null for as many as there is room for
 */
concurrentJobs: (number | null)
}
}
}
/**
 * See how reliable the service is
 */
"GET /v1/reliability": {
data: {
window: {
from: string
to: string
days: number
}
/**
 * completed / (completed + failed - clientErrors)
 */
successRate: (number | null)
durationMs: {
p50: (number | null)
p95: (number | null)
}
}
}
/**
 * Where tokens are to be had
 */
"GET /.well-known/oauth-authorization-server": {
data: {
issuer: string
token_endpoint: string
[k: string]: unknown
}
}
/**
 * List accounts
 */
"GET /v1/admin/users": {
query?: {
/**
 * Part of the address or the name
 */
q?: string
plan?: ("anonymous" | "free" | "starter" | "pro" | "business" | "self-hosted")
limit?: number
/**
 * `next` of the page before
 */
cursor?: string
}
data: {
users: {
id: string
email: string
emailVerified: boolean
name: string
plan: string
role: ("USER" | "ADMIN")
status: ("active" | "suspended")
createdAt: string
}[]
/**
 * Where the next page begins; a page of a narrow search may be short and not the last
 */
next: (string | null)
}
}
/**
 * See an account
 */
"GET /v1/admin/users/{userId}": {
path: {
/**
 * Id of the account, `acc_…`
 */
userId: string
}
data: {
id: string
email: string
emailVerified: boolean
name: string
plan: string
role: ("USER" | "ADMIN")
status: ("active" | "suspended")
createdAt: string
}
}
/**
 * Change the plan, the role or the status of an account
 */
"PATCH /v1/admin/users/{userId}": {
path: {
/**
 * Id of the account, `acc_…`
 */
userId: string
}
body?: {
plan?: ("anonymous" | "free" | "starter" | "pro" | "business" | "self-hosted")
role?: ("USER" | "ADMIN")
status?: ("active" | "suspended")
}
data: {
id: string
email: string
emailVerified: boolean
name: string
plan: string
role: ("USER" | "ADMIN")
status: ("active" | "suspended")
createdAt: string
}
}
/**
 * List the sessions of an account
 */
"GET /v1/admin/users/{userId}/sessions": {
path: {
/**
 * Id of the account, `acc_…`
 */
userId: string
}
data: {
sessions: {
id: string
userId: string
createdAt: string
expiresAt: string
ipAddress: (string | null)
userAgent: (string | null)
}[]
}
}
/**
 * End a session
 */
"DELETE /v1/admin/sessions/{sessionId}": {
path: {
/**
 * Id of the session, `ses_…`
 */
sessionId: string
}
data: null
}
/**
 * See who did what
 */
"GET /v1/admin/audit": {
query?: {
limit?: number
/**
 * `next` of the page before
 */
cursor?: string
}
data: {
entries: {
id: string
at: string
/**
 * Account that did it; `command` for `npm run admin` on the machine itself
 */
actor: string
/**
 * As `user.plan`, `user.status`, `session.end`, `key.create`
 */
action: string
/**
 * Id of what it was done to
 */
subject: string
before: (string | null)
after: (string | null)
ip: (string | null)
}[]
next: (string | null)
}
}
/**
 * See how well the service does
 */
"GET /v1/admin/slo": {
query?: {
/**
 * Up to today
 */
days?: number
bucket?: ("day" | "week")
}
data: {
window: {
from: string
to: string
days: number
}
totals: {
jobs: number
completed: number
failed: number
cancelled: number
/**
 * Of those that failed: by what was sent
 */
clientErrors: number
}
/**
 * completed / (completed + failed - clientErrors)
 */
successRate: (number | null)
/**
 * completed / (completed + failed)
 */
rawSuccessRate: (number | null)
durationMs: {
p50: (number | null)
p95: (number | null)
p99: (number | null)
}
queueMs: {
p50: (number | null)
p95: (number | null)
}
errorCodes: {
code: string
count: number
/**
 * Of all that failed
 */
share: number
}[]
engines: {
engine: string
jobs: number
/**
 * 0 to 1; null where nothing was to succeed
 */
successRate: (number | null)
p50: (number | null)
p95: (number | null)
topErrors: {
code: string
count: number
}[]
}[]
series: {
/**
 * First day
 */
date: string
jobs: number
completed: number
failed: number
/**
 * 0 to 1; null where nothing was to succeed
 */
successRate: (number | null)
p50: (number | null)
p95: (number | null)
}[]
excluded: {
roles: ("ADMIN")[]
jobs: number
}
}
}
/**
 * List the formats
 */
"GET /v1/formats": {
query?: {
category?: ("video" | "audio" | "image" | "document" | "ebook" | "archive" | "font")
canRead?: ("0" | "1" | "true" | "false")
canWrite?: ("0" | "1" | "true" | "false")
/**
 * Part of the id, the name or an extension
 */
q?: string
}
data: {
formats: Format[]
totals: {
formats: number
pairs: number
byCategory: {
[k: string]: number
}
}
}
}
/**
 * List the pairs that convert, with the options of each
 */
"GET /v1/formats/conversions": {
query?: {
/**
 * Source format
 */
from?: string
/**
 * Target format
 */
to?: string
/**
 * Category of the source
 */
category?: ("video" | "audio" | "image" | "document" | "ebook" | "archive" | "font")
/**
 * Only pairs in which this engine works
 */
engine?: ("ffmpeg" | "vips" | "imagemagick" | "libreoffice" | "pandoc" | "calibre" | "ghostscript" | "vtracer" | "potrace" | "chromium" | "fontforge" | "7zip" | "pdf")
/**
 * Another thing to do: `merge`, `compress` or a `toolOperation`
 */
operation?: ("convert" | "merge" | "ocr-pdf" | "split-pdf" | "encrypt-pdf" | "decrypt-pdf" | "rotate-pdf" | "compress-pdf" | "to-pdfa" | "extract-pdf-pages" | "remove-pdf-pages" | "extract-pdf-images" | "add-watermark-pdf" | "merge-pdf" | "flatten-pdf" | "repair-pdf" | "reorder-pdf-pages" | "add-page-numbers-pdf" | "edit-pdf-metadata" | "linearize-pdf" | "crop-pdf" | "redact-pdf" | "sanitize-pdf" | "grayscale-pdf" | "remove-blank-pages-pdf" | "pdf-info" | "compress" | "thumbnail" | "watermark" | "metadata" | "metadata/write" | "archive" | "extract" | "unlock")
/**
 * Pairs of a page; all when left out
 */
limit?: number
/**
 * `nextCursor` of the page before
 */
cursor?: string
}
data: {
conversions: {
from: string
to: string
/**
 * Category of the source
 */
category: ("video" | "audio" | "image" | "document" | "ebook" | "archive" | "font")
/**
 * Those that work one after the other
 */
engines: string[]
/**
 * Left out of longer lists, which have `via`
 */
steps?: {
engine: string
from: string
to: string
}[]
/**
 * Formats between
 */
via?: string[]
options?: {
name: string
/**
 * What a form calls it
 */
label: string
type: ("string" | "integer" | "number" | "boolean" | "enum")
/**
 * `basics` are shown at once, `more` on demand
 */
group: ("basics" | "more")
/**
 * The field that suits it
 */
widget: ("text" | "multiline" | "number" | "slider" | "switch" | "choice" | "color" | "time" | "size" | "rate" | "pages" | "languages" | "paper" | "length" | "password" | "date" | "position")
/**
 * Of the number, as `px`
 */
unit?: string
default?: unknown
enum?: string[]
/**
 * What a form calls each value of `enum` and of `suggestions`
 */
enumLabels?: {
[k: string]: string
}
/**
 * Values worth offering; others are taken too
 */
suggestions?: string[]
/**
 * An `enum` that takes a number instead of its words as well
 */
number?: {
type: ("integer" | "number")
min?: number
max?: number
}
min?: number
max?: number
pattern?: string
/**
 * The number may also come as text, as the description says
 */
spelled?: boolean
/**
 * Another option takes its place
 */
deprecated?: boolean
description: string
}[]
/**
 * Place in `optionSets` of what would else be `options`
 */
optionSet?: number
/**
 * Further files that it takes
 */
more?: {
/**
 * Every format when left out
 */
from?: string[]
min: number
max: number
}
/**
 * It works, but is not among the targets that are shown for the source
 */
experimental: boolean
}[]
optionSets?: {
name: string
/**
 * What a form calls it
 */
label: string
type: ("string" | "integer" | "number" | "boolean" | "enum")
/**
 * `basics` are shown at once, `more` on demand
 */
group: ("basics" | "more")
/**
 * The field that suits it
 */
widget: ("text" | "multiline" | "number" | "slider" | "switch" | "choice" | "color" | "time" | "size" | "rate" | "pages" | "languages" | "paper" | "length" | "password" | "date" | "position")
/**
 * Of the number, as `px`
 */
unit?: string
default?: unknown
enum?: string[]
/**
 * What a form calls each value of `enum` and of `suggestions`
 */
enumLabels?: {
[k: string]: string
}
/**
 * Values worth offering; others are taken too
 */
suggestions?: string[]
/**
 * An `enum` that takes a number instead of its words as well
 */
number?: {
type: ("integer" | "number")
min?: number
max?: number
}
min?: number
max?: number
pattern?: string
/**
 * The number may also come as text, as the description says
 */
spelled?: boolean
/**
 * Another option takes its place
 */
deprecated?: boolean
description: string
}[][]
/**
 * Pairs of all pages
 */
total: number
/**
 * With `limit`
 */
pagination?: {
limit: number
hasMore: boolean
nextCursor: (string | null)
}
}
}
/**
 * See one format and what it can become
 */
"GET /v1/formats/{formatId}": {
path: {
/**
 * Id or alias of the format, as `jpg` or `jpeg`
 */
formatId: string
}
data: Format
}
/**
 * The AsyncAPI 3 document of webhooks, WebSockets and streams of events
 */
"GET /v1/asyncapi.json": {
data: {
[k: string]: unknown
}
}
/**
 * See what this is and where to go on
 */
"GET /v1": {
data: {
name: string
versions: {
id: string
status: "current"
version: string
}[]
links: {
[k: string]: string
}
}
}
/**
 * See whether a conversion would work now
 */
"GET /health": {
data: {
status: ("ok" | "unavailable")
parts: {
[k: string]: {
ok: boolean
ms?: number
message?: string
}
}
engines: {
id: string
image: string
available: boolean
}[]
}
}
/**
 * The OpenAPI 3.1 document of this API
 */
"GET /v1/openapi.json": {
data: {
[k: string]: unknown
}
}
}
events: {
"job.created": {
event: "job.created"
timestamp: string
/**
 * The same when the event is told again
 */
id: string
/**
 * Number of the event within its job, from 1; always 1 of a file that arrives
 */
sequence: number
apiVersion: "v1"
job: {
id: string
status: ("pending" | "queued" | "processing" | "completed" | "failed" | "cancelled" | "expired")
tag: (string | null)
source: ({
filename: string
format: string
size: number
[k: string]: unknown
} | null)
target: ({
format: string
[k: string]: unknown
} | null)
/**
 * By name
 */
tasks: {
[k: string]: {
operation: string
status: ("pending" | "processing" | "completed" | "failed" | "cancelled")
[k: string]: unknown
}
}
createdAt: string
queuedAt?: string
startedAt?: string
[k: string]: unknown
}
[k: string]: unknown
}
"job.queued": {
event: "job.queued"
timestamp: string
/**
 * The same when the event is told again
 */
id: string
/**
 * Number of the event within its job, from 1; always 1 of a file that arrives
 */
sequence: number
apiVersion: "v1"
job: {
id: string
status: ("pending" | "queued" | "processing" | "completed" | "failed" | "cancelled" | "expired")
tag: (string | null)
source: ({
filename: string
format: string
size: number
[k: string]: unknown
} | null)
target: ({
format: string
[k: string]: unknown
} | null)
/**
 * By name
 */
tasks: {
[k: string]: {
operation: string
status: ("pending" | "processing" | "completed" | "failed" | "cancelled")
[k: string]: unknown
}
}
createdAt: string
queuedAt?: string
startedAt?: string
[k: string]: unknown
}
[k: string]: unknown
}
"job.started": {
event: "job.started"
timestamp: string
/**
 * The same when the event is told again
 */
id: string
/**
 * Number of the event within its job, from 1; always 1 of a file that arrives
 */
sequence: number
apiVersion: "v1"
job: {
id: string
status: ("pending" | "queued" | "processing" | "completed" | "failed" | "cancelled" | "expired")
tag: (string | null)
source: ({
filename: string
format: string
size: number
[k: string]: unknown
} | null)
target: ({
format: string
[k: string]: unknown
} | null)
/**
 * By name
 */
tasks: {
[k: string]: {
operation: string
status: ("pending" | "processing" | "completed" | "failed" | "cancelled")
[k: string]: unknown
}
}
createdAt: string
queuedAt?: string
startedAt?: string
[k: string]: unknown
}
[k: string]: unknown
}
"job.progress": {
event: "job.progress"
timestamp: string
/**
 * The same when the event is told again
 */
id: string
/**
 * Number of the event within its job, from 1; always 1 of a file that arrives
 */
sequence: number
apiVersion: "v1"
job: {
id: string
status: "processing"
tag: (string | null)
progress: {
percent: number
stage: string
taskName?: string
[k: string]: unknown
}
[k: string]: unknown
}
[k: string]: unknown
}
"job.completed": {
event: "job.completed"
timestamp: string
/**
 * The same when the event is told again
 */
id: string
/**
 * Number of the event within its job, from 1; always 1 of a file that arrives
 */
sequence: number
apiVersion: "v1"
job: {
id: string
status: ("pending" | "queued" | "processing" | "completed" | "failed" | "cancelled" | "expired")
tag: (string | null)
source: ({
filename: string
format: string
size: number
[k: string]: unknown
} | null)
target: ({
format: string
[k: string]: unknown
} | null)
tasks: {
[k: string]: {
operation: string
status: ("pending" | "processing" | "completed" | "failed" | "cancelled")
result?: {
url: string
[k: string]: unknown
}
[k: string]: unknown
}
}
createdAt: string
queuedAt?: string
startedAt?: string
endedAt: string
/**
 * Of a batch
 */
summary?: {
total: number
completed: number
failed: number
[k: string]: unknown
}
durationMs: number
engine?: string
/**
 * What the result kept of the source
 */
fidelity?: {
/**
 * Words; in scripts without spaces, letters
 */
words?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
[k: string]: unknown
}
/**
 * Pages
 */
pages?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
[k: string]: unknown
}
/**
 * Slides
 */
slides?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
[k: string]: unknown
}
/**
 * Sheets of a workbook
 */
sheets?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
[k: string]: unknown
}
/**
 * Cells that hold something
 */
cells?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
[k: string]: unknown
}
/**
 * Subtitles
 */
cues?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
[k: string]: unknown
}
/**
 * Pictures of a film or an animation
 */
frames?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
[k: string]: unknown
}
/**
 * How long it plays
 */
seconds?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
[k: string]: unknown
}
/**
 * Samples of each channel of sound
 */
samples?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
[k: string]: unknown
}
/**
 * Channels of sound
 */
channels?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
[k: string]: unknown
}
/**
 * Letters and signs of a font
 */
glyphs?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
[k: string]: unknown
}
/**
 * Files of an archive
 */
entries?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
[k: string]: unknown
}
/**
 * What the target cannot hold, as `animation`
 */
dropped: string[]
/**
 * Formats on the way of which nobody here can count what this file holds: a loss would not show
 */
uncounted?: string[]
[k: string]: unknown
}
warnings: {
code: string
message: string
field?: string
[k: string]: unknown
}[]
files: {
filename: string
size: number
mimeType: string
url?: string
[k: string]: unknown
}[]
[k: string]: unknown
}
[k: string]: unknown
}
"job.failed": {
event: "job.failed"
timestamp: string
/**
 * The same when the event is told again
 */
id: string
/**
 * Number of the event within its job, from 1; always 1 of a file that arrives
 */
sequence: number
apiVersion: "v1"
job: {
id: string
status: ("pending" | "queued" | "processing" | "completed" | "failed" | "cancelled" | "expired")
tag: (string | null)
source: ({
filename: string
format: string
size: number
[k: string]: unknown
} | null)
target: ({
format: string
[k: string]: unknown
} | null)
/**
 * By name
 */
tasks: {
[k: string]: {
operation: string
status: ("pending" | "processing" | "completed" | "failed" | "cancelled")
[k: string]: unknown
}
}
createdAt: string
queuedAt?: string
startedAt?: string
endedAt: string
/**
 * Of a batch
 */
summary?: {
total: number
completed: number
failed: number
[k: string]: unknown
}
error: {
code: ("INVALID_API_KEY" | "AUTHENTICATION_REQUIRED" | "INSUFFICIENT_PERMISSIONS" | "RATE_LIMITED" | "INVALID_INPUT" | "INVALID_REQUEST" | "FILE_TOO_LARGE" | "UNSUPPORTED_FORMAT" | "UNSUPPORTED_CONVERSION" | "FORMAT_NOT_FOUND" | "JOB_NOT_FOUND" | "TASK_NOT_FOUND" | "CONVERSION_FAILED" | "CORRUPT_FILE" | "TIMEOUT" | "INSUFFICIENT_DISK_SPACE" | "STORAGE_NOT_CONFIGURED" | "NO_FILES" | "FILE_GONE" | "EXPIRED" | "PDF_ENCRYPTED" | "DRIVE_NOT_CONFIGURED" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "NOT_ACCEPTABLE" | "CONFLICT" | "UNSUPPORTED_MEDIA_TYPE" | "HEADERS_TOO_LARGE" | "IDEMPOTENCY_KEY_REUSED" | "IDEMPOTENCY_IN_PROGRESS" | "UPLOAD_NOT_FOUND" | "UPLOAD_INCOMPLETE" | "WEBHOOK_NOT_FOUND" | "WORKFLOW_NOT_FOUND" | "API_KEY_NOT_FOUND" | "URL_NOT_ALLOWED" | "DRIVE_NOT_CONNECTED" | "INVALID_SIGNATURE" | "SERVICE_UNAVAILABLE" | "FILE_ENCRYPTED" | "IMPORT_FAILED" | "EXPORT_FAILED" | "INTERNAL_ERROR")
message: string
details?: {
[k: string]: unknown
}
[k: string]: unknown
}
[k: string]: unknown
}
[k: string]: unknown
}
"job.cancelled": {
event: "job.cancelled"
timestamp: string
/**
 * The same when the event is told again
 */
id: string
/**
 * Number of the event within its job, from 1; always 1 of a file that arrives
 */
sequence: number
apiVersion: "v1"
job: {
id: string
status: "cancelled"
tag: (string | null)
cancelledBy: ("user" | "system")
cancelledAt: string
[k: string]: unknown
}
[k: string]: unknown
}
"job.expired": {
event: "job.expired"
timestamp: string
/**
 * The same when the event is told again
 */
id: string
/**
 * Number of the event within its job, from 1; always 1 of a file that arrives
 */
sequence: number
apiVersion: "v1"
job: {
id: string
status: "expired"
expiredAt: string
reason: ("retention" | "upload_timeout")
[k: string]: unknown
}
[k: string]: unknown
}
"file.uploaded": {
event: "file.uploaded"
timestamp: string
/**
 * The same when the event is told again
 */
id: string
/**
 * Number of the event within its job, from 1; always 1 of a file that arrives
 */
sequence: number
apiVersion: "v1"
file: {
/**
 * Of what did not come straight into a task
 */
uploadId?: string
/**
 * Of the job that it came for
 */
jobId?: string
filename: string
/**
 * Bytes
 */
size: number
mimeType: string
/**
 * As its content says; null of what nobody here knows
 */
format: (string | null)
/**
 * Lower-case hex, where the service saw every byte
 */
sha256?: string
/**
 * `form`: with the request; `presigned` and `multipart`: straight into the storage, whole or in parts; `url` and `store`: fetched from an address, or from a store of yours
 */
via: ("form" | "presigned" | "multipart" | "url" | "store")
[k: string]: unknown
}
[k: string]: unknown
}
"file.downloaded": {
event: "file.downloaded"
timestamp: string
/**
 * The same when the event is told again
 */
id: string
/**
 * Number of the event within its job, from 1; always 1 of a file that arrives
 */
sequence: number
apiVersion: "v1"
file: {
jobId: string
filename: string
/**
 * Bytes
 */
size: number
/**
 * By a signed address
 */
signed: boolean
/**
 * Network of the client, as `203.0.113.0/24`
 */
ip: (string | null)
[k: string]: unknown
}
[k: string]: unknown
}
"file.deleted": {
event: "file.deleted"
timestamp: string
/**
 * The same when the event is told again
 */
id: string
/**
 * Number of the event within its job, from 1; always 1 of a file that arrives
 */
sequence: number
apiVersion: "v1"
file: {
jobId: string
filename: string
role: ("source" | "output")
reason: ("retention" | "request")
[k: string]: unknown
}
[k: string]: unknown
}
"subscription.created": {
event: "subscription.created"
timestamp: string
/**
 * The same when the event is told again
 */
id: string
/**
 * Number of the event within its job, from 1; always 1 of a file that arrives
 */
sequence: number
apiVersion: "v1"
subscription: {
id: string
plan: string
previousPlan?: string
status: ("active" | "cancelled")
interval: (("month" | "year") | null)
currentPeriodStart: string
currentPeriodEnd: (string | null)
cancelAt?: string
[k: string]: unknown
}
[k: string]: unknown
}
"subscription.updated": {
event: "subscription.updated"
timestamp: string
/**
 * The same when the event is told again
 */
id: string
/**
 * Number of the event within its job, from 1; always 1 of a file that arrives
 */
sequence: number
apiVersion: "v1"
subscription: {
id: string
plan: string
previousPlan?: string
status: ("active" | "cancelled")
interval: (("month" | "year") | null)
currentPeriodStart: string
currentPeriodEnd: (string | null)
cancelAt?: string
[k: string]: unknown
}
[k: string]: unknown
}
"subscription.cancelled": {
event: "subscription.cancelled"
timestamp: string
/**
 * The same when the event is told again
 */
id: string
/**
 * Number of the event within its job, from 1; always 1 of a file that arrives
 */
sequence: number
apiVersion: "v1"
subscription: {
id: string
plan: string
previousPlan?: string
status: ("active" | "cancelled")
interval: (("month" | "year") | null)
currentPeriodStart: string
currentPeriodEnd: (string | null)
cancelAt?: string
[k: string]: unknown
}
[k: string]: unknown
}
"quota.warning": {
event: "quota.warning"
timestamp: string
/**
 * The same when the event is told again
 */
id: string
/**
 * Number of the event within its job, from 1; always 1 of a file that arrives
 */
sequence: number
apiVersion: "v1"
quota: {
/**
 * As `requests-per-day`
 */
name: string
limit: number
used: number
remaining: number
percent: number
/**
 * Percent from which it is told, once in each window
 */
threshold: number
resetsAt: string
[k: string]: unknown
}
[k: string]: unknown
}
"quota.exceeded": {
event: "quota.exceeded"
timestamp: string
/**
 * The same when the event is told again
 */
id: string
/**
 * Number of the event within its job, from 1; always 1 of a file that arrives
 */
sequence: number
apiVersion: "v1"
quota: {
/**
 * As `requests-per-day`
 */
name: string
limit: number
used: number
remaining: number
percent: number
/**
 * Percent from which it is told, once in each window
 */
threshold: number
resetsAt: string
[k: string]: unknown
}
[k: string]: unknown
}
}
}
/**
 * Take a file that is uploaded, or wait for one
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskImportUpload".
 */
export interface TaskImportUpload {
/**
 * An upload made with POST /v1/uploads/presign. When left out, the task shows where to send it
 */
upload_id?: string
/**
 * Name of the file, when it is another
 */
filename?: string
/**
 * Where a browser goes after the form was sent
 */
redirect?: string
/**
 * Hex; the storage refuses other bytes
 */
sha256?: string
/**
 * Bytes; larger files are refused
 */
max_file_size?: number
operation: "import/upload"
}
/**
 * Take a file from the request, in base64
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskImportBase64".
 */
export interface TaskImportBase64 {
/**
 * The bytes in base64, at most 10 MiB when decoded
 */
file: string
/**
 * Name with its extension, as `report.docx`
 */
filename: string
operation: "import/base64"
}
/**
 * Take a text from the request as a file
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskImportRaw".
 */
export interface TaskImportRaw {
/**
 * The text, stored in UTF-8; at most 10 MiB
 */
file: string
/**
 * Name with its extension, as `report.docx`
 */
filename: string
operation: "import/raw"
}
/**
 * Fetch a file from a URL
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskImportUrl".
 */
export interface TaskImportUrl {
/**
 * Address of the file; it has to be reachable from the internet
 */
url: string
/**
 * Name of the file, when it is another
 */
filename?: string
/**
 * Headers to send along, such as `Authorization`; they go to the host of the URL only
 */
headers?: {
[k: string]: string
}
/**
 * Hex; other bytes are refused
 */
sha256?: string
/**
 * Bytes; larger files are refused
 */
max_size?: number
operation: "import/url"
}
/**
 * Fetch files from an S3 bucket
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskImportS3".
 */
export interface TaskImportS3 {
/**
 * Name of the bucket
 */
bucket: string
/**
 * Region of the bucket, as `eu-central-1`
 */
region: string
/**
 * Address of a storage that is not AWS but speaks its protocol
 */
endpoint?: string
/**
 * Access key
 */
access_key_id: string
/**
 * Its secret
 */
secret_access_key: string
/**
 * Of temporary credentials
 */
session_token?: string
/**
 * The bucket stands in the path of the address; true when left out beside an endpoint
 */
path_style?: boolean
/**
 * The file
 */
key?: string
/**
 * What the names of the files begin with, instead of `key`
 */
key_prefix?: string
operation: "import/s3"
}
/**
 * Fetch files from an Azure blob container
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskImportBlobstore".
 */
export interface TaskImportBlobstore {
/**
 * Name of the storage account
 */
storage_account: string
/**
 * Name of the container
 */
container: string
/**
 * Shared access signature
 */
sas_token?: string
/**
 * Key of the account, instead
 */
storage_access_key?: string
/**
 * Address of a storage that is not Azure but speaks its protocol
 */
endpoint?: string
/**
 * The file
 */
blob?: string
/**
 * What the names of the files begin with, instead of `blob`
 */
blob_prefix?: string
operation: "import/blobstore"
}
/**
 * Fetch files from a bucket of Google Cloud Storage
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskImportGcs".
 */
export interface TaskImportGcs {
/**
 * Name of the bucket
 */
bucket: string
/**
 * Its project; the bucket is found without it
 */
project_id?: string
/**
 * The key file of a service account
 */
credentials: {
type?: "service_account"
project_id?: string
/**
 * Name of the service account
 */
client_email: string
/**
 * Its key, PEM
 */
private_key: string
[k: string]: unknown
}
/**
 * The file
 */
key?: string
/**
 * What the names of the files begin with, instead of `key`
 */
key_prefix?: string
operation: "import/gcs"
}
/**
 * Fetch files from an SFTP server
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskImportSftp".
 */
export interface TaskImportSftp {
/**
 * Name or address of the server
 */
host: string
/**
 * Its port
 */
port?: number
/**
 * User there
 */
username: string
/**
 * Password of the user
 */
password?: string
/**
 * Private key of the user, instead: OpenSSH, PEM or PuTTY
 */
private_key?: string
/**
 * What the private key is locked with
 */
passphrase?: string
/**
 * Fingerprint of the key of the server, as `SHA256:…`: another key is refused. Without it any is taken
 */
host_key_fingerprint?: string
/**
 * The file
 */
file?: string
/**
 * Folder of the files, instead of `file`
 */
path?: string
operation: "import/sftp"
}
/**
 * Make a PDF or a picture of a website
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskCaptureWebsite".
 */
export interface TaskCaptureWebsite {
/**
 * Address of the website; it has to be reachable from the internet
 */
url: string
/**
 * Format of the result
 */
output_format?: ("pdf" | "png" | "jpg" | "webp" | "jpeg")
/**
 * Name of the result; made from the address when left out
 */
filename?: string
/**
 * Headers to send along, such as `Authorization`; they go to the host of the URL only
 */
headers?: {
[k: string]: string
}
/**
 * Cookies by name; they go to the host of the URL only
 */
cookies?: {
[k: string]: string
}
/**
 * The page is ready when all of it is loaded, when its text is read, or when nothing (at most two things) has been loading for half a second
 */
wait_until?: ("load" | "domcontentloaded" | "networkidle0" | "networkidle2")
/**
 * CSS selector of an element that has to be there besides
 */
wait_for_element?: string
/**
 * Milliseconds to wait after all that
 */
wait_time?: number
/**
 * Seconds until the page has to be ready
 */
timeout?: number
/**
 * Width of the window in pixels; 1280 when left out
 */
width?: number
/**
 * Height of the window in pixels; 1024 when left out
 */
height?: number
/**
 * Show the whole page, not only what fits into the window; true when left out
 */
full_page?: boolean
/**
 * Size of the content on paper, 0.1 to 2; of a picture its pixels per pixel of the page, 0.5 to 4
 */
scale?: number
/**
 * 1 to 100, or low, medium, high, highest. Higher is better and larger.
 */
quality?: (number | ("low" | "medium" | "high" | "highest"))
/**
 * A3, A4, A5, Letter, Legal, or width and height as `210x297mm` (mm, cm, in, pt)
 */
page_size?: string
/**
 * Lay every page across (true) or upright (false); the document's own way when left out
 */
landscape?: boolean
/**
 * Space at the top of every page, as 20mm, 2cm, 1in or 72pt
 */
margin_top?: string
/**
 * Space at the right of every page, as 20mm, 2cm, 1in or 72pt
 */
margin_right?: string
/**
 * Space at the bottom of every page, as 20mm, 2cm, 1in or 72pt
 */
margin_bottom?: string
/**
 * Space at the left of every page, as 20mm, 2cm, 1in or 72pt
 */
margin_left?: string
/**
 * Text at the head of every page, in the place of the document's own; {page}, {pages} and {date} are filled in
 */
header_text?: string
/**
 * Text at the foot of every page, in the place of the document's own; {page}, {pages} and {date} are filled in
 */
footer_text?: string
/**
 * Print the colors and pictures behind the text too; true when left out
 */
print_background?: boolean
operation: "capture-website"
}
/**
 * Convert each file to another format
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskConvert".
 */
export interface TaskConvert {
/**
 * Target format id; see GET /v1/formats
 */
output_format?: string
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Name of what comes out; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
filename?: string
/**
 * Options; they may also stand beside it
 */
options?: {
[k: string]: unknown
}
operation: "convert"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
/**
 * When this task fails, what takes its files goes on without them
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Make a file smaller without changing its format
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskCompress".
 */
export interface TaskCompress {
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Name of what comes out; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
filename?: string
/**
 * Options; they may also stand beside it
 */
options?: {
[k: string]: unknown
}
/**
 * screen, ebook, printer and prepress for PDFs; web or max for anything
 */
profile?: ("screen" | "ebook" | "printer" | "prepress" | "web" | "max")
operation: "compress"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
/**
 * When this task fails, what takes its files goes on without them
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Join files into one, in the order of `input`
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskMerge".
 */
export interface TaskMerge {
/**
 * Target format id; see GET /v1/formats
 */
output_format?: string
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Name of what comes out; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
filename?: string
/**
 * Options; they may also stand beside it
 */
options?: {
[k: string]: unknown
}
/**
 * What the files are; by the first when left out
 */
merge_type?: ("pdf" | "video" | "audio" | "image")
operation: "merge"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
/**
 * When this task fails, what takes its files goes on without them
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Small pictures of a picture, film or PDF
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskThumbnail".
 */
export interface TaskThumbnail {
/**
 * Target format id; see GET /v1/formats
 */
output_format?: string
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Name of what comes out; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
filename?: string
/**
 * Options; they may also stand beside it
 */
options?: {
[k: string]: unknown
}
operation: "thumbnail"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
/**
 * When this task fails, what takes its files goes on without them
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Text, or the picture of the second input, over a picture, film or PDF
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskWatermark".
 */
export interface TaskWatermark {
/**
 * Target format id; see GET /v1/formats
 */
output_format?: string
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Name of what comes out; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
filename?: string
/**
 * Options; they may also stand beside it
 */
options?: {
[k: string]: unknown
}
operation: "watermark"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
/**
 * When this task fails, what takes its files goes on without them
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * What a file says of itself, as JSON
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskMetadata".
 */
export interface TaskMetadata {
/**
 * Target format id; see GET /v1/formats
 */
output_format?: string
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Name of what comes out; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
filename?: string
/**
 * Options; they may also stand beside it
 */
options?: {
[k: string]: unknown
}
operation: "metadata"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
/**
 * When this task fails, what takes its files goes on without them
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Change what a file says of itself
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskMetadataWrite".
 */
export interface TaskMetadataWrite {
/**
 * Target format id; see GET /v1/formats
 */
output_format?: string
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Name of what comes out; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
filename?: string
/**
 * Options; they may also stand beside it
 */
options?: {
[k: string]: unknown
}
operation: "metadata/write"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
/**
 * When this task fails, what takes its files goes on without them
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Pack files into an archive
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskArchive".
 */
export interface TaskArchive {
/**
 * Target format id; see GET /v1/formats
 */
output_format?: string
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Name of what comes out; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
filename?: string
/**
 * Options; they may also stand beside it
 */
options?: {
[k: string]: unknown
}
operation: "archive"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
/**
 * When this task fails, what takes its files goes on without them
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Take the files out of an archive
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskExtract".
 */
export interface TaskExtract {
/**
 * Target format id; see GET /v1/formats
 */
output_format?: string
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Name of what comes out; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
filename?: string
/**
 * Options; they may also stand beside it
 */
options?: {
[k: string]: unknown
}
operation: "extract"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
/**
 * When this task fails, what takes its files goes on without them
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * The tool ocr-pdf on a PDF
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskOcrPdf".
 */
export interface TaskOcrPdf {
/**
 * Target format id; see GET /v1/formats
 */
output_format?: string
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Name of what comes out; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
filename?: string
/**
 * Options; they may also stand beside it
 */
options?: {
[k: string]: unknown
}
operation: "ocr-pdf"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
/**
 * When this task fails, what takes its files goes on without them
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * The tool split-pdf on a PDF
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskSplitPdf".
 */
export interface TaskSplitPdf {
/**
 * Target format id; see GET /v1/formats
 */
output_format?: string
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Name of what comes out; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
filename?: string
/**
 * Options; they may also stand beside it
 */
options?: {
[k: string]: unknown
}
operation: "split-pdf"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
/**
 * When this task fails, what takes its files goes on without them
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * The tool encrypt-pdf on a PDF
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskEncryptPdf".
 */
export interface TaskEncryptPdf {
/**
 * Target format id; see GET /v1/formats
 */
output_format?: string
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Name of what comes out; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
filename?: string
/**
 * Options; they may also stand beside it
 */
options?: {
[k: string]: unknown
}
operation: "encrypt-pdf"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
/**
 * When this task fails, what takes its files goes on without them
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * The tool decrypt-pdf on a PDF
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskDecryptPdf".
 */
export interface TaskDecryptPdf {
/**
 * Target format id; see GET /v1/formats
 */
output_format?: string
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Name of what comes out; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
filename?: string
/**
 * Options; they may also stand beside it
 */
options?: {
[k: string]: unknown
}
operation: "decrypt-pdf"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
/**
 * When this task fails, what takes its files goes on without them
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * The tool rotate-pdf on a PDF
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskRotatePdf".
 */
export interface TaskRotatePdf {
/**
 * Target format id; see GET /v1/formats
 */
output_format?: string
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Name of what comes out; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
filename?: string
/**
 * Options; they may also stand beside it
 */
options?: {
[k: string]: unknown
}
operation: "rotate-pdf"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
/**
 * When this task fails, what takes its files goes on without them
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * The tool compress-pdf on a PDF
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskCompressPdf".
 */
export interface TaskCompressPdf {
/**
 * Target format id; see GET /v1/formats
 */
output_format?: string
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Name of what comes out; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
filename?: string
/**
 * Options; they may also stand beside it
 */
options?: {
[k: string]: unknown
}
operation: "compress-pdf"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
/**
 * When this task fails, what takes its files goes on without them
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * The tool to-pdfa on a PDF
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskToPdfa".
 */
export interface TaskToPdfa {
/**
 * Target format id; see GET /v1/formats
 */
output_format?: string
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Name of what comes out; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
filename?: string
/**
 * Options; they may also stand beside it
 */
options?: {
[k: string]: unknown
}
operation: "to-pdfa"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
/**
 * When this task fails, what takes its files goes on without them
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * The tool extract-pdf-pages on a PDF
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskExtractPdfPages".
 */
export interface TaskExtractPdfPages {
/**
 * Target format id; see GET /v1/formats
 */
output_format?: string
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Name of what comes out; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
filename?: string
/**
 * Options; they may also stand beside it
 */
options?: {
[k: string]: unknown
}
operation: "extract-pdf-pages"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
/**
 * When this task fails, what takes its files goes on without them
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * The tool remove-pdf-pages on a PDF
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskRemovePdfPages".
 */
export interface TaskRemovePdfPages {
/**
 * Target format id; see GET /v1/formats
 */
output_format?: string
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Name of what comes out; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
filename?: string
/**
 * Options; they may also stand beside it
 */
options?: {
[k: string]: unknown
}
operation: "remove-pdf-pages"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
/**
 * When this task fails, what takes its files goes on without them
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * The tool extract-pdf-images on a PDF
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskExtractPdfImages".
 */
export interface TaskExtractPdfImages {
/**
 * Target format id; see GET /v1/formats
 */
output_format?: string
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Name of what comes out; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
filename?: string
/**
 * Options; they may also stand beside it
 */
options?: {
[k: string]: unknown
}
operation: "extract-pdf-images"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
/**
 * When this task fails, what takes its files goes on without them
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * The tool add-watermark-pdf on a PDF
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskAddWatermarkPdf".
 */
export interface TaskAddWatermarkPdf {
/**
 * Target format id; see GET /v1/formats
 */
output_format?: string
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Name of what comes out; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
filename?: string
/**
 * Options; they may also stand beside it
 */
options?: {
[k: string]: unknown
}
operation: "add-watermark-pdf"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
/**
 * When this task fails, what takes its files goes on without them
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * The tool merge-pdf on a PDF
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskMergePdf".
 */
export interface TaskMergePdf {
/**
 * Target format id; see GET /v1/formats
 */
output_format?: string
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Name of what comes out; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
filename?: string
/**
 * Options; they may also stand beside it
 */
options?: {
[k: string]: unknown
}
operation: "merge-pdf"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
/**
 * When this task fails, what takes its files goes on without them
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * The tool flatten-pdf on a PDF
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskFlattenPdf".
 */
export interface TaskFlattenPdf {
/**
 * Target format id; see GET /v1/formats
 */
output_format?: string
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Name of what comes out; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
filename?: string
/**
 * Options; they may also stand beside it
 */
options?: {
[k: string]: unknown
}
operation: "flatten-pdf"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
/**
 * When this task fails, what takes its files goes on without them
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * The tool repair-pdf on a PDF
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskRepairPdf".
 */
export interface TaskRepairPdf {
/**
 * Target format id; see GET /v1/formats
 */
output_format?: string
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Name of what comes out; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
filename?: string
/**
 * Options; they may also stand beside it
 */
options?: {
[k: string]: unknown
}
operation: "repair-pdf"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
/**
 * When this task fails, what takes its files goes on without them
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * The tool reorder-pdf-pages on a PDF
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskReorderPdfPages".
 */
export interface TaskReorderPdfPages {
/**
 * Target format id; see GET /v1/formats
 */
output_format?: string
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Name of what comes out; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
filename?: string
/**
 * Options; they may also stand beside it
 */
options?: {
[k: string]: unknown
}
operation: "reorder-pdf-pages"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
/**
 * When this task fails, what takes its files goes on without them
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * The tool add-page-numbers-pdf on a PDF
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskAddPageNumbersPdf".
 */
export interface TaskAddPageNumbersPdf {
/**
 * Target format id; see GET /v1/formats
 */
output_format?: string
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Name of what comes out; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
filename?: string
/**
 * Options; they may also stand beside it
 */
options?: {
[k: string]: unknown
}
operation: "add-page-numbers-pdf"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
/**
 * When this task fails, what takes its files goes on without them
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * The tool edit-pdf-metadata on a PDF
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskEditPdfMetadata".
 */
export interface TaskEditPdfMetadata {
/**
 * Target format id; see GET /v1/formats
 */
output_format?: string
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Name of what comes out; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
filename?: string
/**
 * Options; they may also stand beside it
 */
options?: {
[k: string]: unknown
}
operation: "edit-pdf-metadata"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
/**
 * When this task fails, what takes its files goes on without them
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * The tool linearize-pdf on a PDF
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskLinearizePdf".
 */
export interface TaskLinearizePdf {
/**
 * Target format id; see GET /v1/formats
 */
output_format?: string
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Name of what comes out; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
filename?: string
/**
 * Options; they may also stand beside it
 */
options?: {
[k: string]: unknown
}
operation: "linearize-pdf"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
/**
 * When this task fails, what takes its files goes on without them
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * The tool crop-pdf on a PDF
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskCropPdf".
 */
export interface TaskCropPdf {
/**
 * Target format id; see GET /v1/formats
 */
output_format?: string
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Name of what comes out; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
filename?: string
/**
 * Options; they may also stand beside it
 */
options?: {
[k: string]: unknown
}
operation: "crop-pdf"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
/**
 * When this task fails, what takes its files goes on without them
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * The tool redact-pdf on a PDF
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskRedactPdf".
 */
export interface TaskRedactPdf {
/**
 * Target format id; see GET /v1/formats
 */
output_format?: string
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Name of what comes out; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
filename?: string
/**
 * Options; they may also stand beside it
 */
options?: {
[k: string]: unknown
}
operation: "redact-pdf"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
/**
 * When this task fails, what takes its files goes on without them
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * The tool sanitize-pdf on a PDF
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskSanitizePdf".
 */
export interface TaskSanitizePdf {
/**
 * Target format id; see GET /v1/formats
 */
output_format?: string
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Name of what comes out; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
filename?: string
/**
 * Options; they may also stand beside it
 */
options?: {
[k: string]: unknown
}
operation: "sanitize-pdf"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
/**
 * When this task fails, what takes its files goes on without them
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * The tool grayscale-pdf on a PDF
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskGrayscalePdf".
 */
export interface TaskGrayscalePdf {
/**
 * Target format id; see GET /v1/formats
 */
output_format?: string
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Name of what comes out; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
filename?: string
/**
 * Options; they may also stand beside it
 */
options?: {
[k: string]: unknown
}
operation: "grayscale-pdf"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
/**
 * When this task fails, what takes its files goes on without them
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * The tool remove-blank-pages-pdf on a PDF
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskRemoveBlankPagesPdf".
 */
export interface TaskRemoveBlankPagesPdf {
/**
 * Target format id; see GET /v1/formats
 */
output_format?: string
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Name of what comes out; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
filename?: string
/**
 * Options; they may also stand beside it
 */
options?: {
[k: string]: unknown
}
operation: "remove-blank-pages-pdf"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
/**
 * When this task fails, what takes its files goes on without them
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * The tool pdf-info on a PDF
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskPdfInfo".
 */
export interface TaskPdfInfo {
/**
 * Target format id; see GET /v1/formats
 */
output_format?: string
/**
 * Pins one engine; automatic when left out
 */
engine?: string
/**
 * Name of what comes out; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
filename?: string
/**
 * Options; they may also stand beside it
 */
options?: {
[k: string]: unknown
}
operation: "pdf-info"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
/**
 * When this task fails, what takes its files goes on without them
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Give out links to the files
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskExportUrl".
 */
export interface TaskExportUrl {
/**
 * Links show files in the browser instead of saving them, where they cannot run scripts
 */
inline?: boolean
/**
 * Name of the files; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
filename?: string
operation: "export/url"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
}
/**
 * Store the files in an S3 bucket
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskExportS3".
 */
export interface TaskExportS3 {
/**
 * Name of the bucket
 */
bucket: string
/**
 * Region of the bucket, as `eu-central-1`
 */
region: string
/**
 * Address of a storage that is not AWS but speaks its protocol
 */
endpoint?: string
/**
 * Access key
 */
access_key_id: string
/**
 * Its secret
 */
secret_access_key: string
/**
 * Of temporary credentials
 */
session_token?: string
/**
 * The bucket stands in the path of the address; true when left out beside an endpoint
 */
path_style?: boolean
/**
 * Where the file goes; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
key?: string
/**
 * What the names of the files begin with, instead of `key`
 */
key_prefix?: string
/**
 * Who may read it, in the words of S3
 */
acl?: ("private" | "public-read" | "public-read-write" | "authenticated-read" | "bucket-owner-full-control")
/**
 * Header of its downloads
 */
cache_control?: string
/**
 * Header of its downloads
 */
content_disposition?: string
/**
 * Names and values that are stored with it
 */
metadata?: {
[k: string]: string
}
/**
 * How S3 encrypts it
 */
server_side_encryption?: ("AES256" | "aws:kms")
/**
 * Tags of the object
 */
tagging?: {
[k: string]: string
}
operation: "export/s3"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
}
/**
 * Store the files in an Azure blob container
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskExportBlobstore".
 */
export interface TaskExportBlobstore {
/**
 * Name of the storage account
 */
storage_account: string
/**
 * Name of the container
 */
container: string
/**
 * Shared access signature
 */
sas_token?: string
/**
 * Key of the account, instead
 */
storage_access_key?: string
/**
 * Address of a storage that is not Azure but speaks its protocol
 */
endpoint?: string
/**
 * Where the file goes; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
blob?: string
/**
 * What the names of the files begin with, instead of `blob`
 */
blob_prefix?: string
/**
 * Header of its downloads
 */
cache_control?: string
/**
 * Header of its downloads
 */
content_disposition?: string
/**
 * Names and values that are stored with it
 */
metadata?: {
[k: string]: string
}
operation: "export/blobstore"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
}
/**
 * Store the files in a bucket of Google Cloud Storage
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskExportGcs".
 */
export interface TaskExportGcs {
/**
 * Name of the bucket
 */
bucket: string
/**
 * Its project; the bucket is found without it
 */
project_id?: string
/**
 * The key file of a service account
 */
credentials: {
type?: "service_account"
project_id?: string
/**
 * Name of the service account
 */
client_email: string
/**
 * Its key, PEM
 */
private_key: string
[k: string]: unknown
}
/**
 * Where the file goes; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
key?: string
/**
 * What the names of the files begin with, instead of `key`
 */
key_prefix?: string
/**
 * Who may read it, in the words of the storage
 */
acl?: ("authenticatedRead" | "bucketOwnerFullControl" | "bucketOwnerRead" | "private" | "projectPrivate" | "publicRead")
/**
 * Header of its downloads
 */
cache_control?: string
/**
 * Header of its downloads
 */
content_disposition?: string
/**
 * Names and values that are stored with it
 */
metadata?: {
[k: string]: string
}
operation: "export/gcs"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
}
/**
 * Store the files in an SFTP server
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskExportSftp".
 */
export interface TaskExportSftp {
/**
 * Name or address of the server
 */
host: string
/**
 * Its port
 */
port?: number
/**
 * User there
 */
username: string
/**
 * Password of the user
 */
password?: string
/**
 * Private key of the user, instead: OpenSSH, PEM or PuTTY
 */
private_key?: string
/**
 * What the private key is locked with
 */
passphrase?: string
/**
 * Fingerprint of the key of the server, as `SHA256:…`: another key is refused. Without it any is taken
 */
host_key_fingerprint?: string
/**
 * Where the file goes; `{name} {ext} {jobId} {index} {date}` stand for what they say
 */
file?: string
/**
 * Folder of the files, instead of `file`
 */
path?: string
operation: "export/sftp"
/**
 * Name, or names, of the tasks whose files it takes
 */
input: (string | string[])
}
/**
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "WholeJob".
 */
export interface WholeJob {
jobId: string
id: string
status: ("pending" | "queued" | "processing" | "completed" | "failed" | "cancelled" | "expired")
tag: (string | null)
/**
 * The first file; null while it is awaited
 */
source: ({
filename: string
format: string
size: number
} | null)
target: ({
format: string
} | null)
progress: {
/**
 * Never falls
 */
percent: number
stage: string
taskName: (string | null)
/**
 * Estimated from the progress so far
 */
etaMs: (number | null)
}
createdAt: string
startedAt: (string | null)
endedAt: (string | null)
expiresAt: string
result: ({
downloadUrl: string
filename: string
format: string
/**
 * Bytes
 */
size: number
mimeType: string
sha256: string
/**
 * Engine that made the result
 */
engine?: string
engineVersion?: string
/**
 * `stream-copy` when the streams were taken over as they are, `encode` otherwise
 */
method?: string
details?: {
[k: string]: unknown
}
/**
 * What the result kept of the source, counted by others than the engine; left out where nobody can tell
 */
fidelity?: {
/**
 * Words; in scripts without spaces, letters
 */
words?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Pages
 */
pages?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Slides
 */
slides?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Sheets of a workbook
 */
sheets?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Cells that hold something
 */
cells?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Subtitles
 */
cues?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Pictures of a film or an animation
 */
frames?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * How long it plays
 */
seconds?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Samples of each channel of sound
 */
samples?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Channels of sound
 */
channels?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Letters and signs of a font
 */
glyphs?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Files of an archive
 */
entries?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * What the target cannot hold, as `animation`
 */
dropped: string[]
/**
 * Formats on the way of which nobody here can count what this file holds: a loss would not show
 */
uncounted?: string[]
}
files: {
filename: string
format: string
/**
 * Bytes
 */
size: number
mimeType: string
sha256: string
downloadUrl: string
}[]
} | null)
warnings: {
code: string
message: string
field?: string
}[]
error: ({
code: ("INVALID_API_KEY" | "AUTHENTICATION_REQUIRED" | "INSUFFICIENT_PERMISSIONS" | "RATE_LIMITED" | "INVALID_INPUT" | "INVALID_REQUEST" | "FILE_TOO_LARGE" | "UNSUPPORTED_FORMAT" | "UNSUPPORTED_CONVERSION" | "FORMAT_NOT_FOUND" | "JOB_NOT_FOUND" | "TASK_NOT_FOUND" | "CONVERSION_FAILED" | "CORRUPT_FILE" | "TIMEOUT" | "INSUFFICIENT_DISK_SPACE" | "STORAGE_NOT_CONFIGURED" | "NO_FILES" | "FILE_GONE" | "EXPIRED" | "PDF_ENCRYPTED" | "DRIVE_NOT_CONFIGURED" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "NOT_ACCEPTABLE" | "CONFLICT" | "UNSUPPORTED_MEDIA_TYPE" | "HEADERS_TOO_LARGE" | "IDEMPOTENCY_KEY_REUSED" | "IDEMPOTENCY_IN_PROGRESS" | "UPLOAD_NOT_FOUND" | "UPLOAD_INCOMPLETE" | "WEBHOOK_NOT_FOUND" | "WORKFLOW_NOT_FOUND" | "API_KEY_NOT_FOUND" | "URL_NOT_ALLOWED" | "DRIVE_NOT_CONNECTED" | "INVALID_SIGNATURE" | "SERVICE_UNAVAILABLE" | "FILE_ENCRYPTED" | "IMPORT_FAILED" | "EXPORT_FAILED" | "INTERNAL_ERROR")
message: string
details?: {
[k: string]: unknown
}
} | null)
/**
 * Of a batch that is over
 */
summary: ({
total: number
completed: number
failed: number
} | null)
/**
 * The job that this one does again
 */
retryOf: (string | null)
links: {
status: string
job: string
download: string
}
tasks: {
[k: string]: {
operation: string
input: string[]
status: ("pending" | "processing" | "completed" | "failed" | "cancelled")
percent: number
attempt: number
engine: (string | null)
engineVersion: (string | null)
createdAt: string
startedAt: (string | null)
endedAt: (string | null)
code: (string | null)
message: (string | null)
warnings: {
code: string
message: string
field?: string
}[]
details: ({
[k: string]: unknown
} | null)
/**
 * What it kept of what went in; null where nobody can tell
 */
fidelity: ({
/**
 * Words; in scripts without spaces, letters
 */
words?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Pages
 */
pages?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Slides
 */
slides?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Sheets of a workbook
 */
sheets?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Cells that hold something
 */
cells?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Subtitles
 */
cues?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Pictures of a film or an animation
 */
frames?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * How long it plays
 */
seconds?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Samples of each channel of sound
 */
samples?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Channels of sound
 */
channels?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Letters and signs of a font
 */
glyphs?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Files of an archive
 */
entries?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * What the target cannot hold, as `animation`
 */
dropped: string[]
/**
 * Formats on the way of which nobody here can count what this file holds: a loss would not show
 */
uncounted?: string[]
} | null)
/**
 * Of an export: links to its files, or where they are now. Of a task that makes files: links to them, once the job is completed. Of an upload that is awaited: where to send it
 */
result: (({
/**
 * Null where the task gave no file
 */
url: (string | null)
/**
 * Of links; what is taken elsewhere stays there
 */
expires_at?: string
files: {
filename: string
size: number
url: string
mime_type: string
sha256: string
}[]
} | {
form: {
url: string
parameters: {
[k: string]: string
}
}
put: {
url: string
headers: {
[k: string]: string
}
}
expires_at: string
}) | null)
}
}
}
/**
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "Job".
 */
export interface Job {
jobId: string
id: string
status: ("pending" | "queued" | "processing" | "completed" | "failed" | "cancelled" | "expired")
tag: (string | null)
/**
 * The first file; null while it is awaited
 */
source: ({
filename: string
format: string
size: number
} | null)
target: ({
format: string
} | null)
progress: {
/**
 * Never falls
 */
percent: number
stage: string
taskName: (string | null)
/**
 * Estimated from the progress so far
 */
etaMs: (number | null)
}
createdAt: string
startedAt: (string | null)
endedAt: (string | null)
expiresAt: string
result: ({
downloadUrl: string
filename: string
format: string
/**
 * Bytes
 */
size: number
mimeType: string
sha256: string
/**
 * Engine that made the result
 */
engine?: string
engineVersion?: string
/**
 * `stream-copy` when the streams were taken over as they are, `encode` otherwise
 */
method?: string
details?: {
[k: string]: unknown
}
/**
 * What the result kept of the source, counted by others than the engine; left out where nobody can tell
 */
fidelity?: {
/**
 * Words; in scripts without spaces, letters
 */
words?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Pages
 */
pages?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Slides
 */
slides?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Sheets of a workbook
 */
sheets?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Cells that hold something
 */
cells?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Subtitles
 */
cues?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Pictures of a film or an animation
 */
frames?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * How long it plays
 */
seconds?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Samples of each channel of sound
 */
samples?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Channels of sound
 */
channels?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Letters and signs of a font
 */
glyphs?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * Files of an archive
 */
entries?: {
/**
 * In what was sent
 */
source: number
/**
 * Of these in the result; of words those that were found again
 */
result: number
/**
 * 1 when all of it was kept
 */
share: number
}
/**
 * What the target cannot hold, as `animation`
 */
dropped: string[]
/**
 * Formats on the way of which nobody here can count what this file holds: a loss would not show
 */
uncounted?: string[]
}
files: {
filename: string
format: string
/**
 * Bytes
 */
size: number
mimeType: string
sha256: string
downloadUrl: string
}[]
} | null)
warnings: {
code: string
message: string
field?: string
}[]
error: ({
code: ("INVALID_API_KEY" | "AUTHENTICATION_REQUIRED" | "INSUFFICIENT_PERMISSIONS" | "RATE_LIMITED" | "INVALID_INPUT" | "INVALID_REQUEST" | "FILE_TOO_LARGE" | "UNSUPPORTED_FORMAT" | "UNSUPPORTED_CONVERSION" | "FORMAT_NOT_FOUND" | "JOB_NOT_FOUND" | "TASK_NOT_FOUND" | "CONVERSION_FAILED" | "CORRUPT_FILE" | "TIMEOUT" | "INSUFFICIENT_DISK_SPACE" | "STORAGE_NOT_CONFIGURED" | "NO_FILES" | "FILE_GONE" | "EXPIRED" | "PDF_ENCRYPTED" | "DRIVE_NOT_CONFIGURED" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "NOT_ACCEPTABLE" | "CONFLICT" | "UNSUPPORTED_MEDIA_TYPE" | "HEADERS_TOO_LARGE" | "IDEMPOTENCY_KEY_REUSED" | "IDEMPOTENCY_IN_PROGRESS" | "UPLOAD_NOT_FOUND" | "UPLOAD_INCOMPLETE" | "WEBHOOK_NOT_FOUND" | "WORKFLOW_NOT_FOUND" | "API_KEY_NOT_FOUND" | "URL_NOT_ALLOWED" | "DRIVE_NOT_CONNECTED" | "INVALID_SIGNATURE" | "SERVICE_UNAVAILABLE" | "FILE_ENCRYPTED" | "IMPORT_FAILED" | "EXPORT_FAILED" | "INTERNAL_ERROR")
message: string
details?: {
[k: string]: unknown
}
} | null)
/**
 * Of a batch that is over
 */
summary: ({
total: number
completed: number
failed: number
} | null)
/**
 * The job that this one does again
 */
retryOf: (string | null)
links: {
status: string
job: string
download: string
}
}
/**
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "Workflow".
 */
export interface Workflow {
id: string
name: string
cron: string
timezone: string
/**
 * Secrets are shown as `***`
 */
tasks: {
[k: string]: {
[k: string]: unknown
}
}
enabled: boolean
overlap: ("skip" | "queue" | "cancel-previous")
tag: (string | null)
webhookUrl: (string | null)
/**
 * Runs in a row that failed
 */
failures: number
/**
 * Why it was switched off, where nobody did so
 */
paused: ({
at: string
reason: string
} | null)
nextRunAt: (string | null)
lastRun: ({
runId: string
workflowId: string
/**
 * The clock, or somebody who asked for it
 */
trigger: ("schedule" | "request")
/**
 * `waiting` for the run before, `skipped` because of it
 */
status: ("waiting" | "running" | "completed" | "failed" | "cancelled" | "skipped")
/**
 * When the clock wanted it, or when it was asked for
 */
dueAt: string
jobId: (string | null)
startedAt: (string | null)
endedAt: (string | null)
error: ({
code: string
message: string
} | null)
} | null)
createdAt: string
updatedAt: string
}
/**
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "Webhook".
 */
export interface Webhook {
id: string
/**
 * A password in it is shown as `***`
 */
url: string
events: string[]
format: ("json" | "chat-blocks" | "chat-embed" | "facade-v2")
description: (string | null)
enabled: boolean
/**
 * Nothing was delivered since the last failure
 */
failing: boolean
failingSince: (string | null)
disabledAt: (string | null)
/**
 * `gone`: it answered 410. `failing`: five days of nothing but failures. Null where you switched it off
 */
disabledReason: (("gone" | "failing") | null)
/**
 * The job whose `webhookUrl` it is
 */
jobId: (string | null)
createdAt: string
updatedAt: string
}
/**
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "Plan".
 */
export interface Plan {
id: ("anonymous" | "free" | "starter" | "pro" | "business" | "self-hosted")
/**
 * Of one key, one session or one address; null for no limit
 */
requestsPerMinute: (number | null)
/**
 * The same; null for no limit
 */
requestsPerHour: (number | null)
/**
 * Requests that make nothing, where they have a limit of their own and count nowhere else
 */
readsPerMinute: (number | null)
/**
 * Requests that make something, of an account; of an address where there is none; null for no limit
 */
requestsPerDay: (number | null)
/**
 * The same; null for no limit
 */
requestsPerMonth: (number | null)
/**
 * Counted, and nothing ends with them; null for no limit
 */
conversionMinutesPerMonth: (number | null)
/**
 * Bytes
 */
maxFileSize: number
/**
 * Items of a batch, imports of a job
 */
filesPerJob: number
/**
 * Jobs at work at a time, beyond which they wait; null for no limit
 */
concurrentJobs: (number | null)
/**
 * After which a finished job and its files are deleted
 */
retentionHours: number
gpu: boolean
}
/**
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "ApiKey".
 */
export interface ApiKey {
id: string
name: string
kind: ("secret" | "public")
/**
 * How it begins
 */
prefix: string
/**
 * How it ends
 */
last4: string
scopes: string[]
status: ("active" | "rotating" | "expired")
/**
 * Of one that was rotated: until then it works
 */
validUntil: (string | null)
expiresAt: (string | null)
allowedIps: (string[] | null)
allowedOrigins: (string[] | null)
createdAt: string
/**
 * To the minute
 */
lastUsedAt: (string | null)
lastUsedIp: (string | null)
}
/**
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "Format".
 */
export interface Format {
id: string
name: string
category: ("video" | "audio" | "image" | "document" | "ebook" | "archive" | "font")
extensions: string[]
mimeTypes: string[]
aliases: string[]
canRead: boolean
canWrite: boolean
lossy: boolean
multiPage: boolean
animated: boolean
/**
 * What a file of this format usually becomes. GET /v1/formats/conversions lists all that works.
 */
targets: string[]
}
/**
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "Meta".
 */
export interface Meta {
requestId: string
timestamp: string
}
/**
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "Error".
 */
export interface Error {
success: false
error: {
code: string
message: string
details?: {
[k: string]: unknown
}
}
meta: Meta
}
/**
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "Problem".
 */
export interface Problem {
/**
 * Leads to a page about the error
 */
type: string
title: string
status: number
detail: string
instance: string
code: string
errors?: {
field: string
error: string
}[]
requestId: string
[k: string]: unknown
}
/**
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "OAuthError".
 */
export interface OAuthError {
/**
 * As `invalid_client`
 */
error: string
error_description: string
}
