import { computed, signal } from '@preact/signals'
import { defined } from '../../../../lib/validation/defined.ts'
import type { Format, Job, Option } from '../../api.ts'
import { Problem } from '../../api.ts'
import type { Values } from '../../options/option-values.ts'
import type { Draft } from './drafts.ts'
import { getFolder } from './file-input.ts'
import type { FormatCatalog } from './format-catalog.ts'
import type { ConversionProgress } from './watch-job.ts'

type Phase = 'ready' | 'sending' | 'running' | 'done' | 'stranded'

/** Where the bytes of an item come from. */
export type ItemOrigin =
  | { readonly kind: 'file'; readonly file: File; readonly folder?: string | undefined }
  | { readonly kind: 'draft'; readonly draft: Draft }
  /** A file that the service imported from a drive. */
  | {
      readonly kind: 'upload'
      readonly uploadId: string
      readonly name: string
      readonly size?: number | undefined
    }
  | { readonly kind: 'url'; readonly url: string; readonly name: string }
  /** Several images to be combined into one document. */
  | {
      readonly kind: 'parts'
      readonly name: string
      readonly parts: readonly File[]
      readonly format: string
      readonly mergeOptions: Readonly<Record<string, unknown>>
    }
  /** A job from an earlier visit, to be shown, or to be converted again from its stored source. */
  | { readonly kind: 'job'; readonly job: Job; readonly folder?: string | undefined }
  | { readonly kind: 'again'; readonly job: Job; readonly folder?: string | undefined }

let lastKey = 0
const createItemKey = () => `${Date.now().toString(36)}-${(lastKey++).toString(36)}`

/** One file, from selection to download. After a reload, only its job or draft is known. */
export class ConversionItem {
  readonly key: string
  readonly name: string
  readonly size: number | undefined
  /** The folder of the file, such as `album/2024`, if known. */
  readonly folder: string | undefined
  readonly source: Format | undefined
  readonly targets: readonly Format[]
  readonly url: string | undefined
  /** Id of an upload that the service created by importing a file. */
  readonly importedUploadId: string | undefined
  /** The job whose stored source is to be converted again. */
  readonly sourceJob: Job | undefined
  readonly file = signal<File | undefined>(undefined)
  readonly draft: Draft | undefined
  readonly phase = signal<Phase>('ready')
  readonly target = signal<Format | undefined>(undefined)
  readonly tool = signal<string | undefined>(undefined)
  /** Contents of the option fields, by option name; they are kept when the target changes. */
  readonly values = signal<Values>({})
  /** The pair of formats whose last options were filled in; undefined once the user has changed them. */
  readonly lastOptionsPair = signal<string | undefined>(undefined)
  /** Error messages by field. */
  readonly fieldErrors = signal<Readonly<Record<string, string>>>({})
  readonly progress = signal<ConversionProgress>({ stage: 'waiting' })
  readonly job = signal<Job | undefined>(undefined)
  readonly notice = signal<Problem | string | undefined>(undefined)
  readonly hasAlpha = signal(false)
  /** The password that opens the file; undefined until the service has found that the file is locked. Never stored. */
  readonly password = signal<string | undefined>(undefined)
  multipartUpload: Draft['begun']
  /** Number of bytes already uploaded, for a draft with a partial upload. */
  readonly uploadedBytes = signal<number | undefined>(undefined)
  /** Id of the complete upload of a draft. */
  readonly completedUploadId = signal<string | undefined>(undefined)
  /** The files that this item combines, if it combines several. */
  readonly parts: readonly File[] | undefined
  /** Options of the merge operation, such as the paper size. */
  readonly mergeOptions: Readonly<Record<string, unknown>>
  /** Id of an upload that no job has used yet. */
  unusedUpload: string | undefined
  conversion: AbortController | undefined
  readonly removal = new AbortController()
  /** Options of the chosen target, once loaded. */
  readonly options = signal<readonly Option[] | undefined>(undefined)

