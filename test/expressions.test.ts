import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adversarialInputs } from './expressions/adversarial.ts'
import { type Expression, listExpressions } from './expressions/list.ts'
import { loadExpressions } from './expressions/loaded-expressions.ts'
import { verdicts } from './expressions/runtime-expressions.ts'

/** Matches paths of code that runs in workers, decoder processes, builds, the command line or browsers. */
const offServerPattern =
  /^(?:functions\/web|lib\/(?:engines|fidelity|formats|binary|decoders|capture|transfer|jobs\/run|page|deployment|client)\/|lib\/local\/(?:setup|commands)\/)/
/** Matches paths of code that parses options. The API runs this code too. */
const optionFilePattern = /^lib\/engines\/.*(?:options|page-range|page-setup|languages)\.ts$/
/** Returns whether the expressions of a file run on the event loop of the API. */
const parsesRequests = (path: string) => optionFilePattern.test(path) || !offServerPattern.test(path)
/** Returns the time limit of a file's expressions, in milliseconds per MiB of input. */
const getLimitMs = (path: string) => (parsesRequests(path) ? 50 : 500)

/**
 * Lengths of the inputs in characters. A slow expression already shows on a short input, before a long one
 * takes minutes.
 */
const lengths = [1024, 8 * 1024, 64 * 1024]

function measureMs({ source, flags }: Expression, input: string): number {
  const pattern = new RegExp(source, flags)
  const start = performance.now()
  if (flags.includes('g')) input.replace(pattern, '')
  else pattern.exec(input)
  return performance.now() - start
}

/** Returns the duration of the fastest of several runs, because other load only makes a run slower. */
const measureFastestMs = (expression: Expression, input: string) =>
  Math.min(...[1, 2, 3].map(() => measureMs(expression, input)))

function describeIfTooSlow(expression: Expression): string | undefined {
  const maxLength = lengths.at(-1) ?? 0
  const allowedMs = (getLimitMs(expression.path) * maxLength) / 1024 ** 2
  for (const input of adversarialInputs(expression, maxLength))
    for (const length of lengths) {
      const head = input.slice(0, length)
      if (measureMs(expression, head) <= allowedMs) continue
      const ms = measureFastestMs(expression, head)
      if (ms > allowedMs) return formatSlowExpression(expression, head, ms)
    }
  return undefined
}

const formatSlowExpression = ({ path, source, flags }: Expression, input: string, ms: number) =>
  `${path}: /${source}/${flags} takes ${ms.toFixed(1)} ms for ${input.length} characters of ${JSON.stringify(input.slice(0, 40))}…`

test('no regular expression in the code exceeds its time limit on adversarial input', () => {
  const { literals } = listExpressions()
  assert.ok(literals.length > 800, `${literals.length} expressions were found`)
  const distinctExpressions = [
    ...new Map(
      literals.map((literal) => [
        `/${literal.source}/${literal.flags} ${parsesRequests(literal.path)}`,
        literal,
      ]),
    ).values(),
  ]
  assert.deepEqual(
    distinctExpressions.map(describeIfTooSlow).filter((problem) => problem !== undefined),
    [],
  )
})

test('no regular expression built at run time exceeds its time limit on adversarial input', async () => {
  const { dynamic: dynamicExpressions } = listExpressions()
  const findVerdict = ({ path, code }: { readonly path: string; readonly code: string }) =>
    verdicts.find((verdict) => verdict.path === path && code.includes(verdict.call))
  const withoutVerdict = dynamicExpressions.filter((dynamicExpression) => !findVerdict(dynamicExpression))
  const loadedExpressions = await loadExpressions([...new Set(withoutVerdict.map(({ path }) => path))])
  const isLoaded = ({ path }: { readonly path: string }) =>
    loadedExpressions.some((loadedExpression) => loadedExpression.path === path)
  assert.deepEqual(
    withoutVerdict.filter((expression) => !isLoaded(expression)),
    [],
    'add a row to expressions/runtime-expressions.ts',
  )
  assert.deepEqual(
    verdicts.filter(
      ({ path, call }) =>
        !dynamicExpressions.some(
          (dynamicExpression) => dynamicExpression.path === path && dynamicExpression.code.includes(call),
        ),
    ),
    [],
    'these rows are not needed any more',
  )
  const sampledExpressions = verdicts.flatMap(({ path, samples = [], flags = '' }) =>
    samples.map((source) => ({ path, source, flags })),
  )
  assert.deepEqual(
    [...loadedExpressions, ...sampledExpressions]
      .map(describeIfTooSlow)
      .filter((problem) => problem !== undefined),
    [],
  )
})
