// Made by make-types.ts from the contracts of the service. Not edited by hand.

export interface Api {
operations: {
/**
 * Convert a file
 */
"POST /v1/convert": {
query?: {
/**
 * Reply with 303 to the file itself once it is ready, which saves the request to `downloadUrl`
 */
redirect?: ("0" | "1" | "true" | "false")
}
body?: {
/**
 * Id of the target format, such as `pdf`; see GET /v1/formats
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
 * Where to store the result in addition: `s3`, `blobstore`, `gcs` or `sftp`
 */
exportMethod?: string
/**
 * Its path or key there; may contain `{name} {ext} {jobId} {index} {date}`
 */
exportPath?: string
/**
 * Other fields of the `export/…` task, as an object (JSON in a form)
 */
exportConfig?: (string | {
[k: string]: unknown
})
/**
 * Engine to use; chosen automatically if omitted
 */
engine?: string
/**
 * Name of the source file, if it differs from that of the form part
 */
filename?: string
/**
 * Any text that helps you find the job later
 */
tag?: string
/**
 * Public address that is told of all events of the job, as webhooks are; GET /v1/webhooks/secret is the secret that signs
 */
webhookUrl?: string
/**
 * Options as an object (JSON in a form). Options may also be sent as fields of their own. `pdfEngine` may be `auto`
 */
options?: (string | {
[k: string]: unknown
})
/**
 * Upload created with POST /v1/uploads/presign, instead of `file`
 */
uploadId?: string
/**
 * URL to fetch the file from instead of uploading it
 */
fileUrl?: string
/**
 * One of your jobs whose source file to convert again, instead of `file`
 */
sourceJobId?: string
/**
 * With `sourceJobId`: the task of that job whose file to convert, if not the first source
 */
sourceTask?: string
/**
 * A tool instead of a conversion: ocr-pdf, split-pdf, encrypt-pdf, decrypt-pdf, rotate-pdf, compress-pdf, to-pdfa, extract-pdf-pages, remove-pdf-pages, extract-pdf-images, add-watermark-pdf, merge-pdf, flatten-pdf, repair-pdf, reorder-pdf-pages, add-page-numbers-pdf, edit-pdf-metadata, linearize-pdf, crop-pdf, redact-pdf, sanitize-pdf, grayscale-pdf, remove-blank-pages-pdf, pdf-info, compress. For PDF tools, the target format is pdf
 */
toolOperation?: string
/**
 * Create one PDF with a page for each image: `file` first, then each `additionalFile`
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
 * The first file; null until it has arrived
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
 * Never decreases
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
 * Engine that produced the result
 */
engine?: string
engineVersion?: string
/**
 * `stream-copy` when the streams were copied unchanged, `encode` otherwise
 */
method?: string
details?: {
[k: string]: unknown
}
/**
 * How much of the source the result kept, measured independently of the engine; left out when unknown
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
 * Of a batch that has ended
 */
summary: ({
total: number
completed: number
failed: number
} | null)
/**
 * The job that this job retries
 */
retryOf: (string | null)
links: {
status: string
job: string
download: string
}
/**
 * Estimate from the time of the request; `progress.etaMs` of the status is more accurate later. Null once the job has finished
 */
estimate: ({
/**
 * Estimated wait until it starts, from the tasks ahead in the queue
 */
queueMs: number
/**
 * Estimated duration from start to end
 */
runMs: number
/**
 * `recorded`: based on earlier conversions of this kind; `planned`: a rough guess, because there are none
 */
basis: ("recorded" | "planned")
} | null)
}
}
/**
 * Check a conversion before sending the file
 */
"POST /v1/convert/check": {
body: {
/**
 * Format of the file, such as `docx`, or a file extension
 */
from: string
/**
 * Id of the target format, such as `pdf`; see GET /v1/formats
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
 * Where to store the result in addition: `s3`, `blobstore`, `gcs` or `sftp`
 */
exportMethod?: string
/**
 * Its path or key there; may contain `{name} {ext} {jobId} {index} {date}`
 */
exportPath?: string
/**
 * Other fields of the `export/…` task, as an object (JSON in a form)
 */
exportConfig?: (string | {
[k: string]: unknown
})
/**
 * Engine to use; chosen automatically if omitted
 */
engine?: string
/**
 * Options as an object (JSON in a form). Options may also be sent as fields of their own. `pdfEngine` may be `auto`
 */
options?: (string | {
[k: string]: unknown
})
/**
 * A tool instead of a conversion: ocr-pdf, split-pdf, encrypt-pdf, decrypt-pdf, rotate-pdf, compress-pdf, to-pdfa, extract-pdf-pages, remove-pdf-pages, extract-pdf-images, add-watermark-pdf, merge-pdf, flatten-pdf, repair-pdf, reorder-pdf-pages, add-page-numbers-pdf, edit-pdf-metadata, linearize-pdf, crop-pdf, redact-pdf, sanitize-pdf, grayscale-pdf, remove-blank-pages-pdf, pdf-info, compress; or another task operation such as `merge` or `thumbnail`
 */
toolOperation?: string
/**
 * Size of the file in bytes, if known: checked against the limits of the conversion
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
 * Estimated wait until it starts, from the tasks ahead in the queue
 */
queueMs: number
/**
 * Estimated duration from start to end
 */
runMs: number
/**
 * `recorded`: based on earlier conversions of this kind; `planned`: a rough guess, because there are none
 */
basis: ("recorded" | "planned")
}
/**
 * What this conversion is known to lose
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
 * Reply with 303 to the file itself once it is ready, which saves the request to `downloadUrl`
 */
redirect?: ("0" | "1" | "true" | "false")
}
body?: {
/**
 * Id of the target format, such as `pdf`; see GET /v1/formats
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
 * Where to store the result in addition: `s3`, `blobstore`, `gcs` or `sftp`
 */
exportMethod?: string
/**
 * Its path or key there; may contain `{name} {ext} {jobId} {index} {date}`
 */
exportPath?: string
/**
 * Other fields of the `export/…` task, as an object (JSON in a form)
 */
exportConfig?: (string | {
[k: string]: unknown
})
/**
 * Name of the source file, if it differs from that of the form part
 */
filename?: string
/**
 * Any text that helps you find the job later
 */
tag?: string
/**
 * Public address that is told of all events of the job, as webhooks are; GET /v1/webhooks/secret is the secret that signs
 */
webhookUrl?: string
/**
 * Options as an object (JSON in a form). Options may also be sent as fields of their own. `pdfEngine` may be `auto`
 */
options?: (string | {
[k: string]: unknown
})
/**
 * Kind of the files
 */
mergeType?: ("pdf" | "video" | "audio" | "image")
/**
 * URLs of files to fetch; they come after those of `file` and `uploadIds`
 */
fileUrls?: (string[] | string)
/**
 * Uploads instead of `file`, in the order of the result. Each upload can be used once
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
 * The first file; null until it has arrived
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
 * Never decreases
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
 * Engine that produced the result
 */
engine?: string
engineVersion?: string
/**
 * `stream-copy` when the streams were copied unchanged, `encode` otherwise
 */
method?: string
details?: {
[k: string]: unknown
}
/**
 * How much of the source the result kept, measured independently of the engine; left out when unknown
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
 * Of a batch that has ended
 */
summary: ({
total: number
completed: number
failed: number
} | null)
/**
 * The job that this job retries
 */
retryOf: (string | null)
links: {
status: string
job: string
download: string
}
/**
 * Estimate from the time of the request; `progress.etaMs` of the status is more accurate later. Null once the job has finished
 */
estimate: ({
/**
 * Estimated wait until it starts, from the tasks ahead in the queue
 */
queueMs: number
/**
 * Estimated duration from start to end
 */
runMs: number
/**
 * `recorded`: based on earlier conversions of this kind; `planned`: a rough guess, because there are none
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
 * Id of the target format, such as `pdf`; see GET /v1/formats
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
 * Where to store the result in addition: `s3`, `blobstore`, `gcs` or `sftp`
 */
exportMethod?: string
/**
 * Its path or key there; may contain `{name} {ext} {jobId} {index} {date}`
 */
exportPath?: string
/**
 * Other fields of the `export/…` task, as an object (JSON in a form)
 */
exportConfig?: (string | {
[k: string]: unknown
})
/**
 * Engine to use; chosen automatically if omitted
 */
engine?: string
/**
 * Any text that helps you find the job later
 */
tag?: string
/**
 * Public address that is told of all events of the job, as webhooks are; GET /v1/webhooks/secret is the secret that signs
 */
webhookUrl?: string
/**
 * Options as an object (JSON in a form). Options may also be sent as fields of their own. `pdfEngine` may be `auto`
 */
options?: (string | {
[k: string]: unknown
})
/**
 * One object per file, in order (JSON in a form): its target format, options, name or upload
 */
items?: (string | {
/**
 * Upload created with POST /v1/uploads/presign
 */
uploadId?: string
/**
 * URL to fetch the file from instead of uploading it
 */
url?: string
/**
 * Alias of url, named as in other requests
 */
fileUrl?: string
/**
 * Defaults to the targetFormat of the batch
 */
targetFormat?: string
/**
 * Engine to use; chosen automatically if omitted
 */
engine?: string
/**
 * Name of the source file, if it should differ
 */
filename?: string
options?: {
[k: string]: unknown
}
[k: string]: unknown
}[])
/**
 * End the job with the first file that fails
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
 * The first file; null until it has arrived
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
 * Never decreases
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
 * Engine that produced the result
 */
engine?: string
engineVersion?: string
/**
 * `stream-copy` when the streams were copied unchanged, `encode` otherwise
 */
method?: string
details?: {
[k: string]: unknown
}
/**
 * How much of the source the result kept, measured independently of the engine; left out when unknown
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
 * Of a batch that has ended
 */
summary: ({
total: number
completed: number
failed: number
} | null)
/**
 * The job that this job retries
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
 * Any text that helps you find the job later
 */
tag?: string
/**
 * Public address that is told of all events of the job, as webhooks are; GET /v1/webhooks/secret is the secret that signs
 */
webhookUrl?: string
/**
 * End the job with the first task that fails
 */
failFast?: boolean
/**
 * Seconds after the end of the job until its files are deleted, if shorter than the default
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
 * One or more statuses, separated by commas
 */
status?: string
tag?: string
targetFormat?: string
/**
 * Operation of a task of the job
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
 * Get the status of a job
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
 * Name of the task whose file to download
 */
task?: string
/**
 * Show the file in the browser instead of saving it: images, audio, video, plain text and JSON. Types that can run scripts, such as HTML, SVG and PDF, are always saved. May be added to a signed URL
 */
inline?: ("0" | "1" | "true" | "false")
/**
 * Signed URL: expiry in seconds since 1970
 */
exp?: string
/**
 * Signed URL: id of the signing key
 */
kid?: string
/**
 * Signed URL: id of a link with a download limit
 */
link?: string
/**
 * Signed URL: download limit
 */
max?: string
/**
 * Signed URL: signature
 */
sig?: string
}
data: null
}
/**
 * Create a signed download URL
 */
"POST /v1/download/signed": {
body: {
/**
 * One of your completed jobs
 */
jobId: string
/**
 * Name of the task whose file to download
 */
task?: string
/**
 * Name of one of several files
 */
file?: string
/**
 * Lifetime in seconds; limited by the retention of the files
 */
expiresIn?: number
/**
 * `inline` shows the file in the browser, unless its type can run scripts
 */
disposition?: ("attachment" | "inline")
/**
 * Maximum number of downloads. Every time the URL is opened counts; the redirect target works for five minutes
 */
maxDownloads?: number
}
data: {
url: string
jobId: string
expiresAt: string
/**
 * Same as `expiresAt`
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
 * Your jobs whose results to include; jobs that are not completed are only listed in the manifest
 */
jobIds?: string[]
/**
 * One job, instead of `jobIds`
 */
jobId?: string
/**
 * Include only files of these tasks of `jobId`
 */
tasks?: string[]
/**
 * Folders in the ZIP by job: `{"job_…": "album/2024"}`. Results of other jobs are at the top level
 */
folders?: {
[k: string]: string
}
/**
 * Name of the ZIP
 */
filename?: string
/**
 * Add `manifest.json` with the job, task, source, name, size, SHA-256 and state of each file
 */
manifest?: boolean
}
data: {
jobId: string
id: string
status: ("pending" | "queued" | "processing" | "completed" | "failed" | "cancelled" | "expired")
tag: (string | null)
/**
 * The first file; null until it has arrived
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
 * Never decreases
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
 * Engine that produced the result
 */
engine?: string
engineVersion?: string
/**
 * `stream-copy` when the streams were copied unchanged, `encode` otherwise
 */
method?: string
details?: {
[k: string]: unknown
}
/**
 * How much of the source the result kept, measured independently of the engine; left out when unknown
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
 * Of a batch that has ended
 */
summary: ({
total: number
completed: number
failed: number
} | null)
/**
 * The job that this job retries
 */
retryOf: (string | null)
links: {
status: string
job: string
download: string
}
/**
 * Estimate from the time of the request; `progress.etaMs` of the status is more accurate later. Null once the job has finished
 */
estimate: ({
/**
 * Estimated wait until it starts, from the tasks ahead in the queue
 */
queueMs: number
/**
 * Estimated duration from start to end
 */
runMs: number
/**
 * `recorded`: based on earlier conversions of this kind; `planned`: a rough guess, because there are none
 */
basis: ("recorded" | "planned")
} | null)
}
}
/**
 * Get a job with all its tasks
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
 * Delete a job and its files
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
 * Retry a job
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
 * Stream the events of a job
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
 * URL of the file, reachable from the internet
 */
url: string
/**
 * Overrides the name of the file
 */
filename?: string
/**
 * Request headers, such as `Authorization`; only sent to the host of the URL
 */
headers?: {
[k: string]: string
}
/**
 * SHA-256 in hex; other content is rejected
 */
sha256?: string
/**
 * Bytes; larger files are rejected
 */
maxSize?: number
}
data: {
uploadId: string
/**
 * Job that fetches the file
 */
jobId: string
status: "pending"
/**
 * Null until the name is known
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
 * Get a presigned upload URL
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
 * SHA-256 as hex; the storage rejects other content
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
 * Send exactly these headers with the PUT
 */
headers?: {
[k: string]: string
}
/**
 * Form fields for the POST; add `file` as the last field
 */
fields?: {
[k: string]: string
}
expiresAt: string
maxSize: number
}
}
/**
 * Start a multipart upload
 */
"POST /v1/uploads/multipart": {
body: {
filename: string
/**
 * MIME type
 */
type?: string
/**
 * File size in bytes; a file that is too large is rejected immediately
 */
size?: number
/**
 * Ignored
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
 * Recommended part size in bytes; other sizes work too
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
 * Time until which the file can be uploaded and used
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
 * Parts in order of their numbers; empty when the upload is complete
 */
parts: {
PartNumber: number
/**
 * `ETag` of the reply to the PUT of the part
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
 * Abort a multipart upload
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
 * Part number, starting at 1
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
 * Headers to send with the PUT
 */
headers: {
[k: string]: string
}
/**
 * Seconds until the URL expires
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
 * Part numbers, separated by commas
 */
partNumbers: string
}
data: {
/**
 * URLs by part number
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
 * Complete a multipart upload
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
 * All parts, in order of their numbers
 */
parts: {
PartNumber: number
/**
 * `ETag` of the reply to the PUT of the part
 */
ETag: string
[k: string]: unknown
}[]
}
data: {
/**
 * URL of the upload status
 */
location: string
key: string
bucket: string
/**
 * For POST /v1/convert and similar requests
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
 * Get the form fields for an upload
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
 * Start a multipart upload
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
 * Ignored
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
 * `ETag` of the reply to the PUT of the part
 */
ETag: string
/**
 * Bytes
 */
Size: number
}[]
}
/**
 * Abort a multipart upload
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
 * Part number, starting at 1
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
 * Headers to send with the PUT
 */
headers: {
[k: string]: string
}
/**
 * Seconds until the URL expires
 */
expires: number
expiresAt: string
}
}
/**
 * Complete a multipart upload
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
 * All parts, in order of their numbers
 */
