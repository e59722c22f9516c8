/**
 * English as if it were written from right to left, every text in brackets: what stands in none was not taken from a
 * catalogue, and what is not mirrored does not follow `dir`. For tests and for who builds; `?lang=mirrored`.
 */
export function pseudoLocalize<Words>(words: Words): Words {
  return transform(words) as Words // the same shape
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
