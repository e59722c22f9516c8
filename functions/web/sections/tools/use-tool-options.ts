import { useMemo, useState } from 'preact/hooks'
import type { listConversions } from '../../../routes/list-conversions.ts'
import { callApi, listFormats, type ReplyData } from '../../api.ts'
import { type Query, useQuery } from '../../ui/use-query.ts'
import { createFormatCatalog } from '../convert/format-catalog.ts'
import { chooseDefaultTarget, detectMergeKind, type MergeKind } from './targets.ts'
import type { ToolFile } from './tool-file.ts'
import { getOperation, type Tool } from './tools.ts'

type Conversions = ReplyData<typeof listConversions>['conversions']

/** Loads the options and targets of a tool for the chosen files. */
export function useToolOptions(tool: Tool, files: readonly ToolFile[]) {
  const [chosenTarget, setTarget] = useState<string>()
  const formats = useQuery('formats', listFormats)
  const catalog = useMemo(() => formats.data && createFormatCatalog(formats.data), [formats.data])
  const [firstFile] = files
  const source = firstFile && catalog?.findByFile(firstFile.file)
  const from = tool.sourceFormat ?? source?.id
  const operation = getOperation(tool.optionsOf ?? tool.id)
  const query: Query<Conversions> = useQuery(`${operation} ${from}`, async () => {
    if (!from) return []
    const searchParams = new URLSearchParams({ operation, from })
    // The translations are too large for a first visit, so they are loaded with the options.
    const [{ translateOption }, { conversions }] = await Promise.all([
      import('../../options/translate-option.ts'),
      callApi<{ conversions: Conversions }>(`/v1/formats/conversions?${searchParams}`),
    ])
    return conversions.map((conversion) => ({
      ...conversion,
      options: (conversion.options ?? []).map(translateOption),
    }))
  })
  const targets = query.data?.map(({ to }) => to) ?? []
  const isTargetChosen = chosenTarget !== undefined && targets.includes(chosenTarget)
  const to = isTargetChosen ? chosenTarget : chooseDefaultTarget(tool.id, from, source?.category, targets)
  const isImageMerge = tool.id === 'merge' && source?.category === 'image'
  const kind: MergeKind | undefined = tool.id === 'merge' ? detectMergeKind(files, catalog) : undefined
  return {
    query,
    setTarget,
    from,
    to,
    kind,
    /** Targets to choose from; empty for PDF tools, which have only one target. */
    targets: tool.sourceFormat === undefined && targets.length > 1 ? targets : [],
    /** Set if the user chose a target, or if the page's default differs from the service's. */
    targetFormat: isTargetChosen || isImageMerge ? to : undefined,
    options: (query.data?.find((toolOption) => toolOption.to === to)?.options ?? []).filter(
      ({ deprecated }) => !deprecated,
    ),
    isPdf: source?.id === 'pdf',
  }
}
