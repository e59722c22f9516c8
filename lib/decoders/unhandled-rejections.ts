/**
 * Ignores rejections that no caller waits for: pdf.js also reads other parts of a PDF, which may be damaged. What the
 * caller waits for tells whether the file can be read.
 */
process.on('unhandledRejection', () => undefined)
