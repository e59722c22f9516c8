import { useEffect, useRef, useState } from 'preact/hooks'
import { useStyles } from '../shell/styles.ts'
import Glimpse, { type GlimpseProps } from './file-preview.tsx'
import rules from './thumbnail.css'

useStyles(rules)

/** A small picture of what is in a file, made when it comes into sight; an empty place where there is none. */
export function Thumb(props: GlimpseProps) {
  const place = useRef<HTMLSpanElement>(null)
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setSeen(true),
    )
    if (place.current) observer.observe(place.current)
    return () => observer.disconnect()
  }, [])
  return (
    <span ref={place} class="thumb" aria-hidden="true">
      {isSeen && <Glimpse {...props} />}
    </span>
  )
}
