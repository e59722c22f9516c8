import { useMemo, useState } from 'preact/hooks'
import type { listConversions } from '../../../routes/list-conversions.ts'
import { callApi, listFormats, type ReplyData } from '../../api.ts'
import { type Query, useQuery } from '../../ui/use-query.ts'
import { createFormatCatalog } from '../convert/format-catalog.ts'
import { defaultTarget, detectMergeKind, type MergeKind } from './targets.ts'
import type { ToolFile } from './tool-file.ts'
import type { Tool } from './tools.ts'

type Conversions = ReplyData<typeof listConversions>['conversions']

/** What the service can do with the files that were chosen. */
export function useToolOptions(tool: Tool, files: readonly ToolFile[]) {
  const [chosenTarget, setTarget] = useState<string>()
  const formats = useQuery('formats', listFormats)
  const catalog = useMemo(() => formats.data && createFormatCatalog(formats.data), [formats.data])
  const [first] = files
  const source = first && catalog?.ofFile(first.file)
  const from = tool.sourceFormat ?? source?.id
  const operation = tool.optionsOf ?? tool.id
  const query: Query<Conversions> = useQuery(`${operation} ${from}`, async () => {
    if (!from) return []
    const searchParams = new URLSearchParams({ operation, from })
    // The words of a language for all options are more than a first visit may cost.
    const [{ translateOption }, { conversions }] = await Promise.all([
      import('../../options/translate-option.ts'),
      callApi<{ conversions: Conversions }>(`/v1/formats/conversions?${searchParams}`),
    ])
    return conversions.map((one) => ({ ...one, options: (one.options ?? []).map(translateOption) }))
  })
  const targets = query.data?.map(({ to }) => to) ?? []
  const isTargetChosen = chosenTarget !== undefined && targets.includes(chosenTarget)
  const to = isTargetChosen ? chosenTarget : defaultTarget(tool.id, from, source?.category, targets)
  const kind: MergeKind | undefined = tool.id === 'merge' ? detectMergeKind(files, catalog) : undefined
  return {
    ...{ query, setTarget, from, to, kind },
    /** Of tools of any kind of file: those of PDFs make PDFs, or what alone suits. */
    targets: tool.sourceFormat === undefined && targets.length > 1 ? targets : [],
    /** Named only where somebody chose it. */
    targetFormat: isTargetChosen ? chosenTarget : undefined,
    options: (query.data?.find((one) => one.to === to)?.options ?? []).filter(
      ({ deprecated }) => !deprecated,
    ),
    isPdf: source?.id === 'pdf',
  }
}
