/**
 * English as if it were written from right to left, every text in brackets: what stands in none was not taken from a
 * catalogue, and what is not mirrored does not follow `dir`. For tests and for who builds; `?lang=mirrored`.
 */
export function mirrored<Words>(words: Words): Words {
  return turned(words) as Words // the same shape
}

function turned(value: unknown): unknown {
  if (typeof value === 'string') return value === '' ? value : `⟦${value}⟧`
  if (typeof value === 'function') return (...given: unknown[]) => turned(value(...given))
  if (Array.isArray(value)) return value.map(turned)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, own]) => [key, key === 'locale' ? own : turned(own)])
  const made = Object.fromEntries(entries)
  return 'dir' in made ? { ...made, dir: 'rtl', lang: 'en' } : made
}