  constructor(origin: ItemOrigin, catalog: FormatCatalog) {
    const info = getOriginInfo(origin)
    this.key = origin.kind === 'draft' ? origin.draft.key : createItemKey()
    this.name = info.name
    this.size = info.size
    this.folder = getOriginFolder(origin)
    this.url = origin.kind === 'url' ? origin.url : undefined
    this.draft = origin.kind === 'draft' ? origin.draft : undefined
    this.sourceJob = origin.kind === 'again' ? origin.job : undefined
    this.file.value = info.file
    this.parts = origin.kind === 'parts' ? origin.parts : undefined
    this.mergeOptions = origin.kind === 'parts' ? origin.mergeOptions : {}
    this.importedUploadId = origin.kind === 'upload' ? origin.uploadId : undefined
    this.source =
      (info.format ? catalog.findById(info.format) : undefined) ??
      catalog.findByFile({ name: info.name, type: info.file?.type ?? '' })
    this.targets = catalog.getTargets(this.source)
    if (origin.kind === 'draft') {
      this.multipartUpload = origin.draft.begun
      this.values.value = origin.draft.values
      this.tool.value = origin.draft.tool
      this.target.value = catalog.findById(origin.draft.target ?? '')
    }
    if (origin.kind === 'job') {
      this.job.value = origin.job
      this.phase.value = 'running'
      this.progress.value = { stage: 'running', job: origin.job, isOffline: false }
    }
  }

  /** Whether the bytes are available, locally or on the server. */
  readonly hasBytes = computed(
    () =>
      this.file.value !== undefined ||
      this.url !== undefined ||
      this.importedUploadId !== undefined ||
      this.completedUploadId.value !== undefined ||
      this.parts !== undefined ||
      this.sourceJob !== undefined,
  )
  readonly canStart = computed(
    () => this.phase.value === 'ready' && this.targets.length > 0 && this.hasBytes.value,
  )
  readonly isActive = computed(() => this.phase.value === 'sending' || this.phase.value === 'running')
  readonly hasFailed = computed(
    () =>
      this.notice.value instanceof Problem &&
      (this.phase.value === 'ready' || this.phase.value === 'stranded'),
  )
  /** Whether a failed item can be retried: its bytes are available locally or on the server. */
  readonly canRetry = computed(
    () =>
      this.hasFailed.value &&
      (this.phase.value === 'stranded' ? this.job.value?.status === 'failed' : this.hasBytes.value),
  )
  /** Overall progress in percent; the upload counts as a third of it. */
  readonly percent = computed(() => {
    const progress = this.progress.value
    if (this.phase.value === 'done') return 100
    if (!this.isActive.value) return 0
    if (progress.stage === 'uploading') return (33 * progress.sentBytes) / Math.max(1, progress.totalBytes)
    if (progress.stage === 'starting') return 33
    return progress.stage === 'running' ? 33 + (67 * progress.job.progress.percent) / 100 : 0
  })
}

function getOriginFolder(origin: ItemOrigin): string | undefined {
  if (origin.kind === 'file') return origin.folder ?? getFolder(origin.file)
  if (origin.kind === 'draft') return origin.draft.folder
  return 'folder' in origin ? origin.folder : undefined
}

function getOriginInfo(origin: ItemOrigin): {
  name: string
  size?: number
  file?: File
  format?: string | undefined
} {
  switch (origin.kind) {
    case 'file':
      return { name: origin.file.name, size: origin.file.size, file: origin.file }
    case 'draft': {
      const { name, size, file } = origin.draft
      return { name, size, ...defined({ file }) }
    }
    case 'url':
      return { name: origin.name }
    case 'parts':
      return {
        name: origin.name,
        size: origin.parts.reduce((sum, { size }) => sum + size, 0),
        format: origin.format,
      }
    case 'upload':
      return { name: origin.name, ...defined({ size: origin.size }) }
    case 'job':
    case 'again': {
      const { source, jobId } = origin.job
      // The source is unknown if another client created the job and has not uploaded its file yet.
      return {
        name: source?.filename ?? jobId,
        ...defined({ size: source?.size }),
        format: source?.format,
      }
    }
  }
}
