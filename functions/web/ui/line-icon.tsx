import { h } from 'preact'

/** The elements of an icon, as the bundler provides them. */
export type IconElements = readonly (readonly [tag: string, attributes: Readonly<Record<string, string>>])[]

/** An icon of lucide-static; the text next to it has the same meaning. Also rendered on the server. */
export const LineIcon = ({ of: elements }: { readonly of: IconElements }) => (
  <svg class="line-icon" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
    {elements.map(([tag, attributes]) => h(tag, attributes))}
  </svg>
)
