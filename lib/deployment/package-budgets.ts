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
const usual: Budget = { heapKb: 8600, zipKb: 740 }

/** No reason is good for more: what is larger belongs in a layer. */
export const mostZipKb = 1000

interface Reason {
  readonly of: (name: string, declared: FunctionDeclaration) => boolean
  readonly more: Partial<Budget>
  readonly why: string
}

const reasons: readonly Reason[] = [
  {
    of: (name, { plans }) => plans === true && !['api', 'prepare'].includes(name),
    more: { heapKb: 2100 },
    why: 'the fields of all task operations and formats, by which requests are checked that make jobs',
  },
  {
    of: (_, { reaches }) => reaches?.includes('receivers') === true,
    more: { heapKb: 700 },
    why: 'a client for HTTP that checks each address',
  },
  {
    of: (_, { reaches }) => reaches?.some((one) => one === 'receivers' || one === 'drives') === true,
    more: { zipKb: 260 },
    why: 'the same client, which some load at their start and some when they first call',
  },
  {
    of: (_, { reaches }) => reaches?.includes('stores') === true,
    more: { heapKb: 700, zipKb: 80 },
    why: 'clients of SFTP and of Azure, and one for HTTP that checks each address',
  },
  {
    of: (name) => name === 'api',
    more: { zipKb: 120 },
    why: 'it has the contracts of all endpoints, whose description it serves',
  },
]

/** What the package of a function may take. A new dependency that no request needs at once belongs behind an import() of its own. */
export function budgetOf(name: string, declared: FunctionDeclaration): Budget {
  const more = reasons.filter(({ of }) => of(name, declared)).map((reason) => reason.more)
  const sum = (pick: (budget: Partial<Budget>) => number | undefined) =>
    more.reduce((all, one) => all + (pick(one) ?? 0), 0)
  // What only listens to events has no endpoints and plans nothing.
  const heapKb = 'events' in declared.trigger && !declared.secrets ? 6000 : usual.heapKb
  return { heapKb: heapKb + sum((one) => one.heapKb), zipKb: usual.zipKb + sum((one) => one.zipKb) }
}

/** Thousands of bytes of what functions load from beside their packages, when a request wants it. */
export const layerBudgetsKb = {
  // libmagic (730), and a reader of PDFs (480).
  readers: 1250,
  // The page in its languages (250), what draws PDFs there (700), and the encodings of Asian texts for it (450).
  page: 1500,
} as const satisfies Readonly<Record<LambdaLayerId, number>>
