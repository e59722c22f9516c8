import { keysOf } from '../../lib/validation/keys-of.ts'

/**
 * Paths of each section: the server replies to them with the page, the router shows the section. Navigation links use
 * the first path. Data only, because both the server and the page read it.
 */
export const sectionPaths = {
  convert: ['/', '/convert'],
  batch: ['/batch'],
  tools: ['/tools', '/tools/:tool'],
  history: ['/history', '/history/:jobId'],
  formats: ['/formats', '/formats/:pair'],
  pipelines: ['/pipelines'],
  webhooks: ['/webhooks', '/webhooks/:webhookId'],
  workflows: ['/workflows', '/workflows/:workflowId'],
  usage: ['/usage'],
  account: ['/account'],
  admin: ['/admin'],
  status: ['/status'],
  docs: ['/docs'],
} as const satisfies Readonly<Record<string, readonly [string, ...string[]]>>

/** Sections in the navigation menu, not needed for converting files. */
export const menuSections: readonly string[] = [
  'pipelines',
  'webhooks',
  'workflows',
  'usage',
  'account',
  'status',
  'docs',
]
export const unlistedSections: readonly string[] = ['admin']

export type SectionId = keyof typeof sectionPaths

export const sectionIds = keysOf(sectionPaths)

/**
 * Languages for users, plus a pseudo-locale (`mirrored`) that reveals untranslated texts and layout that ignores the
 * writing direction.
 */
export const languages = ['en', 'de'] as const
export const builtLanguages = [...languages, 'mirrored'] as const
export type Language = (typeof builtLanguages)[number]

/** Renders the initial HTML of a section; undefined means the "not found" page. */
export type RenderDocument = (
  section: SectionId | undefined,
  parts: {
    readonly script: string
    /** Chunks to preload for the section, so that they load in parallel. */
    readonly preload: readonly string[]
    readonly style: string
  },
) => string
