import { globSync, readFileSync } from 'node:fs'
import { parse } from 'acorn'
import { transformSync } from 'esbuild'
import { isNode, type Node } from './list.ts'

/** Folders with code that reads client text or the content of files. */
const parsingFolders =
  'lib/{formats,fidelity,binary,decoders,names,validation,net,crypto,engines,http,transfer,embedded-aws/s3}/**/*.ts'

/** Calls that look through a text or copy it; in a loop over the same text they can take quadratic time. */
const searchMethods = [
  'indexOf',
  'lastIndexOf',
  'includes',
  'search',
  'findIndex',
  'find',
  'findLast',
  'findLastIndex',
]
const copyMethods = ['concat', 'splice', 'shift', 'unshift']

const loopTypes = ['ForStatement', 'WhileStatement', 'DoWhileStatement', 'ForOfStatement', 'ForInStatement']

/** A function with a loop that contains a search, a copy, or a spread of a list into itself. */
export interface Scanner {
  readonly path: string
  readonly name: string
  readonly calls: readonly string[]
}

/** Returns every function in the parsing folders that may scan in quadratic time. */
export function listScanners(): Scanner[] {
  return globSync(parsingFolders)
    .sort()
    .flatMap((path) => {
      const { code } = transformSync(readFileSync(path, 'utf8'), { loader: 'ts', target: 'esnext' })
      const program = parse(code, { ecmaVersion: 'latest', sourceType: 'module' })
      const foundCalls = new Map<string, Set<string>>()
      const helpers = findSearchingFunctions(program)
      visit(program, { name: '', depth: 0 }, (node, { name, depth }) => {
        const call = findRiskyCall(node) ?? findHelperCall(node, helpers)
        if (call === undefined || depth === 0) return
        foundCalls.set(name, (foundCalls.get(name) ?? new Set<string>()).add(call))
      })
      return [...foundCalls].map(([name, calls]) => ({ path, name, calls: [...calls].sort() }))
    })
}

interface Place {
  /** Name of the enclosing function. */
  readonly name: string
  /** Number of enclosing loops within that function. */
  readonly depth: number
}

/** Returns the functions that search without a loop of their own: in a loop they are as risky as what they call. */
function findSearchingFunctions(program: Node): Set<string> {
  const names = new Set<string>()
  visit(program, { name: '', depth: 0 }, (node, { name, depth }) => {
    const call = findRiskyCall(node)
    if (call !== undefined && searchMethods.includes(call) && depth === 0 && name !== '') names.add(name)
  })
  return names
}

const findHelperCall = (node: Node, helpers: ReadonlySet<string>): string | undefined => {
  if (node.type !== 'CallExpression' || !('callee' in node)) return undefined
  const name = getName(node.callee)
  return name !== undefined && helpers.has(name) ? `${name}()` : undefined
}

function visit(node: Node, place: Place, onNode: (node: Node, place: Place) => void): void {
  onNode(node, place)
  const name = getDeclaredName(node)
  const depth = place.depth + (loopTypes.includes(node.type) ? 1 : 0)
  const innerPlace = name === undefined ? { ...place, depth } : { name, depth: 0 }
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value])
      if (isNode(child)) visit(child, innerPlace, onNode)
}

/** Returns the name of a function or method, or of the variable to which an arrow function is assigned. */
function getDeclaredName(node: Node): string | undefined {
  const { id, key, value, init } = node as Node & Readonly<Record<'id' | 'key' | 'value' | 'init', unknown>>
  const isFunction = (one: unknown) => isNode(one) && one.type.endsWith('FunctionExpression')
  if (node.type === 'FunctionDeclaration') return getName(id)
  if (node.type === 'VariableDeclarator' && isFunction(init)) return getName(id)
  if ((node.type === 'MethodDefinition' || node.type === 'PropertyDefinition') && isFunction(value))
    return getName(key)
  return undefined
}

const getName = (node: unknown) => (isNode(node) && 'name' in node ? String(node.name) : undefined)

function findRiskyCall(node: Node): string | undefined {
  if (node.type !== 'CallExpression' || !('callee' in node) || !isNode(node.callee)) return undefined
  const { callee } = node
  const method = 'property' in callee ? getName(callee.property) : undefined
  return method !== undefined && [...searchMethods, ...copyMethods].includes(method) ? method : undefined
}