parts: {
PartNumber: number
/**
 * `ETag` of the reply to the PUT of the part
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
 * Get the status of an upload
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
 * `ready` when the whole file has arrived, `failed` if it could not be fetched
 */
status: ("pending" | "ready" | "failed")
filename: string
/**
 * Declared size in bytes; null if none was declared
 */
size: (number | null)
/**
 * As declared, or as detected for a fetched file
 */
mimeType: string
/**
 * Detected format of a fetched file
 */
format: (string | null)
/**
 * SHA-256 of a fetched file, in lower-case hex
 */
sha256: (string | null)
/**
 * Job that fetches the file
 */
importJobId: (string | null)
/**
 * Why the file could not be fetched
 */
error: ({
code: ("INVALID_API_KEY" | "AUTHENTICATION_REQUIRED" | "INSUFFICIENT_PERMISSIONS" | "RATE_LIMITED" | "INVALID_INPUT" | "INVALID_REQUEST" | "FILE_TOO_LARGE" | "UNSUPPORTED_FORMAT" | "UNSUPPORTED_CONVERSION" | "FORMAT_NOT_FOUND" | "JOB_NOT_FOUND" | "TASK_NOT_FOUND" | "CONVERSION_FAILED" | "CORRUPT_FILE" | "TIMEOUT" | "INSUFFICIENT_DISK_SPACE" | "STORAGE_NOT_CONFIGURED" | "NO_FILES" | "FILE_GONE" | "EXPIRED" | "PDF_ENCRYPTED" | "DRIVE_NOT_CONFIGURED" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "NOT_ACCEPTABLE" | "CONFLICT" | "UNSUPPORTED_MEDIA_TYPE" | "HEADERS_TOO_LARGE" | "IDEMPOTENCY_KEY_REUSED" | "IDEMPOTENCY_IN_PROGRESS" | "UPLOAD_NOT_FOUND" | "UPLOAD_INCOMPLETE" | "WEBHOOK_NOT_FOUND" | "WORKFLOW_NOT_FOUND" | "API_KEY_NOT_FOUND" | "URL_NOT_ALLOWED" | "DRIVE_NOT_CONNECTED" | "INVALID_SIGNATURE" | "SERVICE_UNAVAILABLE" | "FILE_ENCRYPTED" | "IMPORT_FAILED" | "EXPORT_FAILED" | "INTERNAL_ERROR")
message: string
details?: {
[k: string]: unknown
}
} | null)
/**
 * Job that uses the upload; an upload can be used by one job
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
 * Passed on to `redirectUri` unchanged
 */
state?: string
}
data: {
authorizationUrl: string
/**
 * Identifies the callback
 */
state: string
expiresAt: string
}
}
/**
 * OAuth callback of a drive
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
 * List files of a drive
 */
