import { h } from 'preact'

/** The elements of an icon in the bundler's format. */
export type IconElements = readonly (readonly [tag: string, attributes: Readonly<Record<string, string>>])[]

/**
 * An icon of lucide-static. It is hidden from screen readers, because the text next to it has the same meaning. It is
 * also rendered on the server.
 */
export const LineIcon = ({ of: elements }: { readonly of: IconElements }) => (
  <svg class="line-icon" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
    {elements.map(([tag, attributes]) => h(tag, attributes))}
  </svg>
)
