// Run by `npm run test:slow`: metadata in the formats that metadata.test.ts leaves out.
import { describe, test } from 'node:test'
import { testImageMetadata, testMediaMetadata } from './metadata-writes.ts'

describe('metadata/write', { concurrency: 2 }, () => {
  for (const name of ['orientation-6.jpg', 'cmyk.jpg', 'animated.apng', 'animated.webp', 'corners.avif'])
    test(`writes into ${name}, strips it again and leaves its pixels alone`, () => testImageMetadata(name))

  for (const id of ['flac', 'opus', 'mp4', 'mov', 'webm'] as const)
    test(`writes into ${id}, strips it again and copies its streams`, () => testMediaMetadata(id))
})
