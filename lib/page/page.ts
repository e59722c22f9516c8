import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { isDrawingFile } from '../../functions/web/grid/drawing-files.ts'
import {
  builtLanguages,
  type DocumentId,
  type Language,
  languages,
  limitTokens,
  type Theme,
  themes,
  themeToken,
} from '../../functions/web/section-paths.ts'
import { getPlanLimits } from '../accounts/plan-limits.ts'
import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'
import { createSecurityHeaders } from '../http/replies/security-headers.ts'
import type { Services } from '../services/services.ts'
import type { BuiltPage } from './build.ts'
import { type CompressedFile, compress } from './compression.ts'

/** Serves the page in the visitor's language and encoding. */

const builtPages = new Map<Language, Promise<BuiltPage>>()

function loadPage(language: Language): Promise<BuiltPage> {
  const page = builtPages.get(language) ?? import('./build.ts').then(({ buildPage }) => buildPage(language))
  builtPages.set(language, page)
  // A failed build is retried with the next request.
  page.catch(() => builtPages.delete(language))
  return page
}

type Headers = Readonly<Record<string, string | undefined>>

interface PageRequest {
  readonly headers: Headers
  readonly cookies: readonly string[]
  readonly query?: { readonly lang?: string | undefined } | undefined
}

const cookieName = 'lang'
const cookieLifetimeS = 365 * 24 * 3600

const readCookie = (cookies: readonly string[], name: string) =>
  cookies.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)

/** Returns the theme, which the switch on the page stores in a cookie. */
function chooseTheme(cookies: readonly string[]): Theme {
  const cookieTheme = readCookie(cookies, 'theme')
  return themes.find((theme) => theme === cookieTheme) ?? 'system'
}

/** Chooses the language: from the URL, else the cookie, else the browser's preference, else English. */
function chooseLanguage({ headers, cookies, query }: PageRequest): Language {
  const requestedLanguages = [query?.lang, readCookie(cookies, cookieName)].flatMap((tag = '') =>
    findLanguages(tag, builtLanguages),
  )
  return requestedLanguages[0] ?? parseAcceptLanguage(headers['accept-language'] ?? '')
}

/** Returns `pt` for `pt-BR`. */
const getPrimaryTag = (tag: string) => tag.toLowerCase().split('-')[0]

/** Finds languages for a tag, best first: `pt`, `pt-PT` and `pt-br` find `pt-BR`. */
const findLanguages = (tag: string, languages: readonly Language[]) => [
  ...languages.filter((id) => id.toLowerCase() === tag.toLowerCase()),
  ...languages.filter((id) => getPrimaryTag(id) === getPrimaryTag(tag)),
]

/** Chooses a language from tags with weights (RFC 9110, 12.5.4). */
function parseAcceptLanguage(acceptedLanguages: string): Language {
  const tags = acceptedLanguages.split(',').map((entry) => {
    const [tag = '', weight] = entry.trim().split(/\s{0,9};\s{0,9}q=/)
    return { tag, weight: weight === undefined ? 1 : Number(weight) }
  })
  const knownTags = tags
    .toSorted((a, b) => b.weight - a.weight)
    .flatMap(({ tag }) => findLanguages(tag, languages))
  return knownTags[0] ?? 'en'
}

type PageDeps = Pick<Services, 'plans' | 'config'>

/** Formats the limits for visitors without an account in the page's language. */
function describeLimits(language: Language, deps: PageDeps) {
  const { maxFileBytes, retentionHours } = getPlanLimits(deps.config.ANONYMOUS_PLAN, deps)
  const formatUnit = (value: number, unit: string, unitDisplay: 'short' | 'long') =>
    new Intl.NumberFormat(language === 'mirrored' ? 'en' : language, {
      style: 'unit',
      unit,
      unitDisplay,
      maximumFractionDigits: 0,
      roundingMode: 'floor',
    }).format(value)
  return {
    maxFileSize:
      maxFileBytes < 1e9
        ? formatUnit(maxFileBytes / 1e6, 'megabyte', 'short')
        : formatUnit(maxFileBytes / 1e9, 'gigabyte', 'short'),
    retention:
      retentionHours < 72
        ? formatUnit(retentionHours, 'hour', 'long')
        : formatUnit(retentionHours / 24, 'day', 'long'),
  }
}

const finishedDocuments = new Map<string, Promise<CompressedFile>>()

