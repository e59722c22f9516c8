// Run by `npm run test:slow`: all formats of the engines of which the everyday suite tries some.
import { after, describe, test } from 'node:test'
import { engines } from '../../lib/engines/index.ts'
import { refusesGarbage } from './conformance.ts'

describe('garbage under any format that an engine reads is a coded error', { concurrency: 2 }, () => {
  after(() => Promise.all(engines.map((engine) => engine.close?.())))

  for (const engine of engines) test(`for ${engine.id}`, () => refusesGarbage(engine))
})
