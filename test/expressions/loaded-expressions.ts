import { relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Expression } from './list.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Loads modules and returns the expressions that they build meanwhile by calling `RegExp`. */
export async function loadExpressions(paths: readonly string[]): Promise<Expression[]> {
  const expressions: Expression[] = []
  const { RegExp: originalRegExp } = globalThis
  const recordExpression = (expression: RegExp) => {
    const path = getCallerPath(new Error().stack ?? '')
    if (path !== undefined) expressions.push({ path, source: expression.source, flags: expression.flags })
    return expression
  }
  globalThis.RegExp = new Proxy(originalRegExp, {
    construct: (target, given) => recordExpression(Reflect.construct(target, given)),
    apply: (target, self, given) => recordExpression(Reflect.apply(target, self, given)),
  })
  try {
    for (const path of paths) await import(pathToFileURL(root + path).href)
  } finally {
    globalThis.RegExp = originalRegExp
  }
  return expressions
}

/** Returns the file that called `RegExp`, or undefined if it is in a package. */
function getCallerPath(stack: string): string | undefined {
  const paths = [...stack.matchAll(/file:\/\/(\/[^\s:)]+)/g)].map(([, file = '']) => relative(root, file))
  const path = paths.find((one) => !one.startsWith('test/expressions/'))
  return path !== undefined && /^(?:lib|functions|events)\//.test(path) ? path : undefined
}
