import { useMemo, useState } from 'preact/hooks'
import type { findConversions } from '../../../routes/list-conversions.ts'
import { ask, type DataOf, listFormats } from '../../api.ts'
import { type Loaded, useLoaded } from '../../ui/use-query.ts'
import { createCatalogue } from '../convert/format-catalog.ts'
import type { Chosen } from './tool-file.ts'
import { type MergeKind, mergeKindOf, usualTarget } from './targets.ts'
import type { Tool } from './tools.ts'

type Conversions = DataOf<typeof findConversions>['conversions']

/** What the service can do with the files that were chosen. */
export function useOptions(tool: Tool, files: readonly Chosen[]) {
  const [wanted, setTarget] = useState<string>()
  const formats = useLoaded('formats', listFormats)
  const catalogue = useMemo(() => formats.data && createCatalogue(formats.data), [formats.data])
  const [first] = files
  const source = first && catalogue?.ofFile(first.file)
  const from = tool.takes ?? source?.id
  const operation = tool.optionsOf ?? tool.id
  const loaded: Loaded<Conversions> = useLoaded(`${operation} ${from}`, async () => {
    if (!from) return []
    const query = new URLSearchParams({ operation, from })
    // The words of a language for all options are more than a first visit may cost.
    const [{ said }, { conversions }] = await Promise.all([
      import('../../options/translate-option.ts'),
      ask<{ conversions: Conversions }>(`/v1/formats/conversions?${query}`),
    ])
    return conversions.map((one) => ({ ...one, options: (one.options ?? []).map(said) }))
  })
  const targets = loaded.data?.map(({ to }) => to) ?? []
  const isWanted = wanted !== undefined && targets.includes(wanted)
  const to = isWanted ? wanted : usualTarget(tool.id, from, source?.category, targets)
  const kind: MergeKind | undefined = tool.id === 'merge' ? mergeKindOf(files, catalogue) : undefined
  return {
    ...{ loaded, setTarget, from, to, kind },
    /** Of tools of any kind of file: those of PDFs make PDFs, or what alone suits. */
    targets: tool.takes === undefined && targets.length > 1 ? targets : [],
    /** Named only where somebody chose it. */
    targetFormat: isWanted ? wanted : undefined,
    options: (loaded.data?.find((one) => one.to === to)?.options ?? []).filter(
      ({ deprecated }) => !deprecated,
    ),
    isPdf: source?.id === 'pdf',
  }
}
