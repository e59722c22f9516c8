import { keysOf } from '../../lib/validation/keys-of.ts'

/**
 * Paths of each section: the server replies to them with the page, and the router shows the section. Navigation links
 * use the first path. This module contains only data, because both the server and the page import it.
 */
export const sectionPaths = {
  convert: ['/', '/convert'],
  landing: [
    '/pdf-to-word',
    '/merge-pdf',
    '/compress-pdf',
    '/jpg-to-pdf',
    '/heic-to-jpg',
    '/mp4-to-mp3',
    '/video-to-gif',
    '/scan-to-text',
  ],
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

/** Sections in the navigation menu; none of them is needed for converting files. */
export const menuSections: readonly string[] = [
  'pipelines',
  'webhooks',
  'workflows',
  'usage',
  'account',
  'status',
  'docs',
]
export const unlistedSections: readonly string[] = ['landing', 'admin']

export type SectionId = keyof typeof sectionPaths

export const sectionIds = keysOf(sectionPaths)

type LandingPath = (typeof sectionPaths.landing)[number]
/** A landing page, for example `pdf-to-word`. */
export type LandingId = LandingPath extends `/${infer Id}` ? Id : never
export const landingIds = sectionPaths.landing.map((path) => path.slice(1) as LandingId) // one segment each

/** Each section has one HTML document, and each landing page has its own; `none` is the "not found" page. */
export type DocumentId = Exclude<SectionId, 'landing'> | LandingId | 'none'
export const documentIds: readonly DocumentId[] = [
  ...sectionIds.filter((id) => id !== 'landing'),
  ...landingIds,
  'none',
]

export const findLandingId = (path: string): LandingId | undefined =>
  landingIds.find((id) => path === `/${id}`)

export const getDocumentId = (section: SectionId, path: string): DocumentId =>
  section === 'landing' ? (findLandingId(path) ?? 'none') : section

/** Returns the section of a document; undefined for the "not found" page. */
export const findSection = (id: DocumentId): SectionId | undefined =>
  id === 'none' ? undefined : isLandingId(id) ? 'landing' : id

const isLandingId = (id: DocumentId): id is LandingId => landingIds.some((landingId) => landingId === id)

/** Color themes of the page; `system` follows the device. */
export const themes = ['light', 'dark', 'system'] as const
export type Theme = (typeof themes)[number]

/** Placeholder in a document, which the server replaces with the visitor's theme. */
export const themeToken = '{theme}'

/** Placeholders in a document, which the server replaces with the limits of the service. */
export const limitTokens = { maxFileSize: '{max-file-size}', retention: '{retention}' }

/**
 * Languages that users can choose, plus a pseudo-locale (`mirrored`) that reveals untranslated texts and layout that
 * ignores the writing direction.
 */
export const languageNames = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
  ja: '日本語',
  'pt-BR': 'Português (Brasil)',
} as const
export const languages = keysOf(languageNames)
export const builtLanguages = [...languages, 'mirrored'] as const
export type Language = (typeof builtLanguages)[number]

/** Renders the initial HTML of a page. */
export type RenderDocument = (
  id: DocumentId,
  parts: {
    readonly script: string
    /** URLs of chunks to preload, so that the chunks of the section load in parallel. */
    readonly preload: readonly string[]
    readonly style: string
  },
) => string