"GET /v1/cloud/{drive}/list": {
path: {
drive: ("google-drive" | "dropbox" | "onedrive")
}
query: {
/**
 * `connectionId` from the callback, `conn_…`
 */
connectionId: string
/**
 * Id of a folder from this list
 */
folderId?: string
/**
 * Words in file names to search for
 */
q?: string
/**
 * `nextCursor` of the previous page
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
 * Bytes; null if unknown
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
 * `connectionId` from the callback, `conn_…`
 */
connectionId: string
/**
 * Ids of files from the list
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
 * `connectionId` from the callback, `conn_…`
 */
connectionId: string
}
data: null
}
/**
 * Create a workflow
 */
"POST /v1/workflows": {
body: {
name: string
/**
 * Minute, hour, day of month, month and day of week, such as `0 3 * * *`, or a name such as `@daily`; at least 5 min between runs
 */
cron: string
/**
 * IANA name of the time zone of the schedule
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
 * What to do if the previous run has not finished
 */
overlap?: ("skip" | "queue" | "cancel-previous")
/**
 * Tag of the jobs; null for none
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
 * Get a workflow
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
 * Minute, hour, day of month, month and day of week, such as `0 3 * * *`, or a name such as `@daily`; at least 5 min between runs
 */
cron?: string
/**
 * IANA name of the time zone of the schedule
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
 * What to do if the previous run has not finished
 */
overlap?: ("skip" | "queue" | "cancel-previous")
/**
 * Tag of the jobs; null for none
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
 * Started by the schedule or by a request
 */
trigger: ("schedule" | "request")
/**
 * `waiting` for the previous run, `skipped` because of it
 */
status: ("waiting" | "running" | "completed" | "failed" | "cancelled" | "skipped")
/**
 * Scheduled time, or time of the request
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
 * Id of the last run of the previous page
 */
before?: string
}
data: {
runs: {
runId: string
workflowId: string
/**
 * Started by the schedule or by a request
 */
trigger: ("schedule" | "request")
/**
 * `waiting` for the previous run, `skipped` because of it
 */
status: ("waiting" | "running" | "completed" | "failed" | "cancelled" | "skipped")
/**
 * Scheduled time, or time of the request
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
 * Create a webhook
 */
"POST /v1/webhooks": {
body: {
/**
 * Public URL to which events are sent by POST
 */
url: string
/**
 * Names of events; `*` for all events, including future ones
 */
events: ("*" | "job.created" | "job.queued" | "job.started" | "job.progress" | "job.completed" | "job.failed" | "job.cancelled" | "job.expired" | "file.uploaded" | "file.downloaded" | "file.deleted" | "subscription.created" | "subscription.updated" | "subscription.cancelled" | "quota.warning" | "quota.exceeded")[]
/**
 * The event as JSON, or a message for a chat platform (with blocks or with embeds)
 */
format?: ("json" | "chat-blocks" | "chat-embed")
description?: string
enabled?: boolean
/**
 * Your own secret; generated if omitted
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
 * Id of the last webhook of the previous page
 */
before?: string
}
data: {
webhooks: Webhook[]
next: (string | null)
}
}
/**
 * Get the signing secret for webhookUrl
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
 * Rotate the signing secret for webhookUrl
 */
"POST /v1/webhooks/secret/rotate": {
body?: {
/**
 * Hours for which both the old and the new secret sign
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
 * Get a webhook
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
 * Public URL to which events are sent by POST
 */
url?: string
/**
 * Names of events; `*` for all events, including future ones
 */
events?: ("*" | "job.created" | "job.queued" | "job.started" | "job.progress" | "job.completed" | "job.failed" | "job.cancelled" | "job.expired" | "file.uploaded" | "file.downloaded" | "file.deleted" | "subscription.created" | "subscription.updated" | "subscription.cancelled" | "quota.warning" | "quota.exceeded")[]
/**
 * The event as JSON, or a message for a chat platform (with blocks or with embeds)
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
 * Rotate the secret of a webhook
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
 * Hours for which both the old and the new secret sign
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
 * Send a test event to a webhook
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
 * Name of the event
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
 * List the deliveries of a webhook
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
 * Id of the last delivery of the previous page
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
 * Get a delivery with its attempts
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
 * Repeat a delivery
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
 * Replay events
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
 * `next` of the previous reply
 */
after?: string
/**
 * Defaults to the events of the webhook
 */
events?: ("job.created" | "job.queued" | "job.started" | "job.progress" | "job.completed" | "job.failed" | "job.cancelled" | "job.expired" | "file.uploaded" | "file.downloaded" | "file.deleted" | "subscription.created" | "subscription.updated" | "subscription.cancelled" | "quota.warning" | "quota.exceeded")[]
}
data: {
/**
 * Number of deliveries
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
 * Plan of clients without an account
 */
anonymous: ("anonymous" | "free" | "starter" | "pro" | "business" | "self-hosted")
}
}
/**
 * Create an API key
 */
"POST /v1/api-keys": {
body: {
/**
 * Name by which you recognize the key
 */
name: string
/**
 * `secret` (`sk_`) for servers; `public` (`ck_`) for web pages, where everyone can read it: it only has access to jobs that it created
 */
kind?: ("secret" | "public")
/**
 * Named set of scopes, instead of `scopes`
 */
access?: ("read-only" | "convert-only" | "full")
/**
 * Scopes of the key; a public key may have CONVERT_READ and CONVERT_WRITE
 */
scopes?: ("CONVERT_READ" | "CONVERT_WRITE" | "WEBHOOKS_MANAGE" | "ACCOUNT_READ")[]
/**
 * Expiry time; never expires if omitted
 */
expiresAt?: string
/**
 * IP addresses and networks that may use the key; any if omitted
 */
allowedIps?: string[]
/**
 * Origins of web pages that may use the key; required for a public key
 */
allowedOrigins?: string[]
}
data: {
id: string
name: string
kind: ("secret" | "public")
/**
 * First characters of the key
 */
prefix: string
/**
 * Last characters of the key
 */
last4: string
scopes: string[]
status: ("active" | "rotating" | "expired")
/**
 * For a rotated key: the time until which it still works
 */
validUntil: (string | null)
expiresAt: (string | null)
allowedIps: (string[] | null)
allowedOrigins: (string[] | null)
createdAt: string
/**
 * Accurate to the minute
 */
lastUsedAt: (string | null)
lastUsedIp: (string | null)
/**
 * The key itself, shown only once
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
 * Get an API key
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
 * Name by which you recognize the key
 */
name?: string
/**
 * Named set of scopes, instead of `scopes`
 */
access?: ("read-only" | "convert-only" | "full")
/**
 * Scopes of the key; a public key may have CONVERT_READ and CONVERT_WRITE
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
 * Rotate an API key
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
 * First characters of the key
 */
prefix: string
/**
 * Last characters of the key
 */
last4: string
scopes: string[]
status: ("active" | "rotating" | "expired")
/**
 * For a rotated key: the time until which it still works
 */
validUntil: (string | null)
expiresAt: (string | null)
allowedIps: (string[] | null)
allowedOrigins: (string[] | null)
createdAt: string
/**
 * Accurate to the minute
 */
lastUsedAt: (string | null)
lastUsedIp: (string | null)
/**
 * The key itself, shown only once
 */
key: string
}
previous: ApiKey
}
}
/**
 * Get your usage
 */
"GET /v1/account/usage": {
query?: {
/**
 * First day, such as `2026-01-31`; the first day of the month when left out
 */
from?: string
/**
 * Last day; today when left out
 */
to?: string
granularity?: ("day" | "month")
/**
 * `format`: format of the results; `key`: id of the API key or client that created the job, if any
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
 * All requests of the account; requests without an account are not counted
 */
requests: number
/**
 * Jobs that have ended
 */
jobs: number
completed: number
failed: number
cancelled: number
/**
 * Time of all tasks other than imports and exports, in minutes
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
 * Such as `2026-01-31` or `2026-01`
 */
date: string
/**
 * All requests of the account; requests without an account are not counted
 */
requests: number
/**
 * Jobs that have ended
 */
jobs: number
completed: number
failed: number
cancelled: number
/**
 * Time of all tasks other than imports and exports, in minutes
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
 * Sorted by number of jobs, largest first
 */
groups: {
name: string
/**
 * Jobs that have ended
 */
jobs: number
completed: number
failed: number
cancelled: number
/**
 * Time of all tasks other than imports and exports, in minutes
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
 * Get the remaining quota of your plan
 */
"GET /v1/account/quota": {
data: {
plan: ("anonymous" | "free" | "starter" | "pro" | "business" | "self-hosted")
quotas: {
name: ("requests" | "reads" | "conversion-minutes")
/**
 * Days and months follow the UTC calendar
 */
window: ("minute" | "hour" | "day" | "month")
/**
 * Null if usage is only counted
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
 * Including jobs that wait for their files
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
 * Scopes, separated by spaces; all scopes of the client if omitted
 */
scope?: string
/**
 * Required unless sent with `Authorization: Basic`
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
 * Revoke an access token
 */
"POST /v1/oauth/revoke": {
body?: {
/**
 * The access token
 */
token?: string
/**
 * Ignored
 */
token_type_hint?: string
/**
 * Required unless sent with `Authorization: Basic`
 */
client_id?: string
client_secret?: string
[k: string]: unknown
}
data: {

}
}
/**
 * Introspect an access token
 */
"POST /v1/oauth/introspect": {
body?: {
/**
 * The access token
 */
token?: string
/**
 * Ignored
 */
token_type_hint?: string
/**
 * Required unless sent with `Authorization: Basic`
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
 * Id of the account
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
 * Create an OAuth client
 */
"POST /v1/oauth/clients": {
body: {
name: string
/**
 * Scopes of its tokens; all scopes if omitted
 */
scopes?: ("CONVERT_READ" | "CONVERT_WRITE" | "WEBHOOKS_MANAGE" | "ACCOUNT_READ")[]
}
data: {
id: string
/**
 * Same as `id`, under its OAuth name
 */
clientId: string
name: string
scopes: ("CONVERT_READ" | "CONVERT_WRITE" | "WEBHOOKS_MANAGE" | "ACCOUNT_READ")[]
/**
 * Last characters of the secret
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
 * Same as `id`, under its OAuth name
 */
clientId: string
name: string
scopes: ("CONVERT_READ" | "CONVERT_WRITE" | "WEBHOOKS_MANAGE" | "ACCOUNT_READ")[]
/**
 * Last characters of the secret
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
 * Get your account
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
 * Region in which jobs run and files are stored
 */
region: string
/**
 * Hours for which a finished job and its files are kept
 */
retentionHours: number
limits: {
/**
 * Bytes
 */
maxFileSize: number
filesPerJob: number
/**
 * Jobs that run at a time, others wait; null for no limit
 */
concurrentJobs: (number | null)
}
}
}
/**
 * Get the reliability of the service
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
 * Get the OAuth server metadata
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
 * Part of the email address or the name
 */
q?: string
plan?: ("anonymous" | "free" | "starter" | "pro" | "business" | "self-hosted")
limit?: number
/**
 * `next` of the previous page
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
 * Cursor of the next page, null on the last page; with a narrow search, other pages may be short too
 */
next: (string | null)
}
}
/**
 * Get an account
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
 * List the audit trail
 */
"GET /v1/admin/audit": {
query?: {
limit?: number
/**
 * `next` of the previous page
 */
cursor?: string
}
data: {
entries: {
id: string
at: string
/**
 * Account that did it; `command` for `npm run admin` on the server
 */
actor: string
/**
 * For example `user.plan`, `user.status`, `session.end`, `key.create`
 */
action: string
/**
 * Id of the affected resource
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
 * Get the service level indicators
 */
"GET /v1/admin/slo": {
query?: {
/**
 * Number of days up to today
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
 * Failed jobs whose file or request was at fault
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
 * Fraction of all failed jobs
 */
share: number
}[]
engines: {
engine: string
jobs: number
/**
 * 0 to 1; null when there were no jobs
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
 * First day of the period
 */
date: string
jobs: number
completed: number
failed: number
/**
 * 0 to 1; null when there were no jobs
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
 * Part of the id, the name or a file extension
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
 * List supported conversions and their options
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
 * Only pairs that use this engine
 */
engine?: ("ffmpeg" | "vips" | "imagemagick" | "libreoffice" | "pandoc" | "calibre" | "ghostscript" | "vtracer" | "potrace" | "chromium" | "fontforge" | "7zip" | "pdf")
/**
 * Operation: `convert`, `merge`, `compress` or a `toolOperation`
 */
operation?: ("convert" | "merge" | "ocr-pdf" | "split-pdf" | "encrypt-pdf" | "decrypt-pdf" | "rotate-pdf" | "compress-pdf" | "to-pdfa" | "extract-pdf-pages" | "remove-pdf-pages" | "extract-pdf-images" | "add-watermark-pdf" | "merge-pdf" | "flatten-pdf" | "repair-pdf" | "reorder-pdf-pages" | "add-page-numbers-pdf" | "edit-pdf-metadata" | "linearize-pdf" | "crop-pdf" | "redact-pdf" | "sanitize-pdf" | "grayscale-pdf" | "remove-blank-pages-pdf" | "pdf-info" | "compress" | "thumbnail" | "watermark" | "metadata" | "metadata/write" | "archive" | "extract" | "unlock")
/**
 * Pairs per page; all if omitted
 */
limit?: number
/**
 * `nextCursor` of the previous page
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
 * Engines of the steps, in order
 */
engines: string[]
/**
 * Omitted in longer lists, which have `via`
 */
steps?: {
engine: string
from: string
to: string
}[]
/**
 * Intermediate formats
 */
via?: string[]
options?: {
name: string
/**
 * Label in a form
 */
label: string
type: ("string" | "integer" | "number" | "boolean" | "enum")
/**
 * `basics` are shown by default, `more` on demand
 */
group: ("basics" | "more")
/**
 * Suitable input widget
 */
widget: ("text" | "multiline" | "number" | "slider" | "switch" | "choice" | "color" | "time" | "size" | "rate" | "pages" | "languages" | "paper" | "length" | "password" | "date" | "position")
/**
 * Unit of the number, such as `px`
 */
unit?: string
default?: unknown
enum?: string[]
/**
 * Labels of the values of `enum` and `suggestions`
 */
enumLabels?: {
[k: string]: string
}
/**
 * Suggested values; others are accepted too
 */
suggestions?: string[]
/**
 * Set for an `enum` that also accepts a number
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
 * The number may also be sent as text, see the description
 */
spelled?: boolean
/**
 * Replaced by another option
 */
deprecated?: boolean
description: string
}[]
/**
 * Index in `optionSets`, instead of `options`
 */
optionSet?: number
/**
 * Additional input files
 */
more?: {
/**
 * Accepted formats; all formats if omitted
 */
from?: string[]
min: number
max: number
}
/**
 * Works, but is not one of the usual targets of the source format
 */
experimental: boolean
}[]
optionSets?: {
name: string
/**
 * Label in a form
 */
label: string
type: ("string" | "integer" | "number" | "boolean" | "enum")
/**
 * `basics` are shown by default, `more` on demand
 */
group: ("basics" | "more")
/**
 * Suitable input widget
 */
widget: ("text" | "multiline" | "number" | "slider" | "switch" | "choice" | "color" | "time" | "size" | "rate" | "pages" | "languages" | "paper" | "length" | "password" | "date" | "position")
/**
 * Unit of the number, such as `px`
 */
unit?: string
default?: unknown
enum?: string[]
/**
 * Labels of the values of `enum` and `suggestions`
 */
enumLabels?: {
[k: string]: string
}
/**
 * Suggested values; others are accepted too
 */
suggestions?: string[]
/**
 * Set for an `enum` that also accepts a number
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
 * The number may also be sent as text, see the description
 */
spelled?: boolean
/**
 * Replaced by another option
 */
deprecated?: boolean
description: string
}[][]
/**
 * Number of pairs on all pages
 */
total: number
/**
 * Only with `limit`
 */
pagination?: {
limit: number
hasMore: boolean
nextCursor: (string | null)
}
}
}
/**
 * Get a format and its target formats
 */
"GET /v1/formats/{formatId}": {
path: {
/**
 * Id or alias of the format, such as `jpg` or `jpeg`
 */
formatId: string
}
data: Format
}
/**
 * Get the AsyncAPI 3 document of webhooks, WebSockets and event streams
 */
"GET /v1/asyncapi.json": {
data: {
[k: string]: unknown
}
}
/**
 * Get the API version and the main endpoints
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
 * Check the health of the service
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
 * Get the OpenAPI 3.1 document of this API
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
 * Unchanged if the event is sent again
 */
id: string
/**
 * Number of the event within its job, from 1; always 1 for an uploaded file
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
 * Unchanged if the event is sent again
 */
id: string
/**
 * Number of the event within its job, from 1; always 1 for an uploaded file
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
 * Unchanged if the event is sent again
 */
id: string
/**
 * Number of the event within its job, from 1; always 1 for an uploaded file
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
 * Unchanged if the event is sent again
 */
id: string
/**
 * Number of the event within its job, from 1; always 1 for an uploaded file
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
 * Unchanged if the event is sent again
 */
id: string
/**
 * Number of the event within its job, from 1; always 1 for an uploaded file
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
 * For a batch
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
 * How much of the source the result retained
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
 * Unchanged if the event is sent again
 */
id: string
/**
 * Number of the event within its job, from 1; always 1 for an uploaded file
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
 * For a batch
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
 * Unchanged if the event is sent again
 */
id: string
/**
 * Number of the event within its job, from 1; always 1 for an uploaded file
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
 * Unchanged if the event is sent again
 */
id: string
/**
 * Number of the event within its job, from 1; always 1 for an uploaded file
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
 * Unchanged if the event is sent again
 */
id: string
/**
 * Number of the event within its job, from 1; always 1 for an uploaded file
 */
sequence: number
apiVersion: "v1"
file: {
/**
 * Absent if the file was sent directly to a task
 */
uploadId?: string
/**
 * The job that the file was uploaded for
 */
jobId?: string
filename: string
/**
 * Bytes
 */
size: number
mimeType: string
/**
 * Detected from the content; null if unknown
 */
format: (string | null)
/**
 * Lower-case hex, if the service read the whole file
 */
sha256?: string
/**
 * `form`: with the request; `presigned` and `multipart`: directly to the storage, in one or several parts; `url` and `store`: fetched from a URL or from your storage
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
 * Unchanged if the event is sent again
 */
id: string
/**
 * Number of the event within its job, from 1; always 1 for an uploaded file
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
 * Whether a signed link was used
 */
signed: boolean
/**
 * Network of the client, such as `203.0.113.0/24`
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
 * Unchanged if the event is sent again
 */
id: string
/**
 * Number of the event within its job, from 1; always 1 for an uploaded file
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
 * Unchanged if the event is sent again
 */
id: string
/**
 * Number of the event within its job, from 1; always 1 for an uploaded file
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
 * Unchanged if the event is sent again
 */
id: string
/**
 * Number of the event within its job, from 1; always 1 for an uploaded file
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
 * Unchanged if the event is sent again
 */
id: string
/**
 * Number of the event within its job, from 1; always 1 for an uploaded file
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
 * Unchanged if the event is sent again
 */
id: string
/**
 * Number of the event within its job, from 1; always 1 for an uploaded file
 */
sequence: number
apiVersion: "v1"
quota: {
/**
 * For example `requests-per-day`
 */
name: string
limit: number
used: number
remaining: number
percent: number
/**
 * Percentage that triggers the event, once per window
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
 * Unchanged if the event is sent again
 */
id: string
/**
 * Number of the event within its job, from 1; always 1 for an uploaded file
 */
sequence: number
apiVersion: "v1"
quota: {
/**
 * For example `requests-per-day`
 */
name: string
limit: number
used: number
remaining: number
percent: number
/**
 * Percentage that triggers the event, once per window
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
 * Import an uploaded file, or wait for an upload
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskImportUpload".
 */
export interface TaskImportUpload {
/**
 * Id of an upload from POST /v1/uploads/presign. When left out, the task shows where to send the file
 */
upload_id?: string
/**
 * Overrides the name of the file
 */
filename?: string
/**
 * URL to which the browser is redirected after sending the form
 */
redirect?: string
/**
 * SHA-256 in hex; the storage rejects other content
 */
sha256?: string
/**
 * Bytes; larger files are rejected
 */
max_file_size?: number
operation: "import/upload"
}
/**
 * Import a file from the request, in base64
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskImportBase64".
 */
export interface TaskImportBase64 {
/**
 * File content in base64, at most 10 MiB when decoded
 */
file: string
/**
 * Name with extension, such as `report.docx`
 */
filename: string
operation: "import/base64"
}
/**
 * Import text from the request as a file
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskImportRaw".
 */
export interface TaskImportRaw {
/**
 * The text, stored as UTF-8; at most 10 MiB
 */
file: string
/**
 * Name with extension, such as `report.docx`
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
 * URL of the file, reachable from the internet
 */
url: string
/**
 * Overrides the name of the file
 */
filename?: string
/**
 * Request headers, such as `Authorization`; only sent to the host of the URL
 */
headers?: {
[k: string]: string
}
/**
 * SHA-256 in hex; other content is rejected
 */
sha256?: string
/**
 * Bytes; larger files are rejected
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
 * Region of the bucket, such as `eu-central-1`
 */
region: string
/**
 * URL of an S3-compatible storage service
 */
endpoint?: string
/**
 * Access key id
 */
access_key_id: string
/**
 * Secret access key
 */
secret_access_key: string
/**
 * Session token of temporary credentials
 */
session_token?: string
/**
 * Whether the URL path contains the bucket; defaults to true when `endpoint` is set
 */
path_style?: boolean
/**
 * Path of the file
 */
key?: string
/**
 * Prefix of the file names, instead of `key`
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
 * Key of the account, instead of `sas_token`
 */
storage_access_key?: string
/**
 * URL of a storage service that is compatible with Azure Blob Storage
 */
endpoint?: string
/**
 * Path of the file
 */
blob?: string
/**
 * Prefix of the file names, instead of `blob`
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
 * Project of the bucket; optional
 */
project_id?: string
/**
 * Key file of a service account
 */
credentials: {
type?: "service_account"
project_id?: string
/**
 * Name of the service account
 */
client_email: string
/**
 * Private key in PEM format
 */
private_key: string
[k: string]: unknown
}
/**
 * Path of the file
 */
key?: string
/**
 * Prefix of the file names, instead of `key`
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
 * Host name or IP address of the server
 */
host: string
/**
 * Port of the server
 */
port?: number
/**
 * User name
 */
username: string
/**
 * Password of the user
 */
password?: string
/**
 * Private key of the user, instead of `password`: OpenSSH, PEM or PuTTY
 */
private_key?: string
/**
 * Passphrase of the private key
 */
passphrase?: string
/**
 * Fingerprint of the host key, such as `SHA256:…`; other keys are rejected. When left out, any key is accepted
 */
host_key_fingerprint?: string
/**
 * Path of the file
 */
file?: string
/**
 * Folder of the files, instead of `file`
 */
path?: string
operation: "import/sftp"
}
/**
 * Capture a website as a PDF or image
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskCaptureWebsite".
 */
export interface TaskCaptureWebsite {
/**
 * URL of the website, reachable from the internet
 */
url: string
/**
 * Format of the result
 */
output_format?: ("pdf" | "png" | "jpg" | "webp" | "jpeg")
/**
 * Name of the result; derived from the URL when left out
 */
filename?: string
/**
 * Request headers, such as `Authorization`; only sent to the host of the URL
 */
headers?: {
[k: string]: string
}
/**
 * Cookies by name; only sent to the host of the URL
 */
cookies?: {
[k: string]: string
}
/**
 * When the page is ready: everything is loaded, the HTML is parsed, or no (at most two) network requests have been running for half a second
 */
wait_until?: ("load" | "domcontentloaded" | "networkidle0" | "networkidle2")
/**
 * CSS selector of an element that must also exist
 */
wait_for_element?: string
/**
 * Additional milliseconds to wait afterwards
 */
wait_time?: number
/**
 * Seconds within which the page must be ready
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
 * Capture the whole page, not only what fits in the window; true when left out
 */
full_page?: boolean
/**
 * PDF: scale of the content, 0.1 to 2. Images: device pixels per CSS pixel, 0.5 to 4
 */
scale?: number
/**
 * 1 to 100, or low, medium, high, highest. Higher is better and larger.
 */
quality?: (number | ("low" | "medium" | "high" | "highest"))
/**
 * A3, A4, A5, Letter, Legal, or width and height such as `210x297mm` (mm, cm, in, pt)
 */
page_size?: string
/**
 * Landscape (true) or portrait (false) for every page; as in the document when left out
 */
landscape?: boolean
/**
 * Margin at the top of every page, such as 20mm, 2cm, 1in or 72pt
 */
margin_top?: string
/**
 * Margin at the right of every page, such as 20mm, 2cm, 1in or 72pt
 */
margin_right?: string
/**
 * Margin at the bottom of every page, such as 20mm, 2cm, 1in or 72pt
 */
margin_bottom?: string
/**
 * Margin at the left of every page, such as 20mm, 2cm, 1in or 72pt
 */
margin_left?: string
/**
 * Header text of every page, replacing the document's own; {page}, {pages} and {date} are filled in
 */
header_text?: string
/**
 * Footer text of every page, replacing the document's own; {page}, {pages} and {date} are filled in
 */
footer_text?: string
/**
 * Also print background colors and images; true when left out
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
 * Engine to use; chosen automatically when left out
 */
engine?: string
/**
 * Template for the names of the results; may contain `{name} {ext} {jobId} {index} {date}`
 */
filename?: string
/**
 * Options of the engine; they can also be sent as fields of the task
 */
options?: {
[k: string]: unknown
}
operation: "convert"
/**
 * Name or names of the input tasks
 */
input: (string | string[])
/**
 * Whether tasks that use its files continue without them when this task fails
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
 * Engine to use; chosen automatically when left out
 */
engine?: string
/**
 * Template for the names of the results; may contain `{name} {ext} {jobId} {index} {date}`
 */
filename?: string
/**
 * Options of the engine; they can also be sent as fields of the task
 */
options?: {
[k: string]: unknown
}
/**
 * screen, ebook, printer and prepress for PDFs; web or max for any format
 */
profile?: ("screen" | "ebook" | "printer" | "prepress" | "web" | "max")
operation: "compress"
/**
 * Name or names of the input tasks
 */
input: (string | string[])
/**
 * Whether tasks that use its files continue without them when this task fails
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Merge files into one, in the order of `input`
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
 * Engine to use; chosen automatically when left out
 */
engine?: string
/**
 * Template for the names of the results; may contain `{name} {ext} {jobId} {index} {date}`
 */
filename?: string
/**
 * Options of the engine; they can also be sent as fields of the task
 */
options?: {
[k: string]: unknown
}
/**
 * Kind of the files; determined by the first file when left out
 */
merge_type?: ("pdf" | "video" | "audio" | "image")
operation: "merge"
/**
 * Name or names of the input tasks
 */
input: (string | string[])
/**
 * Whether tasks that use its files continue without them when this task fails
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Create thumbnails of an image, video or PDF
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
 * Engine to use; chosen automatically when left out
 */
engine?: string
/**
 * Template for the names of the results; may contain `{name} {ext} {jobId} {index} {date}`
 */
filename?: string
/**
 * Options of the engine; they can also be sent as fields of the task
 */
options?: {
[k: string]: unknown
}
operation: "thumbnail"
/**
 * Name or names of the input tasks
 */
input: (string | string[])
/**
 * Whether tasks that use its files continue without them when this task fails
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Add a text, or the image of the second input, to an image, video or PDF
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
 * Engine to use; chosen automatically when left out
 */
engine?: string
/**
 * Template for the names of the results; may contain `{name} {ext} {jobId} {index} {date}`
 */
filename?: string
/**
 * Options of the engine; they can also be sent as fields of the task
 */
options?: {
[k: string]: unknown
}
operation: "watermark"
/**
 * Name or names of the input tasks
 */
input: (string | string[])
/**
 * Whether tasks that use its files continue without them when this task fails
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Read the metadata of a file as JSON
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
 * Engine to use; chosen automatically when left out
 */
engine?: string
/**
 * Template for the names of the results; may contain `{name} {ext} {jobId} {index} {date}`
 */
filename?: string
/**
 * Options of the engine; they can also be sent as fields of the task
 */
options?: {
[k: string]: unknown
}
operation: "metadata"
/**
 * Name or names of the input tasks
 */
input: (string | string[])
/**
 * Whether tasks that use its files continue without them when this task fails
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Change the metadata of a file
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
 * Engine to use; chosen automatically when left out
 */
engine?: string
/**
 * Template for the names of the results; may contain `{name} {ext} {jobId} {index} {date}`
 */
filename?: string
/**
 * Options of the engine; they can also be sent as fields of the task
 */
options?: {
[k: string]: unknown
}
operation: "metadata/write"
/**
 * Name or names of the input tasks
 */
input: (string | string[])
/**
 * Whether tasks that use its files continue without them when this task fails
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
 * Engine to use; chosen automatically when left out
 */
engine?: string
/**
 * Template for the names of the results; may contain `{name} {ext} {jobId} {index} {date}`
 */
filename?: string
/**
 * Options of the engine; they can also be sent as fields of the task
 */
options?: {
[k: string]: unknown
}
operation: "archive"
/**
 * Name or names of the input tasks
 */
input: (string | string[])
/**
 * Whether tasks that use its files continue without them when this task fails
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Extract the files of an archive
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
 * Engine to use; chosen automatically when left out
 */
engine?: string
/**
 * Template for the names of the results; may contain `{name} {ext} {jobId} {index} {date}`
 */
filename?: string
/**
 * Options of the engine; they can also be sent as fields of the task
 */
options?: {
[k: string]: unknown
}
operation: "extract"
/**
 * Name or names of the input tasks
 */
input: (string | string[])
/**
 * Whether tasks that use its files continue without them when this task fails
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Apply the tool ocr-pdf to a PDF
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
 * Engine to use; chosen automatically when left out
 */
engine?: string
/**
 * Template for the names of the results; may contain `{name} {ext} {jobId} {index} {date}`
 */
filename?: string
/**
 * Options of the engine; they can also be sent as fields of the task
 */
options?: {
[k: string]: unknown
}
operation: "ocr-pdf"
/**
 * Name or names of the input tasks
 */
input: (string | string[])
/**
 * Whether tasks that use its files continue without them when this task fails
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Apply the tool split-pdf to a PDF
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
 * Engine to use; chosen automatically when left out
 */
engine?: string
/**
 * Template for the names of the results; may contain `{name} {ext} {jobId} {index} {date}`
 */
filename?: string
/**
 * Options of the engine; they can also be sent as fields of the task
 */
options?: {
[k: string]: unknown
}
operation: "split-pdf"
/**
 * Name or names of the input tasks
 */
input: (string | string[])
/**
 * Whether tasks that use its files continue without them when this task fails
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Apply the tool encrypt-pdf to a PDF
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
 * Engine to use; chosen automatically when left out
 */
engine?: string
/**
 * Template for the names of the results; may contain `{name} {ext} {jobId} {index} {date}`
 */
filename?: string
/**
 * Options of the engine; they can also be sent as fields of the task
 */
options?: {
[k: string]: unknown
}
operation: "encrypt-pdf"
/**
 * Name or names of the input tasks
 */
input: (string | string[])
/**
 * Whether tasks that use its files continue without them when this task fails
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Apply the tool decrypt-pdf to a PDF
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
 * Engine to use; chosen automatically when left out
 */
engine?: string
/**
 * Template for the names of the results; may contain `{name} {ext} {jobId} {index} {date}`
 */
filename?: string
/**
 * Options of the engine; they can also be sent as fields of the task
 */
options?: {
[k: string]: unknown
}
operation: "decrypt-pdf"
/**
 * Name or names of the input tasks
 */
input: (string | string[])
/**
 * Whether tasks that use its files continue without them when this task fails
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Apply the tool rotate-pdf to a PDF
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
 * Engine to use; chosen automatically when left out
 */
engine?: string
/**
 * Template for the names of the results; may contain `{name} {ext} {jobId} {index} {date}`
 */
filename?: string
/**
 * Options of the engine; they can also be sent as fields of the task
 */
options?: {
[k: string]: unknown
}
operation: "rotate-pdf"
/**
 * Name or names of the input tasks
 */
input: (string | string[])
/**
 * Whether tasks that use its files continue without them when this task fails
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Apply the tool compress-pdf to a PDF
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
 * Engine to use; chosen automatically when left out
 */
engine?: string
/**
 * Template for the names of the results; may contain `{name} {ext} {jobId} {index} {date}`
 */
filename?: string
/**
 * Options of the engine; they can also be sent as fields of the task
 */
options?: {
[k: string]: unknown
}
operation: "compress-pdf"
/**
 * Name or names of the input tasks
 */
input: (string | string[])
/**
 * Whether tasks that use its files continue without them when this task fails
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Apply the tool to-pdfa to a PDF
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
 * Engine to use; chosen automatically when left out
 */
engine?: string
/**
 * Template for the names of the results; may contain `{name} {ext} {jobId} {index} {date}`
 */
filename?: string
/**
 * Options of the engine; they can also be sent as fields of the task
 */
options?: {
[k: string]: unknown
}
operation: "to-pdfa"
/**
 * Name or names of the input tasks
 */
input: (string | string[])
/**
 * Whether tasks that use its files continue without them when this task fails
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Apply the tool extract-pdf-pages to a PDF
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
 * Engine to use; chosen automatically when left out
 */
engine?: string
/**
 * Template for the names of the results; may contain `{name} {ext} {jobId} {index} {date}`
 */
filename?: string
/**
 * Options of the engine; they can also be sent as fields of the task
 */
options?: {
[k: string]: unknown
}
operation: "extract-pdf-pages"
/**
 * Name or names of the input tasks
 */
input: (string | string[])
/**
 * Whether tasks that use its files continue without them when this task fails
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Apply the tool remove-pdf-pages to a PDF
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
 * Engine to use; chosen automatically when left out
 */
engine?: string
/**
 * Template for the names of the results; may contain `{name} {ext} {jobId} {index} {date}`
 */
filename?: string
/**
 * Options of the engine; they can also be sent as fields of the task
 */
options?: {
[k: string]: unknown
}
operation: "remove-pdf-pages"
/**
 * Name or names of the input tasks
 */
input: (string | string[])
/**
 * Whether tasks that use its files continue without them when this task fails
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Apply the tool extract-pdf-images to a PDF
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
 * Engine to use; chosen automatically when left out
 */
engine?: string
/**
 * Template for the names of the results; may contain `{name} {ext} {jobId} {index} {date}`
 */
filename?: string
/**
 * Options of the engine; they can also be sent as fields of the task
 */
options?: {
[k: string]: unknown
}
operation: "extract-pdf-images"
/**
 * Name or names of the input tasks
 */
input: (string | string[])
/**
 * Whether tasks that use its files continue without them when this task fails
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Apply the tool add-watermark-pdf to a PDF
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
 * Engine to use; chosen automatically when left out
 */
engine?: string
/**
 * Template for the names of the results; may contain `{name} {ext} {jobId} {index} {date}`
 */
filename?: string
/**
 * Options of the engine; they can also be sent as fields of the task
 */
options?: {
[k: string]: unknown
}
operation: "add-watermark-pdf"
/**
 * Name or names of the input tasks
 */
input: (string | string[])
/**
 * Whether tasks that use its files continue without them when this task fails
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Apply the tool merge-pdf to a PDF
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
 * Engine to use; chosen automatically when left out
 */
engine?: string
/**
 * Template for the names of the results; may contain `{name} {ext} {jobId} {index} {date}`
 */
filename?: string
/**
 * Options of the engine; they can also be sent as fields of the task
 */
options?: {
[k: string]: unknown
}
operation: "merge-pdf"
/**
 * Name or names of the input tasks
 */
input: (string | string[])
/**
 * Whether tasks that use its files continue without them when this task fails
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Apply the tool flatten-pdf to a PDF
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
 * Engine to use; chosen automatically when left out
 */
engine?: string
/**
 * Template for the names of the results; may contain `{name} {ext} {jobId} {index} {date}`
 */
filename?: string
/**
 * Options of the engine; they can also be sent as fields of the task
 */
options?: {
[k: string]: unknown
}
operation: "flatten-pdf"
/**
 * Name or names of the input tasks
 */
input: (string | string[])
/**
 * Whether tasks that use its files continue without them when this task fails
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Apply the tool repair-pdf to a PDF
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
 * Engine to use; chosen automatically when left out
 */
engine?: string
/**
 * Template for the names of the results; may contain `{name} {ext} {jobId} {index} {date}`
 */
filename?: string
/**
 * Options of the engine; they can also be sent as fields of the task
 */
options?: {
[k: string]: unknown
}
operation: "repair-pdf"
/**
 * Name or names of the input tasks
 */
input: (string | string[])
/**
 * Whether tasks that use its files continue without them when this task fails
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Apply the tool reorder-pdf-pages to a PDF
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
 * Engine to use; chosen automatically when left out
 */
engine?: string
/**
 * Template for the names of the results; may contain `{name} {ext} {jobId} {index} {date}`
 */
filename?: string
/**
 * Options of the engine; they can also be sent as fields of the task
 */
options?: {
[k: string]: unknown
}
operation: "reorder-pdf-pages"
/**
 * Name or names of the input tasks
 */
input: (string | string[])
/**
 * Whether tasks that use its files continue without them when this task fails
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Apply the tool add-page-numbers-pdf to a PDF
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
 * Engine to use; chosen automatically when left out
 */
engine?: string
/**
 * Template for the names of the results; may contain `{name} {ext} {jobId} {index} {date}`
 */
filename?: string
/**
 * Options of the engine; they can also be sent as fields of the task
 */
options?: {
[k: string]: unknown
}
operation: "add-page-numbers-pdf"
/**
 * Name or names of the input tasks
 */
input: (string | string[])
/**
 * Whether tasks that use its files continue without them when this task fails
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Apply the tool edit-pdf-metadata to a PDF
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
 * Engine to use; chosen automatically when left out
 */
engine?: string
/**
 * Template for the names of the results; may contain `{name} {ext} {jobId} {index} {date}`
 */
filename?: string
/**
 * Options of the engine; they can also be sent as fields of the task
 */
options?: {
[k: string]: unknown
}
operation: "edit-pdf-metadata"
/**
 * Name or names of the input tasks
 */
input: (string | string[])
/**
 * Whether tasks that use its files continue without them when this task fails
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Apply the tool linearize-pdf to a PDF
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
 * Engine to use; chosen automatically when left out
 */
engine?: string
/**
 * Template for the names of the results; may contain `{name} {ext} {jobId} {index} {date}`
 */
filename?: string
/**
 * Options of the engine; they can also be sent as fields of the task
 */
options?: {
[k: string]: unknown
}
operation: "linearize-pdf"
/**
 * Name or names of the input tasks
 */
input: (string | string[])
/**
 * Whether tasks that use its files continue without them when this task fails
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Apply the tool crop-pdf to a PDF
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
 * Engine to use; chosen automatically when left out
 */
engine?: string
/**
 * Template for the names of the results; may contain `{name} {ext} {jobId} {index} {date}`
 */
filename?: string
/**
 * Options of the engine; they can also be sent as fields of the task
 */
options?: {
[k: string]: unknown
}
operation: "crop-pdf"
/**
 * Name or names of the input tasks
 */
input: (string | string[])
/**
 * Whether tasks that use its files continue without them when this task fails
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Apply the tool redact-pdf to a PDF
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
 * Engine to use; chosen automatically when left out
 */
engine?: string
/**
 * Template for the names of the results; may contain `{name} {ext} {jobId} {index} {date}`
 */
filename?: string
/**
 * Options of the engine; they can also be sent as fields of the task
 */
options?: {
[k: string]: unknown
}
operation: "redact-pdf"
/**
 * Name or names of the input tasks
 */
input: (string | string[])
/**
 * Whether tasks that use its files continue without them when this task fails
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Apply the tool sanitize-pdf to a PDF
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
 * Engine to use; chosen automatically when left out
 */
engine?: string
/**
 * Template for the names of the results; may contain `{name} {ext} {jobId} {index} {date}`
 */
filename?: string
/**
 * Options of the engine; they can also be sent as fields of the task
 */
options?: {
[k: string]: unknown
}
operation: "sanitize-pdf"
/**
 * Name or names of the input tasks
 */
input: (string | string[])
/**
 * Whether tasks that use its files continue without them when this task fails
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Apply the tool grayscale-pdf to a PDF
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
 * Engine to use; chosen automatically when left out
 */
engine?: string
/**
 * Template for the names of the results; may contain `{name} {ext} {jobId} {index} {date}`
 */
filename?: string
/**
 * Options of the engine; they can also be sent as fields of the task
 */
options?: {
[k: string]: unknown
}
operation: "grayscale-pdf"
/**
 * Name or names of the input tasks
 */
input: (string | string[])
/**
 * Whether tasks that use its files continue without them when this task fails
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Apply the tool remove-blank-pages-pdf to a PDF
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
 * Engine to use; chosen automatically when left out
 */
engine?: string
/**
 * Template for the names of the results; may contain `{name} {ext} {jobId} {index} {date}`
 */
filename?: string
/**
 * Options of the engine; they can also be sent as fields of the task
 */
options?: {
[k: string]: unknown
}
operation: "remove-blank-pages-pdf"
/**
 * Name or names of the input tasks
 */
input: (string | string[])
/**
 * Whether tasks that use its files continue without them when this task fails
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Apply the tool pdf-info to a PDF
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
 * Engine to use; chosen automatically when left out
 */
engine?: string
/**
 * Template for the names of the results; may contain `{name} {ext} {jobId} {index} {date}`
 */
filename?: string
/**
 * Options of the engine; they can also be sent as fields of the task
 */
options?: {
[k: string]: unknown
}
operation: "pdf-info"
/**
 * Name or names of the input tasks
 */
input: (string | string[])
/**
 * Whether tasks that use its files continue without them when this task fails
 */
continue_on_error?: boolean
[k: string]: unknown
}
/**
 * Provide download links to the files
 * 
 * This interface was referenced by `Api`'s JSON-Schema
 * via the `definition` "TaskExportUrl".
 */
export interface TaskExportUrl {
/**
 * Links display files in the browser instead of downloading them, if the format cannot run scripts
 */
inline?: boolean
/**
 * Template for the file names; may contain `{name} {ext} {jobId} {index} {date}`
 */
filename?: string
operation: "export/url"
/**
 * Name or names of the input tasks
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
 * Region of the bucket, such as `eu-central-1`
 */
region: string
/**
 * URL of an S3-compatible storage service
 */
endpoint?: string
/**
 * Access key id
 */
access_key_id: string
/**
 * Secret access key
 */
secret_access_key: string
/**
 * Session token of temporary credentials
 */
session_token?: string
/**
 * Whether the URL path contains the bucket; defaults to true when `endpoint` is set
 */
path_style?: boolean
/**
 * Target path; may contain `{name} {ext} {jobId} {index} {date}`
 */
key?: string
/**
 * Prefix of the file names, instead of `key`
 */
key_prefix?: string
/**
 * Canned ACL of S3
 */
acl?: ("private" | "public-read" | "public-read-write" | "authenticated-read" | "bucket-owner-full-control")
/**
 * Cache-Control header of downloads
 */
cache_control?: string
/**
 * Header of its downloads
 */
content_disposition?: string
/**
 * Metadata to store with the file
 */
metadata?: {
[k: string]: string
}
/**
 * Server-side encryption
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
 * Name or names of the input tasks
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
 * Key of the account, instead of `sas_token`
 */
storage_access_key?: string
/**
 * URL of a storage service that is compatible with Azure Blob Storage
 */
endpoint?: string
/**
 * Target path; may contain `{name} {ext} {jobId} {index} {date}`
 */
blob?: string
/**
 * Prefix of the file names, instead of `blob`
 */
blob_prefix?: string
/**
 * Cache-Control header of downloads
 */
cache_control?: string
/**
 * Header of its downloads
 */
content_disposition?: string
/**
 * Metadata to store with the file
 */
metadata?: {
[k: string]: string
}
operation: "export/blobstore"
/**
 * Name or names of the input tasks
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
 * Project of the bucket; optional
 */
project_id?: string
/**
 * Key file of a service account
 */
credentials: {
type?: "service_account"
project_id?: string
/**
 * Name of the service account
 */
client_email: string
/**
 * Private key in PEM format
 */
private_key: string
[k: string]: unknown
}
/**
 * Target path; may contain `{name} {ext} {jobId} {index} {date}`
 */
key?: string
/**
 * Prefix of the file names, instead of `key`
 */
key_prefix?: string
/**
 * Predefined ACL of Google Cloud Storage
 */
acl?: ("authenticatedRead" | "bucketOwnerFullControl" | "bucketOwnerRead" | "private" | "projectPrivate" | "publicRead")
/**
 * Cache-Control header of downloads
 */
cache_control?: string
/**
 * Header of its downloads
 */
content_disposition?: string
/**
 * Metadata to store with the file
 */
metadata?: {
[k: string]: string
}
operation: "export/gcs"
/**
 * Name or names of the input tasks
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
 * Host name or IP address of the server
 */
host: string
/**
 * Port of the server
 */
port?: number
/**
 * User name
 */
username: string
/**
 * Password of the user
 */
password?: string
/**
 * Private key of the user, instead of `password`: OpenSSH, PEM or PuTTY
 */
private_key?: string
/**
 * Passphrase of the private key
 */
passphrase?: string
/**
 * Fingerprint of the host key, such as `SHA256:…`; other keys are rejected. When left out, any key is accepted
 */
host_key_fingerprint?: string
/**
 * Target path; may contain `{name} {ext} {jobId} {index} {date}`
 */
file?: string
/**
 * Folder of the files, instead of `file`
 */
path?: string
operation: "export/sftp"
/**
 * Name or names of the input tasks
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
 * The first file; null until it has arrived
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
 * Never decreases
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
 * Engine that produced the result
 */
engine?: string
engineVersion?: string
/**
 * `stream-copy` when the streams were copied unchanged, `encode` otherwise
 */
method?: string
details?: {
[k: string]: unknown
}
/**
 * How much of the source the result kept, measured independently of the engine; left out when unknown
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
 * Of a batch that has ended
 */
summary: ({
total: number
completed: number
failed: number
} | null)
/**
 * The job that this job retries
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
 * How much of its input the task kept; null when unknown
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
 * Exports: links to the files, or their new locations. Tasks that produce files: links to them, once the job is completed. Awaited uploads: where to send the file
 */
result: (({
/**
 * Null when the task produced no file
 */
url: (string | null)
/**
 * When links expire; exported files stay in their store
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
 * The first file; null until it has arrived
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
 * Never decreases
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
 * Engine that produced the result
 */
engine?: string
engineVersion?: string
/**
 * `stream-copy` when the streams were copied unchanged, `encode` otherwise
 */
method?: string
details?: {
[k: string]: unknown
}
/**
 * How much of the source the result kept, measured independently of the engine; left out when unknown
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
 * Of a batch that has ended
 */
summary: ({
total: number
completed: number
failed: number
} | null)
/**
 * The job that this job retries
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
 * Consecutive failed runs
 */
failures: number
/**
 * Set when the workflow was disabled automatically, with the reason
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
 * Started by the schedule or by a request
 */
trigger: ("schedule" | "request")
/**
 * `waiting` for the previous run, `skipped` because of it
 */
status: ("waiting" | "running" | "completed" | "failed" | "cancelled" | "skipped")
/**
 * Scheduled time, or time of the request
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
 * Per key, session or IP address; null for no limit
 */
requestsPerMinute: (number | null)
/**
 * Per key, session or IP address; null for no limit
 */
requestsPerHour: (number | null)
/**
 * Read requests, if they have a separate limit and do not count towards the others
 */
readsPerMinute: (number | null)
/**
 * Requests that create something, per account, or per IP address without an account; null for no limit
 */
requestsPerDay: (number | null)
/**
 * Requests that create something, per account, or per IP address without an account; null for no limit
 */
requestsPerMonth: (number | null)
/**
 * Counted but not enforced; null for no limit
 */
conversionMinutesPerMonth: (number | null)
/**
 * Bytes
 */
maxFileSize: number
/**
 * Items per batch, imports per job
 */
filesPerJob: number
/**
 * Jobs that run at a time; others wait; null for no limit
 */
concurrentJobs: (number | null)
/**
 * Hours after which a finished job and its files are deleted
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
 * First characters of the key
 */
prefix: string
/**
 * Last characters of the key
 */
last4: string
scopes: string[]
status: ("active" | "rotating" | "expired")
/**
 * For a rotated key: the time until which it still works
 */
validUntil: (string | null)
expiresAt: (string | null)
allowedIps: (string[] | null)
allowedOrigins: (string[] | null)
createdAt: string
/**
 * Accurate to the minute
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
 * The usual target formats. GET /v1/formats/conversions lists every possible one.
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
 * URL of a page about the error
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
 * For example `invalid_client`
 */
error: string
error_description: string
}
