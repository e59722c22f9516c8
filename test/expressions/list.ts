import { globSync, readFileSync } from 'node:fs'
import { type Node, parse } from 'acorn'

export type { Node } from 'acorn'

import { transformSync } from 'esbuild'

/** A regular expression in the source code. */
export interface Expression {
  readonly path: string
  readonly source: string
  readonly flags: string
}

/** A call of `RegExp`, whose expression is only known when it runs. */
export interface DynamicExpression {
  readonly path: string
  readonly code: string
}

/** Returns the regular expressions in the code that runs in production: literals and calls of `RegExp`. */
export function listExpressions(): {
  readonly literals: Expression[]
  readonly dynamic: DynamicExpression[]
} {
  const literals: Expression[] = []
  const dynamic: DynamicExpression[] = []
  const paths = globSync(['lib/**/*.{ts,tsx}', 'functions/**/*.{ts,tsx}', 'events/**/*.ts'])
  for (const path of paths.sort()) {
    if (path.endsWith('.d.ts') || path.endsWith('api-types.ts')) continue
    const { code } = transformSync(readFileSync(path, 'utf8'), {
      loader: path.endsWith('x') ? 'tsx' : 'ts',
      target: 'esnext',
    })
    for (const node of walkNodes(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }))) {
      if (isRegExpLiteral(node)) {
        const { pattern, flags } = node.regex
        literals.push({ path, source: pattern, flags })
      } else if (isRegExpCall(node)) dynamic.push({ path, code: code.slice(node.start, node.end) })
    }
  }
  return { literals, dynamic }
}

function* walkNodes(node: Node): Generator<Node> {
  yield node
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) yield* walkNodes(child)
}

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value

const isRegExpLiteral = (node: Node): node is Node & { regex: { pattern: string; flags: string } } =>
  node.type === 'Literal' && 'regex' in node

const isRegExpCall = (node: Node): boolean =>
  (node.type === 'NewExpression' || node.type === 'CallExpression') &&
  'callee' in node &&
  isNode(node.callee) &&
  'name' in node.callee &&
  node.callee.name === 'RegExp'
