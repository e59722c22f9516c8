import { useEffect, useRef, useState } from 'preact/hooks'

/** A file of the visitor, or one that the service has. */
export type GlimpseProps = GlimpseOf & { readonly onShown?: () => void }

type GlimpseOf = { readonly type: string } & (
  | { readonly blob: File; readonly url?: never; readonly size?: never }
  | { readonly blob?: never; readonly url: string; readonly size: number }
)

/** Decoding a larger picture for a stamp of it would make the page sluggish. */
const mostPictureBytes = 40_000_000
const mostPdfBytes = 100_000_000

/** What browsers show by themselves. */
const pictures = /^image\/(png|jpe?g|webp|avif|gif|svg\+xml|bmp|apng|x-icon|vnd\.microsoft\.icon)$/

/** A small picture of what is in a file; nothing where browsers cannot show it. */
export default function Glimpse(props: GlimpseProps) {
  const { type, blob, onShown } = props
  const size = blob?.size ?? props.size ?? 0
  const [address, setAddress] = useState(props.url)
  useEffect(() => {
    if (!blob) return undefined
    const made = URL.createObjectURL(blob)
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [blob])
  const [hasFailed, setFailed] = useState(false)
  if (!address || hasFailed) return null
  if (pictures.test(type) && size <= mostPictureBytes)
    return <img src={address} alt="" decoding="async" onLoad={onShown} onError={() => setFailed(true)} />
  // Its first frame: nothing is played, and nothing more is read.
  if (type.startsWith('video/'))
    return (
      <video
        src={address}
        preload="metadata"
        muted
        tabIndex={-1}
        onLoadedData={onShown}
        onError={() => setFailed(true)}
      />
    )
  if (type === 'application/pdf' && size <= mostPdfBytes) return <FirstPage {...props} />
  return null
}

/** Pixels, for a place of 48 on fine screens. */
const side = 120

function FirstPage({ blob, url, onShown }: GlimpseProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const ended = new AbortController()
    const { signal } = ended
    const draw = async () => {
      const file = blob ?? new File([await (await fetch(url, { signal })).blob()], '')
      const { openLocal } = await import('./local-pages.ts')
      const pages = await openLocal(file)
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
    return () => ended.abort()
  }, [blob, url])
  return <canvas ref={canvas} width={1} height={1} />
}
