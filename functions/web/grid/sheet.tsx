import { Component } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Slots } from '../sections/convert/semaphore.ts'
import type { Pages } from './local-pages.ts'
import type { Sheet } from './page-order.ts'
import words from './words/en.ts'

/** Of one that is drawn for nothing the next would have to wait. */
const drawing = new Slots(2)

interface Props {
  readonly pages: Pages
  readonly sheet: Sheet
  /** Pixels of the screen on the longer side. */
  readonly side: number
  readonly isSelected: boolean
  readonly isFocused: boolean
  /** Only in sight it is more than a place. */
  readonly isSeen: boolean
  readonly canMove: boolean
  readonly canBeCut: boolean
  readonly mark: 'before' | 'after' | undefined
}

/** One page. Of five hundred only those are drawn anew that have changed. */
export class SheetOption extends Component<Props> {
  override shouldComponentUpdate(next: Props): boolean {
    const before = this.props
    return (Object.keys(next) as (keyof Props)[]).some((name) => next[name] !== before[name]) // its own names
  }

  override render({ sheet, isSelected, ...props }: Props) {
    return (
      <div
        role="option"
        class="sheet"
        data-page={sheet.page}
        data-removed={sheet.isRemoved || undefined}
        data-cut={sheet.isCut || undefined}
        data-drop={props.mark}
        aria-label={nameOf(sheet)}
        aria-selected={isSelected}
        tabIndex={props.isFocused ? 0 : -1}
        draggable={props.canMove}
      >
        {props.isSeen && (
          <>
            <span class="sheet-picture" style={{ rotate: `${sheet.turn}deg` }}>
              <Picture pages={props.pages} page={sheet.page} side={props.side} />
            </span>
            <span class="sheet-number">{sheet.page}</span>
            {isSelected && <span class="sheet-mark" />}
            {props.canBeCut && <span class="sheet-cut" />}
          </>
        )}
      </div>
    )
  }
}

const nameOf = ({ page, turn, isRemoved, isCut }: Sheet) =>
  [
    words.page(page),
    ...(turn ? [words.turnedBy(turn)] : []),
    ...(isRemoved ? [words.isRemoved] : []),
    ...(isCut ? [words.isCut] : []),
  ].join(', ')

function Picture({
  pages,
  page,
  side,
}: {
  readonly pages: Pages
  readonly page: number
  readonly side: number
}) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [drawn, setDrawn] = useState<{
    readonly url?: string
    readonly hasFailed?: true
    readonly isThere?: true
  }>({})
  useEffect(() => {
    const ended = new AbortController()
    const draw = async () => {
      const release = await drawing.take(ended.signal)
      try {
        const picture = await pages.draw(page, side)
        if (typeof picture === 'string') setDrawn({ url: picture })
        else {
          show(canvas.current, picture)
          setDrawn({ isThere: true })
        }
      } finally {
        release()
      }
    }
    draw().catch(() => {
      if (!ended.signal.aborted) setDrawn({ hasFailed: true })
    })
    return () => ended.abort()
  }, [pages, page, side])
  if (drawn.url) return <img src={drawn.url} alt="" draggable={false} />
  if (drawn.hasFailed) return <span class="meta">{words.noPicture}</span>
  return <canvas ref={canvas} width={1} height={1} data-drawn={drawn.isThere} />
}

/** Hands the bytes over instead of copying them. */
function show(canvas: HTMLCanvasElement | null, bitmap: ImageBitmap): void {
  if (!canvas) {
    bitmap.close()
    return
  }
  canvas.width = bitmap.width
  canvas.height = bitmap.height
  canvas.getContext('bitmaprenderer')?.transferFromImageBitmap(bitmap)
}
