import { useEffect, useRef, useState } from 'preact/hooks'
import { adoptStyles } from '../shell/styles.ts'
import FilePreview, { type FilePreviewProps } from './file-preview.tsx'
import rules from './thumbnail.css'

adoptStyles(rules)

/** A thumbnail of a file, created when it scrolls into view; an empty box if there is none. */
export function Thumbnail(props: FilePreviewProps) {
  const container = useRef<HTMLSpanElement>(null)
  const [isVisible, setVisible] = useState(false)
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setVisible(true),
    )
    if (container.current) observer.observe(container.current)
    return () => observer.disconnect()
  }, [])
  return (
    <span ref={container} class="thumb" aria-hidden="true">
      {isVisible && <FilePreview {...props} />}
    </span>
  )
}
