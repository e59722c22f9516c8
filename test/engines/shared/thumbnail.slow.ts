// Run by `npm run test:slow`: tests thumbnails of all fixtures that support them.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { describe, test } from 'node:test'
import { engines } from '../../../lib/engines/index.ts'
import { formatByExtension } from '../../../lib/formats/index.ts'
import { planRoute } from '../../plan/with-all-engines.ts'
import { readImageSize } from '../support/inspect-result.ts'
import { convert, fixture } from '../support/run-engine.ts'

const sources = readdirSync(fixture('')).flatMap((name) => {
  const from = formatByExtension(name)?.id
  const rows = engines.flatMap(({ capabilities }) =>
    capabilities.filter(({ operation }) => operation === 'thumbnail'),
  )
  return from && rows.some((row) => row.from.includes(from)) && !/password|\.ts$/.test(name)
    ? [{ name, from }]
    : []
})

describe('thumbnails', { concurrency: 2 }, () => {
  for (const { name, from } of sources) {
    test(`a thumbnail of ${name} has the requested size`, async () => {
      const { engine } = planRoute({ from, to: 'webp', operation: 'thumbnail' }).steps[0]
      const thumbnailEngine = engines.find(({ id }) => id === engine)
      assert.ok(thumbnailEngine)
      const box = { width: 16, height: 16 }
      const cropOptions = { operation: 'thumbnail', options: { ...box, fit: 'crop' } } as const
      assert.deepEqual(
        await readImageSize(
          (await convert(thumbnailEngine, fixture(name), 'webp', cropOptions)).path,
          'webp',
        ),
        box,
      )
      const fittedThumbnail = await convert(thumbnailEngine, fixture(name), 'jpg', {
        operation: 'thumbnail',
        options: box,
      })
      const { width, height } = await readImageSize(fittedThumbnail.path, 'jpg')
      assert.equal(Math.max(width, height), 16)
    })
  }
})
