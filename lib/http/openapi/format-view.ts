import * as z from 'zod'
import type { Engine } from '../../engines/engine.ts'
import { categories, type Format, formats } from '../../formats/index.ts'
import type { Operation } from '../../model/operations.ts'
import { findConversions, listTargetsAmong } from '../../plan/index.ts'
import { component } from '../../validation/component.ts'

export const FormatView = component(
  'Format',
  z.object({
    id: z.string(),
    name: z.string(),
    category: z.enum(categories),
    extensions: z.array(z.string()),
    mimeTypes: z.array(z.string()),
    aliases: z.array(z.string()),
    canRead: z.boolean(),
    canWrite: z.boolean(),
    lossy: z.boolean(),
    multiPage: z.boolean(),
    animated: z.boolean(),
    targets: z
      .array(z.string())
      .describe('The usual target formats. GET /v1/formats/conversions lists every possible one.'),
    tools: z
      .array(z.string())
      .describe('Operations other than conversion that take a file of this format, such as `compress`'),
  }),
)

type Views = readonly z.infer<typeof FormatView>[]

const viewsByEngines = new WeakMap<readonly Engine[], Views>()

/** Returns every format that can be read or written, computed once from the engines' capabilities. */
export function getFormatViews(engines: readonly Engine[]): Views {
  const views = viewsByEngines.get(engines) ?? computeViews(engines)
  viewsByEngines.set(engines, views)
  return views
}

function computeViews(engines: readonly Engine[]): Views {
  const allConversions = findConversions(engines)
  const conversionsBySource = Map.groupBy(allConversions, ({ from }) => from)
  const writtenFormats = new Set(allConversions.map(({ to }) => to))
  const capabilities = engines.flatMap((engine) => engine.capabilities)
  return formats
    .map((format) => {
      const targetFormats = new Set(conversionsBySource.get(format.id)?.map(({ to }) => to))
      return {
        ...toView(format, listTargetsAmong(format.id, targetFormats)),
        tools: [
          ...new Set(
            capabilities
              .filter(({ operation, from }) => isTool(operation) && from.includes(format.id))
              .map(({ operation }) => operation),
          ),
        ],
        canRead: targetFormats.size > 0,
        canWrite: writtenFormats.has(format.id),
      }
    })
    .filter(({ canRead, canWrite }) => canRead || canWrite)
}

const isTool = (operation: Operation) => operation !== 'convert' && operation !== 'unlock'

function toView(
  format: Format,
  targets: readonly string[],
): Omit<Views[number], 'canRead' | 'canWrite' | 'tools'> {
  return {
    id: format.id,
    name: format.name,
    category: format.category,
    extensions: [...format.extensions],
    mimeTypes: [...format.mimeTypes],
    aliases: [...(format.aliases ?? [])],
    lossy: format.lossy ?? false,
    multiPage: format.multiPage ?? false,
    animated: format.animated ?? false,
    targets: [...targets],
  }
}
