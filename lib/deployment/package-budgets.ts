import type { FunctionDeclaration } from '../resources/function-declaration.ts'
import type { LambdaLayerId } from './lambda-layers.ts'

interface Budget {
  /**
   * Heap in kB after importing the package: code, and the objects that it creates (schemas, clients). Both delay a cold
   * start; unlike time, the heap is nearly the same on a busy machine. It varies by about 100 kB, so leave that margin.
   */
  readonly heapKb: number
  /** Size of the package in kB. */
  readonly zipKb: number
}

/** Budget of a package without exceptions. */
const defaultBudget: Budget = { heapKb: 8600, zipKb: 800 }

/** Maximum for all packages: larger code belongs in a layer. */
export const maxZipKb = 1030

interface BudgetException {
  readonly appliesTo: (name: string, declaredFunction: FunctionDeclaration) => boolean
  readonly increase: Partial<Budget>
  readonly reason: string
}

const exceptions: readonly BudgetException[] = [
  {
    appliesTo: (name, { plans }) => plans === true && !['api', 'prepare'].includes(name),
    increase: { heapKb: 2400 },
    reason: 'the schemas of all task operations and formats, which validate requests that create jobs',
  },
  {
    appliesTo: (_, { reaches }) => reaches?.includes('receivers') === true,
    increase: { heapKb: 700 },
    reason: 'an HTTP client that checks each IP address',
  },
  {
    appliesTo: (_, { reaches }) =>
      reaches?.some((destination) => destination === 'receivers' || destination === 'drives') === true,
    increase: { zipKb: 260 },
    reason: 'the same client, which some functions load at the start and others at the first call',
  },
  {
    appliesTo: (_, { reaches }) => reaches?.includes('stores') === true,
    increase: { heapKb: 700, zipKb: 200 },
    reason: 'clients for SFTP and Azure with its XML parser, and an HTTP client that checks each IP address',
  },
  {
    appliesTo: (name) => name === 'api',
    increase: { heapKb: 700, zipKb: 120 },
    reason: 'the contracts of all endpoints, for the OpenAPI document that it serves',
  },
]

/**
 * Returns the budget of a function's package. If a package exceeds it, load a dependency that few requests need with
 * `import()` where it is used.
 */
export function getPackageBudget(name: string, declaredFunction: FunctionDeclaration): Budget {
  const increases = exceptions
    .filter(({ appliesTo: of }) => of(name, declaredFunction))
    .map((exception) => exception.increase)
  const sum = (pick: (budget: Partial<Budget>) => number | undefined) =>
    increases.reduce((total, budget) => total + (pick(budget) ?? 0), 0)
  // Functions that only handle events have no endpoints and plan nothing.
  const heapKb =
    'events' in declaredFunction.trigger && !declaredFunction.secrets ? 6000 : defaultBudget.heapKb
  return {
    heapKb: heapKb + sum((budget) => budget.heapKb),
    zipKb: defaultBudget.zipKb + sum((budget) => budget.zipKb),
  }
}

/** Size budgets of the layers. */
export const layerBudgetsKb = {
  // The layer contains libmagic (730), a PDF reader (480), and the program that uses them (130).
  readers: 1400,
  // The page (250 for each language), its PDF renderer (700), and the renderer's encodings for Asian text (450).
  page: 2800,
} as const satisfies Readonly<Record<LambdaLayerId, number>>
