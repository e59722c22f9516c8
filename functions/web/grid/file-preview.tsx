import { useEffect, useRef, useState } from 'preact/hooks'

/** The file to preview: a local one, or a result on the server. */
export type FilePreviewProps = PreviewSource & { readonly onShown?: () => void }

type PreviewSource = { readonly type: string } & (
  | { readonly blob: File; readonly url?: never; readonly size?: never }
  | { readonly blob?: never; readonly url: string; readonly size: number }
)

/** Decoding a larger image for a thumbnail would make the page sluggish. */
const maxImageBytes = 40_000_000
const maxPdfBytes = 100_000_000

/** Image types that browsers can display. */
const browserImageTypePattern =
  /^image\/(png|jpe?g|webp|avif|gif|svg\+xml|bmp|apng|x-icon|vnd\.microsoft\.icon)$/

/** A thumbnail of a file; renders nothing if the browser cannot display the file. */
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
  if (browserImageTypePattern.test(type) && size <= maxImageBytes)
    return <img src={src} alt="" decoding="async" onLoad={onShown} onError={() => setFailed(true)} />
  // Shows the first frame; the rest of the video is not loaded.
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

/** Side length in device pixels: enough for a box of 48 px on high-density screens. */
const sidePx = 120

function FirstPage({ blob, url, onShown }: FilePreviewProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const abortController = new AbortController()
    const { signal } = abortController
    const draw = async () => {
      const file = blob ?? new File([await (await fetch(url, { signal })).blob()], '')
      const { openInWorker } = await import('./local-pages.ts')
      const pages = await openInWorker(file)
      try {
        const drawnPage = await pages.draw(1, sidePx)
        if (signal.aborted || !canvas.current || typeof drawnPage === 'string') return
        canvas.current.width = drawnPage.width
        canvas.current.height = drawnPage.height
        canvas.current.getContext('bitmaprenderer')?.transferFromImageBitmap(drawnPage)
        onShown?.()
      } finally {
        pages.close()
      }
    }
    // On failure the box stays empty; errors in the file are reported where it is opened.
    draw().catch(() => {})
    return () => abortController.abort()
  }, [blob, url])
  return <canvas ref={canvas} width={1} height={1} />
}
