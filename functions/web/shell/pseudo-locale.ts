/**
 * A pseudo-locale: English in brackets, right to left. Text without brackets is not from a catalog, and layout that is
 * not mirrored ignores `dir`. Enabled with `?lang=mirrored`, for tests and development.
 */
export function pseudoLocalize<Words>(words: Words): Words {
  return transform(words) as Words // the result has the same shape
}

function transform(value: unknown): unknown {
  if (typeof value === 'string') return value === '' ? value : `⟦${value}⟧`
  if (typeof value === 'function') return (...args: unknown[]) => transform(value(...args))
  if (Array.isArray(value)) return value.map(transform)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, child]) => [
    key,
    key === 'locale' ? child : transform(child),
  ])
  const result = Object.fromEntries(entries)
  return 'dir' in result ? { ...result, dir: 'rtl', lang: 'en' } : result
}
