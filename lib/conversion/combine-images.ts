import { AppError } from '../errors.ts'
import { type FormatId, formatById, isFormatId } from '../formats/index.ts'
import type { DetectedSources } from './detect-sources.ts'

/** Validates requests with `combineImages`, which creates one PDF with a page for each image. */

/**
 * Returns whether a request combines images.
 * @param tool the operation that the request names, if any.
 * @throws AppError INVALID_INPUT if it names a tool as well, or another target format.
 */
export function readCombineImages(
  combineImages: boolean | undefined,
  tool: string | undefined,
  to: FormatId | undefined,
): boolean {
  if (combineImages !== true) return false
  if (tool !== undefined)
    throw new AppError(
      'INVALID_INPUT',
      `combineImages: expected no toolOperation next to it, got ${tool}. Send one of the two.`,
      { field: 'combineImages' },
    )
  requirePdfTarget(to)
  return true
}

function requirePdfTarget(to: FormatId | undefined): void {
  if (to === undefined || to === 'pdf') return
  throw new AppError(
    'INVALID_INPUT',
    `targetFormat: expected pdf with combineImages, got ${to}. To arrange images in one image, use POST /v1/convert/merge.`,
    { field: 'targetFormat', expected: ['pdf'] },
  )
}

/**
 * Checks that the files that have arrived are images; the first one may still have to be fetched.
 * @param firstImport name of the task that imports the first file
 * @throws AppError INVALID_INPUT for a file that is not an image.
 */
export function requireImages(
  files: DetectedSources,
  firstImport: string | undefined,
  additionalField = 'file',
): void {
  for (const [name, file] of files)
    if (!(file instanceof AppError))
      requireImage(file.format, name === firstImport ? 'file' : additionalField, file.filename)
}

/**
 * Checks that a file is an image.
 * @param field the request field with the file.
 * @throws AppError INVALID_INPUT for any other file.
 */
export function requireImage(format: string, field: string, name = ''): void {
  if (!isFormatId(format) || formatById(format).category === 'image') return
  throw new AppError(
    'INVALID_INPUT',
    `${field}: expected an image with combineImages, got ${format}${name && ` (${name})`}. Merge PDFs with POST /v1/convert/merge, and convert other files without combineImages.`,
    { field, format },
  )
}
