import { Component } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Semaphore } from '../../../lib/async/semaphore.ts'
import { keysOf } from '../../../lib/validation/keys-of.ts'
import type { PdfPages } from './local-pages.ts'
import type { Sheet } from './page-order.ts'
import words from './words/en.ts'

/** Draws only a few pages at a time, so that pages scrolled out of view do not delay the visible ones. */
const drawingSlots = new Semaphore(2)

interface Props {
  readonly pages: PdfPages
  readonly sheet: Sheet
  /** Longer side of the page in device pixels. */
  readonly maxSidePx: number
  readonly isSelected: boolean
  readonly isFocused: boolean
  /** If false, only an empty box is rendered. */
  readonly isVisible: boolean
  readonly canMove: boolean
  readonly canSplitAfter: boolean
  readonly dropMarker: 'before' | 'after' | undefined
}

/** One page in the grid. It re-renders only if its own props change, which matters with 500 pages. */
export class SheetOption extends Component<Props> {
  override shouldComponentUpdate(nextProps: Props): boolean {
    const previousProps = this.props
    return keysOf(nextProps).some((name) => nextProps[name] !== previousProps[name])
  }

  override render({ sheet, isSelected, ...props }: Props) {
    return (
      <div
        role="option"
        class="sheet"
        data-page={sheet.page}
        data-removed={sheet.isRemoved || undefined}
        data-cut={sheet.isSplitAfter || undefined}
        data-drop={props.dropMarker}
        aria-label={describeSheet(sheet)}
        aria-selected={isSelected}
        tabIndex={props.isFocused ? 0 : -1}
        draggable={props.canMove}
      >
        {props.isVisible && (
          <>
            <span class="sheet-image" style={{ rotate: `${sheet.rotation}deg` }}>
              <PageImage pages={props.pages} page={sheet.page} maxSidePx={props.maxSidePx} />
            </span>
            <span class="sheet-number">{sheet.page}</span>
            {isSelected && <span class="sheet-mark" />}
            {props.canSplitAfter && <span class="sheet-cut" />}
          </>
        )}
      </div>
    )
  }
}

const describeSheet = ({ page, rotation, isRemoved, isSplitAfter }: Sheet) =>
  [
    words.page(page),
    ...(rotation ? [words.rotatedBy(rotation)] : []),
    ...(isRemoved ? [words.isRemoved] : []),
    ...(isSplitAfter ? [words.isSplitAfter] : []),
  ].join(', ')

function PageImage({
  pages,
  page,
  maxSidePx,
}: {
  readonly pages: PdfPages
  readonly page: number
  readonly maxSidePx: number
}) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [drawnPage, setDrawn] = useState<{
    readonly url?: string
    readonly hasFailed?: true
    readonly isDrawn?: true
  }>({})
  useEffect(() => {
    const abortController = new AbortController()
    const draw = async () => {
      const release = await drawingSlots.acquire(abortController.signal)
      try {
        const image = await pages.draw(page, maxSidePx)
        if (typeof image === 'string') setDrawn({ url: image })
        else {
          show(canvas.current, image)
          setDrawn({ isDrawn: true })
        }
      } finally {
        release()
      }
    }
    draw().catch(() => {
      if (!abortController.signal.aborted) setDrawn({ hasFailed: true })
    })
    return () => abortController.abort()
  }, [pages, page, maxSidePx])
  if (drawnPage.url) return <img src={drawnPage.url} alt="" draggable={false} />
  if (drawnPage.hasFailed) return <span class="meta">{words.noPreview}</span>
  return <canvas ref={canvas} width={1} height={1} data-drawn={drawnPage.isDrawn} />
}

/** Transfers the bitmap to the canvas instead of copying it. */
function show(canvas: HTMLCanvasElement | null, bitmap: ImageBitmap): void {
  if (!canvas) {
    bitmap.close()
    return
  }
  canvas.width = bitmap.width
  canvas.height = bitmap.height
  canvas.getContext('bitmaprenderer')?.transferFromImageBitmap(bitmap)
}
