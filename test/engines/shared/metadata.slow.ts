// Run by `npm run test:slow`: tests metadata in the formats that metadata.test.ts leaves out.
import { describe, test } from 'node:test'
import { testImageMetadata, testMediaMetadata } from '../support/metadata-writes.ts'

describe('writing metadata', { concurrency: 2 }, () => {
  for (const name of ['orientation-6.jpg', 'cmyk.jpg', 'animated.apng', 'animated.webp', 'corners.avif'])
    test(`metadata is written into ${name} and stripped without changing its pixels`, () =>
      testImageMetadata(name))

  for (const id of ['flac', 'opus', 'mp4', 'mov', 'webm'] as const)
    test(`metadata is written into ${id} and stripped without re-encoding`, () => testMediaMetadata(id))
})
