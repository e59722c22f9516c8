// Run by `npm run test:slow`: all formats of engines; the regular suite tests only some of them.
import { after, describe, test } from 'node:test'
import { engines } from '../../lib/engines/index.ts'
import { assertRefusesGarbage } from './support/conformance.ts'

describe('garbage input', { concurrency: 2 }, () => {
  after(() => Promise.all(engines.map((engine) => engine.close?.())))

  for (const engine of engines)
    test(`garbage in any format that ${engine.id} reads is refused with an error code`, () =>
      assertRefusesGarbage(engine))
})