/** Fills the limits and the theme into a document, and caches the result. */
function finishDocument(
  { id, language, theme }: { readonly id: DocumentId; readonly language: Language; readonly theme: Theme },
  builtDocument: CompressedFile,
  deps: PageDeps,
) {
  const { maxFileSize, retention } = describeLimits(language, deps)
  const key = [id, language, theme, maxFileSize, retention].join()
  const finish = async () => {
    const html = (await gunzipAsync(Buffer.from(builtDocument.gzip, 'base64')))
      .toString()
      .replaceAll(limitTokens.maxFileSize, maxFileSize)
      .replaceAll(limitTokens.retention, retention)
      .replaceAll(themeToken, theme)
    return compress(Buffer.from(html))
  }
  const documentPromise = finishedDocuments.get(key) ?? finish()
  finishedDocuments.set(key, documentPromise)
  return documentPromise
}

export async function loadPageDocument(id: DocumentId, request: PageRequest, deps: PageDeps) {
  const language = chooseLanguage(request)
  const { documents, styleHash } = await loadPage(language)
  const theme = chooseTheme(request.cookies)
  const document = await finishDocument({ id, language, theme }, documents[id], deps)
  const body = await negotiateEncoding(document, request.headers)
  return {
    data: body.data,
    headers: {
      ...body.headers,
      'content-type': 'text/html; charset=utf-8',
      vary: 'accept-encoding, accept-language, cookie',
      ...createSecurityHeaders({ style: styleHash, storageOrigin: getStorageOrigin(deps.config) }),
      ...(request.query?.lang && {
        'set-cookie': `${cookieName}=${language}; Path=/; Max-Age=${cookieLifetimeS}; SameSite=Lax`,
      }),
    },
  }
}

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
}

let drawingFiles: Promise<Readonly<Record<string, CompressedFile>>> | undefined

async function loadDrawingFile(name: string): Promise<CompressedFile | undefined> {
  drawingFiles ??= import('./build-drawing.ts').then(({ buildDrawingFiles }) => buildDrawingFiles())
  drawingFiles.catch(() => {
    drawingFiles = undefined
  })
  return (await drawingFiles)[name]
}

/**
 * Returns a file of the page. Files with a hash in their name may be cached forever; the files that draw PDFs are
 * revalidated.
 */
export async function loadPageFile(name: string, headers: Headers) {
  const drawingFileContent = isDrawingFile(name) ? await loadDrawingFile(name) : undefined
  if (drawingFileContent) return createFileReply(name, drawingFileContent, headers, {})
  for (const language of builtLanguages) {
    const file = (await loadPage(language)).files[name]
    if (file)
      return createFileReply(name, file, headers, { 'cache-control': 'public, max-age=31536000, immutable' })
  }
  throw new AppError('NOT_FOUND', `There is no file "${name.slice(0, 64)}" here.`)
}

async function createFileReply(
  name: string,
  file: CompressedFile,
  requestHeaders: Headers,
  extraHeaders: Readonly<Record<string, string>>,
) {
  const { data, headers } = await negotiateEncoding(file, requestHeaders)
  const type = types[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream'
  return {
    data,
    headers: {
      ...headers,
      'content-type': type,
      vary: 'accept-encoding',
      ...createSecurityHeaders({}),
      ...extraHeaders,
    },
  }
}

const gunzipAsync = promisify(gunzip)

async function negotiateEncoding({ br, gzip }: CompressedFile, headers: Headers) {
  const acceptedEncodings = headers['accept-encoding'] ?? ''
  if (/\bbr\b/.test(acceptedEncodings))
    return { data: Buffer.from(br, 'base64'), headers: { 'content-encoding': 'br' } }
  const gzipBody = Buffer.from(gzip, 'base64')
  if (/\bgzip\b/.test(acceptedEncodings)) return { data: gzipBody, headers: { 'content-encoding': 'gzip' } }
  return { data: await gunzipAsync(gzipBody), headers: {} }
}

/** Returns the origin of the file storage; undefined if it is the service itself. */
function getStorageOrigin(config: Config): string | undefined {
  const endpoint = config.S3_PUBLIC_ENDPOINT ?? config.AWS_ENDPOINT_URL_S3
  if (endpoint === undefined) return `https://${config.BUCKET_NAME}.s3.${config.AWS_REGION}.amazonaws.com`
  const { origin } = new URL(endpoint)
  return config.PUBLIC_URL && new URL(config.PUBLIC_URL).origin === origin ? undefined : origin
}
