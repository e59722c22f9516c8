import type { FunctionDeclaration } from '../resources/declaration.ts'

interface Budget {
  /** Thousands of bytes of code that are read before it answers anything: what a cold start waits for. */
  readonly startKb: number
  /** Thousands of bytes of its package. */
  readonly zipKb: number
}

/** Of a package that has no reason to be larger. */
const usual: Budget = { startKb: 1320, zipKb: 1000 }

interface Reason {
  readonly of: (name: string, declared: FunctionDeclaration) => boolean
  readonly more: Partial<Budget>
  readonly why: string
}

const reasons: readonly Reason[] = [
  {
    of: (_, { readsFiles }) => readsFiles === true,
    more: { zipKb: 1300 },
    why: 'libmagic (730) tells formats apart, and a reader of PDFs (500) whether one is locked; both are loaded when a file wants them',
  },
  {
    of: (_, { reaches }) => reaches?.includes('stores') === true,
    more: { startKb: 100, zipKb: 550 },
    why: 'clients of SFTP and of Azure, and one for HTTP that checks each address',
  },
  {
    of: (name) => name === 'api',
    more: { startKb: 450, zipKb: 1450 },
    why: 'it has the contracts of all endpoints, whose description it serves, the page in its languages (250), what draws PDFs there (700), and the encodings of Asian texts for it (450)',
  },
  {
    of: (name) => name === 'account',
    more: { startKb: 300 },
    why: 'the library that signs people up and in',
  },
]

/** What the package of a function may take. A new dependency that no request needs at once belongs behind an import() of its own. */
export function budgetOf(name: string, declared: FunctionDeclaration): Budget {
  const more = reasons.filter(({ of }) => of(name, declared)).map((reason) => reason.more)
  const sum = (pick: (budget: Partial<Budget>) => number | undefined) =>
    more.reduce((all, one) => all + (pick(one) ?? 0), 0)
  // What only listens to events has no endpoints and plans nothing.
  const startKb = 'events' in declared.trigger && !declared.secrets ? 550 : usual.startKb
  return { startKb: startKb + sum((one) => one.startKb), zipKb: usual.zipKb + sum((one) => one.zipKb) }
}
