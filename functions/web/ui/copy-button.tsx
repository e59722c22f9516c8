import { useEffect, useState } from 'preact/hooks'
import { announce } from '../shell/announce.ts'
import { adoptStyles } from '../shell/styles.ts'
import rules from './copy-button.css'

adoptStyles(rules)

const confirmationMs = 2500

/** A button that copies a text and then confirms it. */
export function CopyButton(props: {
  readonly text: string
  readonly label: string
  readonly copiedLabel: string
  readonly kind?: string
}) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), confirmationMs)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = async () => {
    await copyText(props.text)
    setCopied(true)
    announce(props.copiedLabel)
  }
  return (
    <button type="button" class={`button copy-button ${props.kind ?? ''}`} onClick={() => void copy()}>
      {/* Both labels take their space, so that the button keeps its width. */}
      <span data-shown={!isCopied}>{props.label}</span>
      <span data-shown={isCopied}>{props.copiedLabel}</span>
    </button>
  )
}

/**
 * Browsers offer `navigator.clipboard` only with HTTPS and on localhost, but not to a service in a local network, and
 * people may forbid it.
 */
async function copyText(text: string): Promise<void> {
  const isWritten = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  )
  if (isWritten) return
  const field = document.createElement('textarea')
  field.value = text
  // Outside of an open dialog, nothing can be selected.
  const parent = document.activeElement?.closest('dialog') ?? document.body
  parent.append(field)
  field.select()
  document.execCommand('copy')
  field.remove()
}
