import { useEffect, useRef, useState } from 'preact/hooks'
import { getResultBytes, type Job } from '../../api.ts'
import { Lazy } from '../../shell/lazy.tsx'
import { convertAgain } from './add-items.ts'
import { ItemBody } from './card.tsx'
import { Icon } from './components.tsx'
import type { ConversionItem } from './item.ts'
import { catalog, openedItem } from './item-list.ts'
import lazyWords from './lazy/words/en.ts'
import words from './words/en.ts'

/** Details of one file, next to the list: its result and its settings. */
export default function Drawer({ item }: { readonly item: ConversionItem }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (!dialog.current?.open) dialog.current?.showModal()
  }, [])
  const close = () => {
    dialog.current?.close()
    openedItem.value = undefined
  }
  const job = item.job.value
  const result = item.phase.value === 'done' ? job?.result : undefined
  return (
    <dialog ref={dialog} class="drawer" aria-label={lazyWords.detailsOf(item.name)} onClose={close}>
      <div class="drawer-head">
        <h2>
          <bdi>{result?.filename ?? item.name}</bdi>
        </h2>
        <button type="button" class="remove" aria-label={words.close} onClick={close}>
          <Icon name="close" />
        </button>
      </div>
      {result && <Preview key={result.downloadUrl} item={item} result={result} />}
      {result && (
        <button
          type="button"
          class="button"
          onClick={() => {
            const addedItem = convertAgain(item)
            if (addedItem) openedItem.value = addedItem
          }}
        >
          {lazyWords.quality}
        </button>
      )}
      <ItemBody key={item.key} item={item} />
    </dialog>
  )
}

type Result = NonNullable<Job['result']>

const loadBeforeAfter = () => import('./before-after.tsx')

/** Previews are only fetched up to this size. */
const maxPreviewBytes = 100_000_000
const maxTextBytes = 200_000

function Preview({ item, result }: { readonly item: ConversionItem; readonly result: Result }) {
  const kind = getPreviewKind(result)
  if (kind === 'none' || (kind !== 'media' && getResultBytes(result) > maxPreviewBytes))
    return <p class="hint">{lazyWords.noPreview}</p>
  if (kind === 'media') return <Player result={result} />
  return <FetchedPreview item={item} result={result} kind={kind} />
}

function getPreviewKind({ mimeType, format }: Result): 'image' | 'media' | 'pdf' | 'text' | 'none' {
  if (/^image\/(png|jpe?g|webp|avif|gif|svg\+xml|bmp|apng|x-icon|vnd\.microsoft\.icon)$/.test(mimeType))
    return 'image'
  if (/^(video|audio)\//.test(mimeType)) return 'media'
  if (mimeType === 'application/pdf') return 'pdf'
  const isText = catalog.value?.findById(format)?.mimeTypes.some((type) => /^text\/|json|xml/.test(type))
  return (/^text\/|json/.test(mimeType) || isText) && format !== 'html' ? 'text' : 'none'
}

function Player({ result }: { readonly result: Result }) {
  const isVideo = result.mimeType.startsWith('video/')
  // biome-ignore lint/a11y/useMediaCaption: the visitor's own file may have no captions
  if (isVideo) return <video class="preview" controls preload="metadata" src={result.downloadUrl} />
  // biome-ignore lint/a11y/useMediaCaption: the visitor's own file may have no captions
  return <audio class="preview" controls preload="metadata" src={result.downloadUrl} />
}

function FetchedPreview(props: {
  readonly item: ConversionItem
  readonly result: Result
  readonly kind: 'image' | 'pdf' | 'text'
}) {
  const { result, kind } = props
  const [content, setContent] = useState<{ url?: string; text?: string; hasFailed?: true }>({})
  useEffect(() => {
    const abortController = new AbortController()
    let url: string | undefined
    const load = async () => {
      const response = await fetch(result.downloadUrl, { signal: abortController.signal })
      if (!response.ok) throw new Error(`status ${response.status}`)
      const bytes = await response.blob()
      if (kind === 'text') {
        setContent({ text: await bytes.slice(0, maxTextBytes).text() })
        return
      }
      url = URL.createObjectURL(new Blob([bytes], { type: result.mimeType }))
      setContent({ url })
    }
    load().catch(() => {
      if (!abortController.signal.aborted) setContent({ hasFailed: true })
    })
    return () => {
      abortController.abort()
      if (url) URL.revokeObjectURL(url)
    }
  }, [result.downloadUrl, result.mimeType, kind])
  if (content.hasFailed) return <p class="hint">{lazyWords.previewFailed}</p>
  if (content.text !== undefined)
    return (
      <textarea class="preview text" dir="auto" readOnly aria-label={result.filename} value={content.text} />
    )
  if (!content.url) return <div class="preview" aria-busy="true" />
  if (kind === 'pdf') return <iframe class="preview" title={result.filename} src={content.url} />
  return (
    <Lazy load={loadBeforeAfter} before={props.item.file.value} after={content.url} name={result.filename} />
  )
}
