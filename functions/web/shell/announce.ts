/** What is said to those who do not see the page: at most once in so long, as several sentences would cut each other off. */
const pauseMs = 3000
/** Of many, the last: the others are history by now. */
const maxSentences = 3

const waiting = new Map<string, string>()
let timer: ReturnType<typeof setTimeout> | undefined
let lastAt = Number.NEGATIVE_INFINITY

/**
 * At once when nothing was said for a while, else together with what else comes up.
 * @param key what is said later about the same takes its place
 */
export function announce(text: string, key: string = text): void {
  waiting.delete(key)
  waiting.set(key, text)
  if (timer !== undefined) return
  timer = setTimeout(flush, Math.max(0, lastAt + pauseMs - performance.now()))
}

function flush(): void {
  timer = undefined
  lastAt = performance.now()
  const region = document.getElementById('said')
  if (region) region.textContent = [...waiting.values()].slice(-maxSentences).join(' ')
  waiting.clear()
}
