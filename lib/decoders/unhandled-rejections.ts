/**
 * Ignores rejections that no caller waits for: pdf.js also reads other parts of a PDF, which may be damaged. The
 * promises for which the caller waits show whether the file can be read.
 */
process.on('unhandledRejection', () => undefined)
