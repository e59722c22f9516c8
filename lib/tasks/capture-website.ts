import { CaptureFields } from '../capture/capture-fields.ts'
import type { ImportOperation } from './operation.ts'

/** Captures a website as a browser renders it. */
export const captureWebsiteOperation = {
  kind: 'import',
  name: 'capture-website',
  summary: 'Capture a website as a PDF or image',
  fields: CaptureFields,
  secrets: ['url', 'headers', 'cookies'],
  capture: async () => (await import('../capture/capture.ts')).captureWebsite,
} as const satisfies ImportOperation
