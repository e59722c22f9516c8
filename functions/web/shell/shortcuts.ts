import { signal } from '@preact/signals'

/**
 * Keyboard shortcuts of single keys: a key clicks the first visible element that has it as `aria-keyshortcuts`. Users
 * can turn them off, because speech input may type single characters by accident (WCAG 2.1.4). Then no element has the
 * attribute.
 */

export const isSheetOpen = signal(false)

const storageKey = 'shortcuts'

function loadShortcutsOn(): boolean {
  try {
    return localStorage.getItem(storageKey) !== 'off'
  } catch {
    return true
  }
}

export const areShortcutsOn = signal(loadShortcutsOn())

/** Returns the attribute that makes a key click the element. */
export const keyShortcut = (key: string) => (areShortcutsOn.value ? { 'aria-keyshortcuts': key } : {})

export function setShortcutsOn(isOn: boolean): void {
  areShortcutsOn.value = isOn
  try {
    localStorage.setItem(storageKey, isOn ? 'on' : 'off')
  } catch {
    // Storage is denied, so the shortcuts are on again after a reload.
  }
}

const isTyping = ({ target }: KeyboardEvent) =>
  target instanceof HTMLElement &&
  target.matches(
    'input:not([type="radio"], [type="checkbox"], [type="range"]), textarea, select, [role="combobox"]',
  )

/** On keyboards of other scripts, the letter is found by its position: the key of “a” is “ф” on a Russian keyboard. */
const getLetter = ({ key, code }: KeyboardEvent) =>
  (/^\p{ASCII}/u.test(key) ? key : code.replace(/^Key/, '')).toLowerCase()

export function listenForShortcuts(): void {
  document.addEventListener('keydown', (event) => {
    const { key } = event
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
    // Key repeat is ignored, because a key held down would download a file many times.
    if (event.repeat || isTyping(event) || document.querySelector('dialog[open]') || !areShortcutsOn.value)
      return
    if (key === '?') isSheetOpen.value = true
    else if (!clickShortcut(getLetter(event))) return
    event.preventDefault()
  })
}

function clickShortcut(key: string): boolean {
  if (!/^[a-z]$/.test(key)) return false
  const element = [...document.querySelectorAll<HTMLElement>(`[aria-keyshortcuts="${key}"]`)].find(
    (candidate) => candidate.checkVisibility() && !candidate.matches(':disabled'),
  )
  element?.click()
  return element !== undefined
}
