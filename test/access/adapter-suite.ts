import {
  authFlowTestSuite,
  caseInsensitiveTestSuite,
  joinsTestSuite,
  normalTestSuite,
  testAdapter,
  uuidTestSuite,
} from '@better-auth/test-utils/adapter'
import { type Models, models } from '../../lib/access/auth/records.ts'
import { createTableAdapter } from '../../lib/access/auth/table-adapter.ts'
import { openApp } from '../http/embedded-app.ts'

/** better-auth's adapter test suite, which needs vitest; see adapter.slow.ts. */

const app = await openApp()

/** The suite queries models, including invented ones, by arbitrary fields. */
const listableModels: Models = new Proxy(models, {
  get: (all, name) => ({ ...Reflect.get(all, name), isListable: true }),
})

const { execute } = await testAdapter({
  adapter: () => createTableAdapter({ ...app.services, models: listableModels }),
  runMigrations: () => undefined,
  tests: [
    normalTestSuite(),
    authFlowTestSuite(),
    caseInsensitiveTestSuite(),
    joinsTestSuite(),
    uuidTestSuite(),
  ],
  onFinish: () => app.close(),
})
execute()
