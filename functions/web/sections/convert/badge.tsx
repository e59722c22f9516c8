import { useEffect, useState } from 'preact/hooks'
import { Lazy } from '../../shell/lazy.tsx'
import { categoryIcons } from '../../ui/category-icons.ts'
import { LineIcon } from '../../ui/line-icon.tsx'
import type { ConversionItem } from './item.ts'

const loadPreview = () => import('../../grid/file-preview.tsx')

/** Decoding a larger image for a thumbnail would make the page sluggish. */
const maxPreviewBytes = 40_000_000

/** Returns a media type if the file needs the preview component instead of a plain image element. */
const getPreviewType = ({ source }: ConversionItem) =>
  source?.id === 'pdf' ? 'application/pdf' : source?.category === 'video' ? 'video/*' : undefined

/** The badge of a card: a thumbnail if the browser can display the file, else the name of its format. */
export function Badge({ item }: { readonly item: ConversionItem }) {
  const [url, setUrl] = useState('')
  const [isShown, setShown] = useState(false)
  const file = item.file.value
  const isImage = item.source?.category === 'image' || file?.type.startsWith('image/')
  useEffect(() => {
    if (!file || !isImage || file.size > maxPreviewBytes) return undefined
    const objectUrl = URL.createObjectURL(file)
    setUrl(objectUrl)
    return () => URL.revokeObjectURL(objectUrl)
  }, [file, isImage])
  const type = getPreviewType(item)
  return (
    <div class="badge" data-category={item.source?.category} aria-hidden="true">
      {!isShown && (
        <span class="badge-words">
          <LineIcon of={categoryIcons[item.source?.category ?? ''] ?? []} />
          {(item.source?.id ?? '?').toUpperCase()}
        </span>
      )}
      {url && <img src={url} alt="" decoding="async" hidden={!isShown} onLoad={() => setShown(true)} />}
      {file && type && (
        <span hidden={!isShown}>
          <Lazy load={loadPreview} blob={file} type={type} onShown={() => setShown(true)} />
        </span>
      )}
    </div>
  )
}
