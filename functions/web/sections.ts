import type { ComponentType } from 'preact'
import type { SectionId } from './section-paths.ts'
import type { PageRoute } from './shell/router.ts'

/** The module of a section, whose default export is the component. */
export interface SectionModule {
  readonly default: ComponentType<{ readonly route: PageRoute }>
}

/** Each section is a separate chunk, loaded when it is first shown. */
export const sectionLoaders: Readonly<Record<SectionId, () => Promise<SectionModule>>> = {
  convert: () => import('./sections/convert/section.tsx'),
  landing: () => import('./sections/landing/section.tsx'),
  batch: () => import('./sections/batch/section.tsx'),
  tools: () => import('./sections/tools/section.tsx'),
  history: () => import('./sections/history/section.tsx'),
  formats: () => import('./sections/formats/section.tsx'),
  pipelines: () => import('./sections/pipelines/section.tsx'),
  webhooks: () => import('./sections/webhooks/section.tsx'),
  workflows: () => import('./sections/workflows/section.tsx'),
  usage: () => import('./sections/usage/section.tsx'),
  account: () => import('./sections/account/section.tsx'),
  admin: () => import('./sections/admin/section.tsx'),
  docs: () => import('./sections/docs/section.tsx'),
  status: () => import('./sections/status/section.tsx'),
}
