import { CaptureFields } from './capture-fields.ts'
import type { ImportOperation } from './operation.ts'

/** A website, as a browser shows it. */
export const captureWebsiteOperation = {
  kind: 'import',
  name: 'capture-website',
  summary: 'Make a PDF or a picture of a website',
  fields: CaptureFields,
  secrets: ['url', 'headers', 'cookies'],
  capture: async () => (await import('../capture/capture.ts')).captureWebsite,
} as const satisfies ImportOperation
