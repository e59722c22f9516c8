/** Minimum time between two announcements to screen readers, so that they do not interrupt each other. */
const pauseMs = 3000
/** Only this many of the latest sentences are announced; earlier ones are outdated. */
const maxSentences = 3

const pendingTexts = new Map<string, string>()
let timer: ReturnType<typeof setTimeout> | undefined
let lastAnnouncedAtMs = Number.NEGATIVE_INFINITY

/**
 * Announces a text immediately, or together with other texts after a pause.
 * @param key a later text with the same key replaces this one
 */
export function announce(text: string, key: string = text): void {
  pendingTexts.delete(key)
  pendingTexts.set(key, text)
  if (timer !== undefined) return
  timer = setTimeout(flush, Math.max(0, lastAnnouncedAtMs + pauseMs - performance.now()))
}

function flush(): void {
  timer = undefined
  lastAnnouncedAtMs = performance.now()
  const region = document.getElementById('said')
  if (region) region.textContent = [...pendingTexts.values()].slice(-maxSentences).join(' ')
  pendingTexts.clear()
}
