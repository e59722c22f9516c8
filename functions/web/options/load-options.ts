import { fetchOptions, type Option } from '../api.ts'

const optionsCache = new Map<string, Promise<readonly Option[]>>()

/** Returns the options of a conversion. They are cached, because most files share a few formats. */
export function loadOptions(from: string, to: string, tool: string | undefined): Promise<readonly Option[]> {
  const key = `${from} ${to} ${tool ?? ''}`
  const options = optionsCache.get(key) ?? fetchVisibleOptions(from, to, tool)
  optionsCache.set(key, options)
  options.catch(() => optionsCache.delete(key))
  return options
}

/**
 * Fetches the options without the deprecated ones, which are only for API clients. The translations are loaded with the
 * options, because they are too large for a first visit.
 */
async function fetchVisibleOptions(
  from: string,
  to: string,
  tool: string | undefined,
): Promise<readonly Option[]> {
  const [{ translateOption }, allOptions] = await Promise.all([
    import('./translate-option.ts'),
    fetchOptions(from, to, tool),
  ])
  return allOptions.filter(({ deprecated, name }) => !deprecated && name !== 'pdfEngine').map(translateOption)
}
