import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startRuntimeApi } from './runtime-api.ts'

const runtimePath = fileURLToPath(new URL('../../layers/runtime.ts', import.meta.url))

const handlers = `
export const echo = async (event, context) => ({
  event,
  id: context.awsRequestId,
  name: context.functionName,
  remaining: context.getRemainingTimeInMillis(),
  trace: process.env._X_AMZN_TRACE_ID,
})
export const nothing = async () => {}
export const failing = async ({ message }) => { throw new RangeError(message) }
export const notAFunction = 5
`

let taskRoot: string
let api: Awaited<ReturnType<typeof startRuntimeApi>>

before(async () => {
  taskRoot = mkdtempSync(join(tmpdir(), 'mutabor-runtime-'))
  writeFileSync(join(taskRoot, 'handlers.mjs'), handlers)
  writeFileSync(join(taskRoot, 'broken.mjs'), "throw new TypeError('broken at load')")
})
after(() => rmSync(taskRoot, { recursive: true, force: true }))

async function withRuntime(handler: string, use: (child: ChildProcess) => Promise<void>) {
  api = await startRuntimeApi()
  const child = spawn(process.execPath, [runtimePath, handler], {
    env: {
      AWS_LAMBDA_RUNTIME_API: api.address,
      AWS_LAMBDA_FUNCTION_NAME: 'convert',
      LAMBDA_TASK_ROOT: taskRoot,
    },
    stdio: 'ignore',
  })
  try {
    await use(child)
  } finally {
    child.kill('SIGKILL')
    api.close()
  }
}

test('the Lambda runtime passes one invocation after another to the handler and returns its results', () =>
  withRuntime('handlers.echo', async () => {
    const outcomes = await Promise.all([api.invoke({ n: 1 }), api.invoke({ n: 'ü' }, 5)])
    const [firstOutcome, secondOutcome] = outcomes.map((outcome) =>
      'response' in outcome ? outcome.response : outcome,
    )
    assert.partialDeepStrictEqual(firstOutcome, {
      event: { n: 1 },
      id: 'request-0',
      name: 'convert',
      trace: 'Root=request-0',
    })
    assert.partialDeepStrictEqual(secondOutcome, {
      event: { n: 'ü' },
      id: 'request-1',
      trace: 'Root=request-1',
    })
    const { remaining } = secondOutcome as { remaining: number }
    assert.ok(remaining > 0 && remaining <= 5000, `remaining ${remaining}`)
  }))

test('an error of the Lambda handler is reported with its type, and the next event is processed', () =>
  withRuntime('handlers.failing', async () => {
    for (const message of ['one', 'two']) {
      const outcome = await api.invoke({ message })
      assert.ok('error' in outcome)
      assert.equal(outcome.error.errorType, 'RangeError')
      assert.equal(outcome.error.errorMessage, message)
      assert.match(outcome.error.stackTrace[0] ?? '', /failing/)
    }
  }))

test('a Lambda handler without a result returns null', () =>
  withRuntime('handlers.nothing', async () => {
    assert.deepEqual(await api.invoke({}), { response: null })
  }))

for (const [handler, message] of [
  ['broken.handler', /^broken at load$/],
  ['handlers.notAFunction', /^handlers\.mjs exports no function "notAFunction"\.$/],
  ['handlers', /^Expected a handler like "functions\/convert\.handler", got "handlers"\.$/],
] as const) {
  test(`the Lambda handler ${handler} ends the runtime with an initialization error`, () =>
    withRuntime(handler, async (child) => {
      const exitEvent = once(child, 'exit')
      assert.match((await api.initError).errorMessage, message)
      assert.deepEqual(await exitEvent, [1, null])
    }))
}

test('the Lambda runtime exits when the runtime API becomes unreachable', () =>
  withRuntime('handlers.echo', async (child) => {
    await api.invoke({})
    const exitEvent = once(child, 'exit')
    api.close()
    assert.deepEqual(await exitEvent, [1, null])
  }))
