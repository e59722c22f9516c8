import { useEffect, useRef, useState } from 'preact/hooks'

/** A file of the visitor, or one that the service has. */
export type FilePreviewProps = PreviewSource & { readonly onShown?: () => void }

type PreviewSource = { readonly type: string } & (
  | { readonly blob: File; readonly url?: never; readonly size?: never }
  | { readonly blob?: never; readonly url: string; readonly size: number }
)

/** Decoding a larger picture for a stamp of it would make the page sluggish. */
const maxImageBytes = 40_000_000
const maxPdfBytes = 100_000_000

/** What browsers show by themselves. */
const browserImages = /^image\/(png|jpe?g|webp|avif|gif|svg\+xml|bmp|apng|x-icon|vnd\.microsoft\.icon)$/

/** A small picture of what is in a file; nothing where browsers cannot show it. */
export default function FilePreview(props: FilePreviewProps) {
  const { type, blob, onShown } = props
  const size = blob?.size ?? props.size ?? 0
  const [src, setSrc] = useState(props.url)
  useEffect(() => {
    if (!blob) return undefined
    const objectUrl = URL.createObjectURL(blob)
    setSrc(objectUrl)
    return () => URL.revokeObjectURL(objectUrl)
  }, [blob])
  const [hasFailed, setFailed] = useState(false)
  if (!src || hasFailed) return null
  if (browserImages.test(type) && size <= maxImageBytes)
    return <img src={src} alt="" decoding="async" onLoad={onShown} onError={() => setFailed(true)} />
  // Its first frame: nothing is played, and nothing more is read.
  if (type.startsWith('video/'))
    return (
      <video
        src={src}
        preload="metadata"
        muted
        tabIndex={-1}
        onLoadedData={onShown}
        onError={() => setFailed(true)}
      />
    )
  if (type === 'application/pdf' && size <= maxPdfBytes) return <FirstPage {...props} />
  return null
}

/** Pixels, for a place of 48 on fine screens. */
const side = 120

function FirstPage({ blob, url, onShown }: FilePreviewProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const lifetime = new AbortController()
    const { signal } = lifetime
    const draw = async () => {
      const file = blob ?? new File([await (await fetch(url, { signal })).blob()], '')
      const { openInWorker } = await import('./local-pages.ts')
      const pages = await openInWorker(file)
      try {
        const drawn = await pages.draw(1, side)
        if (signal.aborted || !canvas.current || typeof drawn === 'string') return
        canvas.current.width = drawn.width
        canvas.current.height = drawn.height
        canvas.current.getContext('bitmaprenderer')?.transferFromImageBitmap(drawn)
        onShown?.()
      } finally {
        pages.close()
      }
    }
    // The place stays empty; what is wrong with the file is told by what opens it.
    draw().catch(() => {})
    return () => lifetime.abort()
  }, [blob, url])
  return <canvas ref={canvas} width={1} height={1} />
}
