import { signal } from '@preact/signals'
import type { Format } from '../../api.ts'
import { fetchTargets } from '../../api.ts'
import { catalog } from './item-list.ts'
import type { Synonyms } from './target-search.ts'

/** Data that the list of targets needs once it is opened. A first visit does not load it. */

interface OtherTargets {
  readonly experimental: readonly Format[]
  readonly sourceFormat: Format | undefined
}

/** The targets that are not offered by default, by source format. */
export const otherTargets = signal<ReadonlyMap<string, OtherTargets>>(new Map())
export const synonyms = signal<Synonyms | undefined>(undefined)

const loadingSources = new Set<string>()

/** Loads synonyms and the unusual targets of these formats; without a connection, only the usual targets are shown. */
export function loadOtherTargets(sources: readonly string[]): void {
  if (!synonyms.value)
    void import('../../../../lib/formats/synonyms.ts').then(
      (loadedSynonyms) => {
        synonyms.value = loadedSynonyms
      },
      () => {},
    )
  for (const source of sources) {
    if (loadingSources.has(source) || otherTargets.value.has(source)) continue
    loadingSources.add(source)
    void fetchTargets(source)
      .then((targets) => {
        const findFormat = (id: string) => catalog.value?.findById(id) ?? []
        const experimental = targets
          .filter((target) => target.experimental)
          .flatMap(({ to }) => findFormat(to))
        const [sourceFormat] = targets.filter(({ to }) => to === source).flatMap(({ to }) => findFormat(to))
        otherTargets.value = new Map(otherTargets.value).set(source, { experimental, sourceFormat })
      })
      .catch(() => {})
      .finally(() => loadingSources.delete(source))
  }
}

/** Returns the unusual targets that all of these formats have in common. */
export function findCommonOtherTargets(sources: readonly string[]): OtherTargets {
  const [first, ...rest] = sources.map((source) => otherTargets.value.get(source))
  if (!first) return { experimental: [], sourceFormat: undefined }
  return {
    experimental: first.experimental.filter((format) =>
      rest.every((other) => other?.experimental.includes(format)),
    ),
    sourceFormat: rest.length === 0 ? first.sourceFormat : undefined,
  }
}
