/**
 * Where each section of the page stands: the server answers these addresses with the page, the router shows the section.
 * The first address is the one that the navigation leads to. Only data, as both sides read it.
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

/** Sections that the navigation keeps in its menu: who converts a file needs none of them. Few may go to the others. */
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

/** Keys of a const table. */
export const sectionIds = Object.keys(sectionPaths) as readonly SectionId[]

/** Languages that people read, and one that only shows what is not prepared for others. */
export const languages = ['en', 'de'] as const
export const builtLanguages = [...languages, 'mirrored'] as const
export type Language = (typeof builtLanguages)[number]

/** What draws the first sight of a place; undefined is the page of what is not there. */
export type RenderDocument = (
  section: SectionId | undefined,
  parts: {
    readonly script: string
    /** Chunks that the section needs, so that they do not wait for one another. */
    readonly preload: readonly string[]
    readonly style: string
  },
) => string
