import { fetchOptions, type Option } from '../api.ts'

const loaded = new Map<string, Promise<readonly Option[]>>()

/** Most files of a page are of few kinds: each pair is asked for once. */
export function loadOptions(from: string, to: string, tool: string | undefined): Promise<readonly Option[]> {
  const key = `${from} ${to} ${tool ?? ''}`
  const options = loaded.get(key) ?? fetchShownOptions(from, to, tool)
  loaded.set(key, options)
  options.catch(() => loaded.delete(key))
  return options
}

/**
 * What has another name by now is for programs that know the old one. The words of a language for all options are more
 * than a first visit may cost.
 */
async function fetchShownOptions(
  from: string,
  to: string,
  tool: string | undefined,
): Promise<readonly Option[]> {
  const [{ translateOption }, all] = await Promise.all([
    import('./translate-option.ts'),
    fetchOptions(from, to, tool),
  ])
  return all.filter(({ deprecated, name }) => !deprecated && name !== 'pdfEngine').map(translateOption)
}
