// Run by `npm run test:slow`: tests garbage in every format that an engine reads; the regular suite tests only some.
import { after, describe, test } from 'node:test'
import { engines } from '../../lib/engines/index.ts'
import { assertRefusesGarbage } from './support/conformance.ts'

describe('garbage input', { concurrency: 2 }, () => {
  after(() => Promise.all(engines.map((engine) => engine.close?.())))

  for (const engine of engines)
    test(`garbage in any format that ${engine.id} reads is refused with an error code`, () =>
      assertRefusesGarbage(engine))
})
