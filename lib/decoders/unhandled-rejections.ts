/**
 * pdf.js also reads parts of a PDF for which the caller does not wait; in a damaged one they reject. What the caller
 * waits for says whether the file can be read, so these rejections must not end the process.
 */
process.on('unhandledRejection', () => undefined)
