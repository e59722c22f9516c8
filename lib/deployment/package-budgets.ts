import type { FunctionDeclaration } from '../resources/function-declaration.ts'
import type { LambdaLayerId } from './lambda-layers.ts'

interface Budget {
  /**
   * Thousands of bytes that its import leaves in memory: code that was read, and what it has built of it (schemas,
   * clients). A cold start waits for both; unlike time they are nearly the same on a busy machine.
   */
  readonly heapKb: number
  /** Thousands of bytes of its package. */
  readonly zipKb: number
}

/** Of a package that has no reason to be larger. */
const defaultBudget: Budget = { heapKb: 8600, zipKb: 740 }

/** No reason is good for more: what is larger belongs in a layer. */
export const maxZipKb = 1000

interface BudgetException {
  readonly appliesTo: (name: string, declared: FunctionDeclaration) => boolean
  readonly extra: Partial<Budget>
  readonly why: string
}

const exceptions: readonly BudgetException[] = [
  {
    appliesTo: (name, { plans }) => plans === true && !['api', 'prepare'].includes(name),
    extra: { heapKb: 2100 },
    why: 'the fields of all task operations and formats, by which requests are checked that make jobs',
  },
  {
    appliesTo: (_, { reaches }) => reaches?.includes('receivers') === true,
    extra: { heapKb: 700 },
    why: 'a client for HTTP that checks each address',
  },
  {
    appliesTo: (_, { reaches }) => reaches?.some((one) => one === 'receivers' || one === 'drives') === true,
    extra: { zipKb: 260 },
    why: 'the same client, which some load at their start and some when they first call',
  },
  {
    appliesTo: (_, { reaches }) => reaches?.includes('stores') === true,
    extra: { heapKb: 700, zipKb: 80 },
    why: 'clients of SFTP and of Azure, and one for HTTP that checks each address',
  },
  {
    appliesTo: (name) => name === 'api',
    extra: { zipKb: 120 },
    why: 'it has the contracts of all endpoints, whose description it serves',
  },
]

/** What the package of a function may take. A new dependency that no request needs at once belongs behind an import() of its own. */
export function packageBudget(name: string, declared: FunctionDeclaration): Budget {
  const extras = exceptions
    .filter(({ appliesTo: of }) => of(name, declared))
    .map((exception) => exception.extra)
  const sum = (pick: (budget: Partial<Budget>) => number | undefined) =>
    extras.reduce((all, one) => all + (pick(one) ?? 0), 0)
  // What only listens to events has no endpoints and plans nothing.
  const heapKb = 'events' in declared.trigger && !declared.secrets ? 6000 : defaultBudget.heapKb
  return { heapKb: heapKb + sum((one) => one.heapKb), zipKb: defaultBudget.zipKb + sum((one) => one.zipKb) }
}

/** Thousands of bytes of what functions load from beside their packages, when a request wants it. */
export const layerBudgetsKb = {
  // libmagic (730), and a reader of PDFs (480).
  readers: 1250,
  // The page in its languages (250), what draws PDFs there (700), and the encodings of Asian texts for it (450).
  page: 1500,
} as const satisfies Readonly<Record<LambdaLayerId, number>>
