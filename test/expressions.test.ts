import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adversarialInputs } from './expressions/adversarial.ts'
import { type Expression, listExpressions } from './expressions/list.ts'

/** Files whose expressions run on the event loop of the API: everything but the code of workers. */
const isApi = (path: string) =>
  /^(?:functions\/(?!web)|lib\/(?:access|http|validation|names|[^/]+$))/.test(path)
/** Milliseconds per MiB of input. */
const limitOf = (path: string) => (isApi(path) ? 50 : 500)

/** Characters of the inputs. A slow expression shows on a short one, before a long one would take minutes. */
const lengths = [1024, 8 * 1024, 64 * 1024]

function msOf({ source, flags }: Expression, input: string): number {
  const pattern = new RegExp(source, flags)
  const start = performance.now()
  if (flags.includes('g')) input.replace(pattern, '')
  else pattern.exec(input)
  return performance.now() - start
}

/** The fastest of several runs: what else runs on the machine only makes it slower. */
const measureFastestMs = (expression: Expression, input: string) =>
  Math.min(...[1, 2, 3].map(() => msOf(expression, input)))

function describeIfTooSlow(expression: Expression): string | undefined {
  const longest = lengths.at(-1) ?? 0
  const allowedMs = (limitOf(expression.path) * longest) / 1024 ** 2
  for (const input of adversarialInputs(expression, longest))
    for (const length of lengths) {
      const head = input.slice(0, length)
      if (msOf(expression, head) <= allowedMs) continue
      const ms = measureFastestMs(expression, head)
      if (ms > allowedMs) return describe(expression, head, ms)
    }
  return undefined
}

const describe = ({ path, source, flags }: Expression, input: string, ms: number) =>
  `${path}: /${source}/${flags} takes ${ms.toFixed(1)} ms for ${input.length} characters of ${JSON.stringify(input.slice(0, 40))}…`

test('no regular expression takes longer than its limit on adversarial input', () => {
  const { literals } = listExpressions()
  assert.ok(literals.length > 800, `${literals.length} expressions were found`)
  const distinct = [
    ...new Map(literals.map((one) => [`/${one.source}/${one.flags} ${isApi(one.path)}`, one])).values(),
  ]
  assert.deepEqual(
    distinct.map(describeIfTooSlow).filter((one) => one !== undefined),
    [],
  )
})
